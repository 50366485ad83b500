/** The plugins: reports below cells with the languages of their stages, and the inspector beside the notebook. */
import { ILayoutRestorer, type JupyterFrontEnd, type JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { Active } from './active';
import { addCommands } from './commands';
import { Follower } from './follower';
import { Inspector } from './inspector';
import { register } from './languages';
import { MIME_TYPE } from './payload';
import { Preferences } from './preferences';
import { ReportWidget } from './report';
import type { Services } from './services';
import { VERSION } from './version';

/** Below that of text/html (50): of the types that an output has, the lowest rank is shown. */
const RANK = 40;
const PLUGIN = 'kernel-lab:plugin';

const plugin: JupyterFrontEndPlugin<void> = {
  id: PLUGIN,
  description: 'Shows reports of GPU kernels, and a panel that inspects the active one.',
  autoStart: true,
  requires: [IRenderMimeRegistry],
  optional: [IEditorLanguageRegistry, ISettingRegistry, INotebookTracker, ICommandPalette, ILayoutRestorer],
  activate: (
    app: JupyterFrontEnd,
    rendermime: IRenderMimeRegistry,
    languages: IEditorLanguageRegistry | null,
    settings: ISettingRegistry | null,
    tracker: INotebookTracker | null,
    palette: ICommandPalette | null,
    restorer: ILayoutRestorer | null
  ) => {
    if (languages) {
      register(languages);
    }
    const services: Services = {
      languages,
      rendermime,
      preferences: new Preferences(),
      active: new Active(),
      version: VERSION
    };
    const createRenderer = (): ReportWidget => new ReportWidget(services);
    rendermime.addFactory({ safe: true, mimeTypes: [MIME_TYPE], createRenderer }, RANK);
    settings?.load(PLUGIN).then(
      loaded => services.preferences.follow(loaded),
      (reason: unknown) => console.warn(`kernel_lab: no settings, the defaults hold: ${String(reason)}`)
    );
    if (tracker) {
      const inspector = new Inspector(services);
      app.shell.add(inspector, 'right', { rank: 900, type: 'Inspector' });
      restorer?.add(inspector, inspector.id);
      new Follower(tracker, inspector);
      addCommands(app, palette, inspector, services);
    }
  }
};

export default plugin;
