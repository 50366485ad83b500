import * as fmt from './format';
import { highlighting } from './languages';
import type { Linkage } from './linkage';
import { Links } from './links';
import { Listing } from './listing';
import { element } from './markup';
import { decodeLineMap, decodeText } from './payload';
import type { Stage } from './schema';
import type { Services } from './services';

/** A stage beside the source: its listing, or a sentence that says why there is none and where the text is. */
export class Column {
  readonly node = element('div', 'klab-column');

  constructor(
    private readonly services: Services,
    private readonly linkage: Linkage
  ) {}

  /** The text of the stage that is shown; null when it is not embedded or not there yet. */
  get text(): string | null {
    return this._text;
  }

  get links(): Links | null {
    return this._links;
  }

  get listing(): Listing | null {
    return this._listing;
  }

  /** Shows a stage. A later call wins over one that still inflates. */
  async show(stage: Stage): Promise<void> {
    const turn = ++this.turn;
    this._text = null;
    this._links = null;
    try {
      const text = await decodeText(stage);
      const map = stage.encoding === 'omitted' ? [] : await decodeLineMap(stage.line_map);
      const language = await highlighting(this.services.languages, stage.syntax);
      if (turn !== this.turn) {
        return;
      }
      if (text === null) {
        const facts = `${fmt.count(stage.lines, 'line')}, ${fmt.size(stage.bytes, 2)}`;
        this.say(`${stage.name} (${facts}): ${stage.encoding === 'omitted' ? stage.note : ''}`);
        return;
      }
      this.clear();
      this._text = text;
      this._links = new Links(map);
      const content = {
        text: text.replace(/\n$/, ''),
        links: this._links,
        language,
        cellLines: this._links.any,
        label: `stage ${stage.name}`
      };
      this._listing = new Listing(this.linkage, content, this.services.preferences.fontSize);
      this.node.append(this._listing.node);
    } catch (reason) {
      if (turn === this.turn) {
        this.say(
          `${stage.name} cannot be shown: ${reason instanceof Error ? reason.message : String(reason)}. Run the cell again.`
        );
      }
    }
  }

  dispose(): void {
    this.turn++;
    this.clear();
  }

  private say(sentence: string): void {
    this.clear();
    this.node.append(element('div', 'klab-said', sentence));
  }

  private clear(): void {
    this._listing?.dispose();
    this._listing = null;
    this.node.replaceChildren();
  }

  private _text: string | null = null;
  private _links: Links | null = null;
  private _listing: Listing | null = null;
  private turn = 0;
}
