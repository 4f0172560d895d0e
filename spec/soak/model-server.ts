import type {
  ListerWatcher,
  ListPage,
  ListRequest,
  WatchRequest,
  WatchStream,
} from '../../lib/cache/reflector/contract/lister-watcher.ts';
import { onAbort } from '../../lib/kernel/time/abort.ts';
import { BatchChannel } from '../../lib/kernel/data/batch-channel.ts';
import type { Runtime, Timer } from '../../lib/kernel/time/runtime.ts';
import { badRequest, expired, tooLargeResourceVersion } from '../../lib/meta/failure/failures.ts';
import { DecodedView } from '../../lib/meta/object-view.ts';
import type { Backend } from './backend.ts';
import type { Dice } from './dice.ts';
import { History } from './history.ts';
import {
  isSelected,
  thingOf,
  type Draft,
  type Thing,
  type ThingEvent,
  type View,
} from './thing.ts';

export interface ModelServerOptions {
  readonly runtime: Runtime;
  readonly dice: Dice;
  /** Resource version before the first write. */
  readonly startVersion: bigint;
  /** Whether only labelled objects are in the collection. */
  readonly selective: boolean;
  /** Writes that watches can begin before. */
  readonly historySize: number;
  /** Events one watch may have waiting before the server ends it. */
  readonly watchCapacity: number;
  /** Whether a restored server gives out versions again; otherwise it goes on after the highest one. */
  readonly reusesVersions: boolean;
  /** The answer to a watch from the future. */
  readonly futureWatch: 'expired' | 'too-large' | 'accept';
}

interface Write {
  readonly seq: number;
  readonly key: string;
  readonly before: View | undefined;
  readonly after: View | undefined;
  /** Its effect on the selected collection. */
  readonly event: ThingEvent | undefined;
}

interface Watch {
  readonly channel: BatchChannel<ThingEvent>;
  readonly bookmarks: boolean;
  sentSeq: number;
}

type Entries = readonly (readonly [key: string, view: View])[];

const BOOKMARK_MS = 60_000;

/** A quick API server for one collection, with its rules for versions, pages and watches, that writes down its history. */
export class ModelServer implements Backend, ListerWatcher<View> {
  readonly description = 'things of the model';
  readonly history: History = new History();
  readonly source: ListerWatcher<View> = this;
  /** Answers a list at version 0 from the past, as a replica that lags behind does. */
  staleLists = false;
  /** Whether the informer has seen the state after the last restore. */
  restoreSeen = true;
  readonly #options: ModelServerOptions;
  readonly #objects = new Map<string, View>();
  readonly #writes: Write[] = [];
  readonly #watches = new Set<Watch>();
  #snapshot: { readonly seq: number; readonly entries: Entries } | undefined;
  /** No server ever says 0. */
  #seq = 1;
  /** The highest number ever given out. */
  #ceiling = 1;
  #compacted = 1;
  #uids = 0;
  readonly #timer: { current: Timer | undefined } = { current: undefined };

  constructor(options: ModelServerOptions) {
    this.#options = options;
  }

  open(): void {
    this.history.reach(this.#seq);
    this.#armBookmarks();
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  versionOf(seq: number): string {
    return String(this.#options.startVersion + BigInt(seq));
  }

  seqOf(version: string): number {
    return Number(BigInt(version) - this.#options.startVersion);
  }

  find(key: string): Thing | undefined {
    return this.#objects.get(key)?.object;
  }

  keys(): Iterable<string> {
    return this.#objects.keys();
  }

  /**
   * Nothing is written between a restore and the next request of the informer: should the versions have passed its own by
   * then, no client could know.
   */
  get writable(): boolean {
    return this.restoreSeen;
  }

  put(draft: Draft): void {
    const before = this.#objects.get(draft.key);
    const uid = before?.metadata.uid ?? `uid-${(this.#uids += 1)}`;
    const seq = this.#nextSeq();
    const after = new DecodedView(thingOf(draft, uid, this.versionOf(seq)));
    this.#objects.set(draft.key, after);
    this.#commit(seq, draft.key, before, after);
  }

  remove(key: string): void {
    const before = this.#objects.get(key);
    if (before === undefined) return;
    const seq = this.#nextSeq();
    this.#objects.delete(key);
    this.#commit(seq, key, before, undefined);
  }

  compact(): void {
    this.#compacted = this.#seq;
  }

  bookmark(): void {
    for (const watch of this.#watches) {
      if (watch.bookmarks) this.#send(watch, this.#bookmarkAt(this.#seq, false));
    }
  }

  /** Goes back by some writes, as a cluster restored from a backup; all watches break. */
  restore(writes: number, forget: boolean): boolean {
    const kept = Math.max(0, this.#writes.length - writes);
    const seq = Math.max(this.#compacted, this.#writes[kept - 1]?.seq ?? 1);
    if (seq >= this.#seq || !this.restoreSeen) return false;
    const entries = this.#entriesAt(seq);
    this.#objects.clear();
    for (const [key, view] of entries) this.#objects.set(key, view);
    while ((this.#writes.at(-1)?.seq ?? 0) > seq) this.#writes.pop();
    this.#seq = seq;
    if (forget) this.#compacted = seq;
    this.#snapshot = undefined;
    this.restoreSeen = false;
    const selected = entries.filter(([, { object }]) => this.#selects(object));
    const things = new Map(selected.map(([key, { object }]) => [key, object]));
    this.history.restore(things, seq, this.versionOf(seq));
    return true;
  }

  close(): void {
    this.#timer.current?.cancel();
    for (const { channel } of this.#watches) channel.destroy();
  }

  async list(request: ListRequest): Promise<ListPage<View>> {
    const { seq, after } = this.#startOfPage(request);
    const all = this.#entriesAt(seq).filter(([, { object }]) => this.#selects(object));
    const found = after === undefined ? 0 : all.findIndex(([key]) => key > after);
    const first = found < 0 ? all.length : found;
    const { limit = 0 } = request;
    const page = all.slice(first, limit > 0 ? first + limit : undefined);
    const last = page.at(-1)?.[0];
    const more = first + page.length < all.length && last !== undefined;
    return {
      items: page.map(([, view]) => view),
      resourceVersion: this.versionOf(seq),
      ...(more ? { continueToken: `${seq} ${last}` } : {}),
    };
  }

  async watch(request: WatchRequest): Promise<WatchStream<View>> {
    const { resourceVersion = '', sendInitialEvents = false, allowWatchBookmarks } = request;
    const anywhere = resourceVersion === '' || resourceVersion === '0';
    const asked = anywhere ? 0 : this.seqOf(resourceVersion);
    const future = asked > this.#seq;
    const { futureWatch } = this.#options;
    if (future && (sendInitialEvents || futureWatch === 'too-large')) throw this.#tooLarge(asked);
    const watch = this.#open(request, allowWatchBookmarks === true);
    const whole = sendInitialEvents || anywhere;
    if ((future && futureWatch === 'expired') || (!whole && asked < this.#compacted)) {
      watch.channel.fail(expired(`too old resource version: ${asked} (${this.#compacted})`));
    } else if (whole) {
      this.#sendState(watch, sendInitialEvents);
    } else {
      watch.sentSeq = asked;
      if (!future) this.restoreSeen = true;
      for (const write of this.#since(asked)) this.#forward(watch, write);
    }
    return watch.channel;
  }

  #open({ timeoutSeconds, signal }: WatchRequest, bookmarks: boolean): Watch {
    let release = (): void => {};
    const timer =
      timeoutSeconds === undefined
        ? undefined
        : this.#options.runtime.setTimer(
            timeoutSeconds * 1000,
            () => {
              watch.channel.end();
            },
            { background: true },
          );
    const channel = new BatchChannel<ThingEvent>({
      name: 'watch of the model',
      capacity: this.#options.watchCapacity,
      onEnd: () => {
        timer?.cancel();
        release();
        this.#watches.delete(watch);
      },
    });
    const watch: Watch = { channel, bookmarks, sentSeq: 0 };
    this.#watches.add(watch);
    release = onAbort(signal, () => {
      channel.destroy(signal?.reason);
    });
    return watch;
  }

  /** The state, not necessarily the newest one, and everything since. */
  #sendState(watch: Watch, andEnd: boolean): void {
    const seq = this.#seq;
    const entries = this.#entriesAt(seq).filter(([, { object }]) => this.#selects(object));
    // The start of a stream is no reason to end it.
    const events: ThingEvent[] = entries.map(([, object]) => ({ type: 'ADDED', object }));
    if (andEnd) events.push(this.#bookmarkAt(seq, true));
    watch.sentSeq = seq;
    for (const event of events) if (!watch.channel.push(event)) watch.channel.end();
  }

  #bookmarkAt(seq: number, initialEventsEnd: boolean): ThingEvent {
    return { type: 'BOOKMARK', resourceVersion: this.versionOf(seq), initialEventsEnd };
  }

  #forward(watch: Watch, { seq, event }: Write): void {
    if (seq <= watch.sentSeq || event === undefined) return;
    watch.sentSeq = seq;
    this.#send(watch, event);
  }

  /** A reader that is too slow loses the stream. */
  #send({ channel }: Watch, event: ThingEvent): void {
    if (!channel.push(event)) channel.end();
  }

  #nextSeq(): number {
    // Writes to other resources share the numbers.
    const { dice, reusesVersions } = this.#options;
    if (!reusesVersions) this.#seq = Math.max(this.#seq, this.#ceiling);
    this.#seq += dice.chance(0.2) ? dice.int(2, 9) : 1;
    this.#ceiling = Math.max(this.#ceiling, this.#seq);
    return this.#seq;
  }

  #selects(thing: Thing): boolean {
    return !this.#options.selective || isSelected(thing);
  }

  #commit(seq: number, key: string, before: View | undefined, after: View | undefined): void {
    const was = before !== undefined && this.#selects(before.object);
    const is = after !== undefined && this.#selects(after.object);
    const event = this.#eventOf(seq, was ? before : undefined, is ? after : undefined);
    const write: Write = { seq, key, before, after, event };
    this.#writes.push(write);
    const forgotten = this.#writes[this.#writes.length - 1 - this.#options.historySize];
    if (forgotten !== undefined) this.#compacted = Math.max(this.#compacted, forgotten.seq);
    if (was || is)
      this.history.append(key, is ? after.object : undefined, this.versionOf(seq), seq);
    else this.history.reach(seq);
    for (const watch of this.#watches) this.#forward(watch, write);
  }

  #eventOf(seq: number, before: View | undefined, after: View | undefined): ThingEvent | undefined {
    if (after !== undefined)
      return { type: before === undefined ? 'ADDED' : 'MODIFIED', object: after };
    if (before === undefined) return undefined;
    const { object } = before;
    const metadata = { ...object.metadata, resourceVersion: this.versionOf(seq) };
    return { type: 'DELETED', object: new DecodedView<Thing>({ ...object, metadata }) };
  }

  #since(seq: number): readonly Write[] {
    let [low, high] = [0, this.#writes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#writes[middle] as Write).seq <= seq) low = middle + 1;
      else high = middle;
    }
    return this.#writes.slice(low);
  }

  /** All objects as of a version, selected or not, in the order of the keys. */
  #entriesAt(seq: number): Entries {
    if (this.#snapshot?.seq !== seq) {
      const objects = new Map(this.#objects);
      for (const { key, before } of this.#since(seq).toReversed()) {
        if (before === undefined) objects.delete(key);
        else objects.set(key, before);
      }
      const entries = [...objects].toSorted(([left], [right]) => (left < right ? -1 : 1));
      this.#snapshot = { seq, entries };
    }
    return this.#snapshot.entries;
  }

  /** Which state a page shows, and after which key it begins. */
  #startOfPage(request: ListRequest): { readonly seq: number; readonly after?: string } {
    const { continueToken, resourceVersion = '', resourceVersionMatch } = request;
    if (continueToken !== undefined) {
      if (resourceVersion !== '') throw badRequest('a continue token excludes a resource version');
      const [seq, after] = continueToken.split(' ') as [string, string];
      if (Number(seq) < this.#compacted || Number(seq) > this.#seq)
        throw expired('the continue token is too old');
      return { seq: Number(seq), after };
    }
    if (resourceVersion === '') return { seq: this.#seq };
    if (resourceVersion === '0')
      return { seq: this.staleLists ? this.#past(this.#compacted) : this.#seq };
    const asked = this.seqOf(resourceVersion);
    if (asked > this.#seq) throw this.#tooLarge(asked);
    // A limit with a version, and no match, asks for exactly that one.
    if (resourceVersionMatch === undefined && (request.limit ?? 0) > 0) {
      if (asked < this.#compacted) throw expired(`too old resource version: ${asked}`);
      return { seq: asked };
    }
    return { seq: this.staleLists ? this.#past(Math.max(asked, this.#compacted)) : this.#seq };
  }

  #past(oldest: number): number {
    return this.#options.dice.int(oldest, this.#seq);
  }

  #tooLarge(asked: number): Error {
    return tooLargeResourceVersion(this.versionOf(asked), this.versionOf(this.#seq));
  }

  #armBookmarks(): void {
    this.#timer.current = this.#options.runtime.setTimer(
      BOOKMARK_MS,
      () => {
        this.bookmark();
        this.#armBookmarks();
      },
      { background: true },
    );
  }
}
