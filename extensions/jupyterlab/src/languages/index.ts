/** The languages of stages: registers with JupyterLab those that it does not have, and finds one by a stage's syntax. */
import { LanguageSupport, StreamLanguage } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import type { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { LANGUAGES } from './all';

/** A stage's syntax → the MIME type of its language. */
const MIMES: Record<string, string> = {
  python: 'text/x-python',
  cpp: 'text/x-c++src',
  ...Object.fromEntries(LANGUAGES.map(({ name, mime }) => [name, mime]))
};

/** Adds the languages that nobody added before: the registry refuses a second one of the same name. */
export function register(registry: IEditorLanguageRegistry): void {
  for (const { name, displayName, mime, extensions, parser } of LANGUAGES) {
    if (registry.findByName(name) || registry.findByName(displayName) || registry.findByMIME(mime)) {
      continue;
    }
    try {
      const load = async (): Promise<LanguageSupport> => new LanguageSupport(StreamLanguage.define(parser));
      registry.addLanguage({ name, displayName, mime, extensions, load });
    } catch (reason) {
      console.warn(`kernel_lab: no highlighting of ${displayName}: ${String(reason)}`);
    }
  }
}

/** The highlighting of a syntax; nothing where the language is not known or cannot be loaded. */
export async function highlighting(registry: IEditorLanguageRegistry | null, syntax: string): Promise<Extension> {
  const known = registry?.findByMIME(MIMES[syntax] ?? `text/x-${syntax}`) ?? null;
  try {
    return (known && (await registry!.getLanguage(known))?.support) ?? [];
  } catch (reason) {
    console.warn(`kernel_lab: no highlighting of ${syntax}: ${String(reason)}`);
    return [];
  }
}
