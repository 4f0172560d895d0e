import { randomInteger, seededRandom } from '../../../lib/kernel/time/random.ts';
import type { KeptView } from '../../../lib/cache/memory/views/kept-view.ts';
import { viewOfText } from './kept-views.ts';

/** A view, and what it was when it came in. */
export interface RememberedView {
  readonly view: KeptView;
  /** Of the object that was parsed at once. */
  readonly object: string;
  /** Without managed fields. */
  readonly metadata: string;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789-"\\/\n ';
const WIDE_LETTERS = 'äöüß€✓漢字🙂é';
const PATTERN = 1024;

/** Random objects, whose metadata and managed fields are in any place, or nowhere. */
export class RandomViews {
  readonly #runtime: { random(): number };
  readonly #patterns: readonly string[];
  #made = 0;

  constructor(seed: number) {
    this.#runtime = { random: seededRandom(seed) };
    this.#patterns = [LETTERS, WIDE_LETTERS].map((letters) => {
      const choice = Array.from(letters);
      return Array.from({ length: PATTERN }, () => choice[this.below(choice.length)]).join('');
    });
  }

  below(bound: number): number {
    return randomInteger(this.#runtime, 0, bound - 1);
  }

  /** True once in so many times. */
  once(times: number): boolean {
    return this.below(times) === 0;
  }

  /** About as many bytes as `bytes`, or a few more than that; drawn when left out. */
  next(bytes: number = this.bytes()): RememberedView {
    this.#made += 1;
    const metadata = this.once(50) ? undefined : this.#metadata();
    const fields = [
      ['kind', 'Pod'],
      ['spec', { text: this.#text(bytes), note: 'é'.repeat(this.below(3)) }],
      ['status', this.once(2) ? { ready: true } : null],
    ] as const;
    const place = this.below(fields.length + 1);
    const entries: (readonly [string, unknown])[] = [...fields];
    if (metadata !== undefined) entries.splice(place, 0, ['metadata', metadata]);
    const object = Object.fromEntries(entries);
    const text = JSON.stringify(object, null, this.once(4) ? ' ' : undefined);
    const { managedFields: _, ...rest } = metadata ?? {};
    return {
      view: viewOfText(text),
      object: JSON.stringify(object),
      metadata: JSON.stringify(rest),
      uid: metadata?.['uid'] as string | undefined,
      resourceVersion: metadata?.['resourceVersion'] as string | undefined,
    };
  }

  /** Mostly what objects of a cluster take; some are huge. */
  bytes(): number {
    if (this.once(400)) return this.below(400_000);
    if (this.once(1000)) return 1_100_000;
    return this.once(20) ? this.below(30_000) : 10 + this.below(900);
  }

  #metadata(): Readonly<Record<string, unknown>> {
    const id = String(this.#made).padStart(8, '0');
    const fields: (readonly [string, unknown])[] = [
      ['name', `pod-${id}`],
      ['namespace', `ns-${this.below(9)}`],
      ['labels', { app: 'a', note: this.once(3) ? 'Größe ✓' : 'plain' }],
      ['resourceVersion', id],
    ];
    if (!this.once(20)) fields.push(['uid', this.once(30) ? 'u'.repeat(300) : `uid-${id}`]);
    if (!this.once(4)) {
      const managed = [{ manager: this.#text(this.below(200)), operation: 'Update' }];
      fields.splice(this.below(fields.length + 1), 0, ['managedFields', managed]);
    }
    return Object.fromEntries(this.once(40) ? fields.filter(([key]) => key[0] === 'm') : fields);
  }

  #text(bytes: number): string {
    const wide = this.once(3);
    const pattern = this.#patterns[wide ? 1 : 0] as string;
    const units = wide ? Math.ceil(bytes / 3) : bytes;
    const from = this.below(PATTERN / 2);
    const text = pattern.slice(from, from + units);
    return units <= PATTERN / 2 ? text : text + pattern.repeat(Math.ceil(units / PATTERN));
  }
}

/** The change in the identity and the metadata of a view; undefined when there is none. */
export function wrongMetadata(remembered: RememberedView): string | undefined {
  const { view, uid, resourceVersion } = remembered;
  if (view.uid !== uid) return `its uid is ${view.uid}, and was ${uid}`;
  if (view.resourceVersion !== resourceVersion) {
    return `its resource version is ${view.resourceVersion}, and was ${resourceVersion}`;
  }
  const { managedFields: _, ...rest } = view.metadata as { readonly managedFields?: unknown };
  const metadata = JSON.stringify(rest);
  return metadata === remembered.metadata
    ? undefined
    : `its metadata is ${metadata}, and was ${remembered.metadata}`;
}

/** As `wrongMetadata`, of the whole object, read from its bytes. */
export function wrongJson(remembered: RememberedView): string | undefined {
  const object = JSON.stringify(JSON.parse(remembered.view.json.toString('utf8')));
  return object === remembered.object ? undefined : `it is ${object.slice(0, 300)}`;
}

/** As `wrongJson`, of the decoded object. */
export function wrongObject(remembered: RememberedView): string | undefined {
  const object = JSON.stringify(remembered.view.object);
  return object === remembered.object ? undefined : `it is ${object.slice(0, 300)}`;
}
