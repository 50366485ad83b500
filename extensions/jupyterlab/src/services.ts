import type { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { Active } from './active';
import type { Preferences } from './preferences';

/** What JupyterLab and the user's settings give to every view of a report. */
export interface Services {
  languages: IEditorLanguageRegistry | null;
  rendermime: IRenderMimeRegistry;
  preferences: Preferences;
  active: Active;
  /** Of this extension. */
  version: string;
}
