import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import { Signal, type ISignal } from '@lumino/signaling';

/** The user's settings (schema/plugin.json), with the defaults where there are none. */
export class Preferences {
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The stage shown first; "" is the last one that a kernel has. */
  get defaultStage(): string {
    return this._defaultStage;
  }

  /** In CSS pixels; 0 is JupyterLab's own size of code. */
  get fontSize(): number {
    return this._fontSize;
  }

  /** Whether a report below a cell shows source and stage without being asked. */
  get openInReports(): boolean {
    return this._openInReports;
  }

  /** Takes the settings now and whenever they change. */
  follow(settings: ISettingRegistry.ISettings): void {
    const take = (): void => {
      this._defaultStage = String(settings.get('defaultStage').composite ?? '');
      this._fontSize = Number(settings.get('fontSize').composite ?? 0);
      this._openInReports = Boolean(settings.get('openInReports').composite ?? false);
      this._changed.emit();
    };
    settings.changed.connect(take);
    take();
  }

  private readonly _changed = new Signal<this, void>(this);
  private _defaultStage = '';
  private _fontSize = 0;
  private _openInReports = false;
}
