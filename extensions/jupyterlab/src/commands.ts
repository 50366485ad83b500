import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ICommandPalette } from '@jupyterlab/apputils';
import type { Inspector } from './inspector';
import type { Services } from './services';

const CATEGORY = 'Kernel Lab';

/** The commands of the palette; schema/plugin.json has their shortcuts. They act on the pair of listings that was touched last. */
export function addCommands(
  app: JupyterFrontEnd,
  palette: ICommandPalette | null,
  inspector: Inspector,
  services: Services
): void {
  const add = (name: string, label: string, execute: () => void, isEnabled?: () => boolean): void => {
    const command = `kernel-lab:${name}`;
    const describedBy = { args: { type: 'object', properties: {} } };
    app.commands.addCommand(command, { label, execute, isEnabled, describedBy });
    palette?.addItem({ command, category: CATEGORY });
  };
  const pair = () => services.active.pair;
  const any = (): boolean => pair() !== null;
  add('open-inspector', 'Open Inspector', () => app.shell.activateById(inspector.id));
  add('next-stage', 'Next Stage', () => pair()?.step(1), any);
  add('previous-stage', 'Previous Stage', () => pair()?.step(-1), any);
  add('copy-stage', 'Copy Stage', () => pair()?.copy(), any);
  add('download-stage', 'Download Stage', () => pair()?.download(), any);
  add('search-stage', 'Search in Stage', () => pair()?.openSearch(), any);
}
