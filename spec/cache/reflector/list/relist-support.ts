import { expect } from 'chai';
import type {
  ItemsTaker,
  ListPage,
  ListRequest,
} from '../../../../lib/cache/reflector/contract/lister-watcher.ts';
import type { ListwatchError } from '../../../../lib/kernel/failure/errors.ts';
import { DecodedView } from '../../../../lib/meta/object-view.ts';
import type {
  ReflectorSink,
  Relist,
} from '../../../../lib/cache/reflector/contract/reflector-sink.ts';
import type { WatchEvent } from '../../../../lib/meta/watch-event.ts';
import {
  RecordingSink,
  rig,
  thing,
  type Rig,
  type RigOptions,
  type Thing,
  type View,
} from '../reflector-support.ts';

/** The calls of one relist of a `RelistSink`, and how it ended. */
export class RecordedRelist implements Relist<View> {
  readonly calls: string[] = [];
  readonly objects: Map<string, Thing> = new Map();
  end: 'open' | 'committed' | 'discarded' = 'open';
  readonly #sink: RelistSink;

  constructor(sink: RelistSink) {
    this.#sink = sink;
  }

  add(items: readonly View[]): void {
    this.#note(`add ${items.map(({ metadata }) => metadata.name).join(' ')}`);
    this.#sink.onAdd(this);
    for (const { object } of items) this.objects.set(object.metadata.name, object);
  }

  apply(events: readonly WatchEvent<View>[]): void {
    const texts: string[] = [];
    for (const event of events) {
      if (event.type === 'BOOKMARK') continue;
      const { object } = event.object;
      texts.push(`${event.type} ${object.metadata.name}`);
      if (event.type === 'DELETED') this.objects.delete(object.metadata.name);
      else this.objects.set(object.metadata.name, object);
    }
    this.#note(`apply ${texts.join(' ')}`);
    this.#sink.onAdd(this);
  }

  waitForRoom(): Promise<void> | undefined {
    return this.#sink.room?.();
  }

  commit(resourceVersion: string): number {
    this.#note(`commit @${resourceVersion}`);
    this.#sink.onCommit();
    this.end = 'committed';
    this.#sink.takeOver(this, resourceVersion);
    return this.objects.size;
  }

  discard(): void {
    if (this.end === 'open') this.end = 'discarded';
  }

  #note(call: string): void {
    if (this.end !== 'open') throw new Error(`a relist that is ${this.end} got ${call}`);
    this.calls.push(call);
  }
}

/** A sink that takes lists piece by piece, refuses to have two of them at a time, and is never given a whole one. */
export class RelistSink extends RecordingSink implements ReflectorSink<View> {
  readonly relists: RecordedRelist[] = [];
  /** Called for each relist that begins, piece and commit; may throw. */
  onBegin: () => void = () => {};
  onAdd: (relist: RecordedRelist) => void = () => {};
  onCommit: () => void = () => {};
  room: (() => Promise<void> | undefined) | undefined;

  override replace(): void {
    throw new Error('a sink that takes relists was given a whole list');
  }

  beginRelist(): RecordedRelist {
    if (this.open > 0) throw new Error('a relist was begun while another one is open');
    this.onBegin();
    const relist = new RecordedRelist(this);
    this.relists.push(relist);
    return relist;
  }

  takeOver({ objects }: RecordedRelist, resourceVersion: string): void {
    this.calls.push(`replace ${[...objects.keys()].join(' ')} @${resourceVersion}`);
    this.objects.clear();
    for (const [name, object] of objects) this.objects.set(name, object);
  }

  /** Relists that are neither committed nor discarded. */
  get open(): number {
    return this.relists.filter(({ end }) => end === 'open').length;
  }

  get ends(): string[] {
    return this.relists.map(({ end }) => end);
  }
}

const FIVE = ['a', 'b', 'c', 'd', 'e'].map((name) => thing(name));

export interface RelistRig extends Rig {
  readonly sink: RelistSink;
}

/** Five things, handed out two at a time. */
export function relistRig({
  source,
  sink = new RelistSink(),
  ...options
}: Omit<RigOptions, 'sink'> & { readonly sink?: RelistSink } = {}): RelistRig {
  const script = { objects: FIVE, pieceSize: 2, ...source };
  const backoff = { baseMs: 100, jitter: 0 };
  return { ...rig({ sink, source: script, backoff, ...options }), sink };
}

export const streamingRig = (options: Omit<RigOptions, 'sink'> = {}): RelistRig =>
  relistRig({ watchList: true, ...options });

export const transitionsOf = ({ transitions }: Rig): string[] =>
  transitions
    .filter(({ items }) => items !== undefined)
    .map(({ reason, items }) => `${reason}: ${items}`);

export const codesOf = ({ errors }: Rig): string[] =>
  errors.map(({ error }) => (error as ListwatchError).code);

/** Stops and sees that nothing is left: no relist, no timer. */
export async function end(test: RelistRig): Promise<void> {
  await test.stop();
  expect(test.sink.open, 'open relists').to.equal(0);
  expect(test.runtime.pending).to.equal(0);
}

/** Replaces how the source answers its next list. */
export function listNext(
  test: Pick<Rig, 'source'>,
  answer: (request: ListRequest, onItems: ItemsTaker<View>) => Promise<ListPage<View>>,
): void {
  const { source } = test;
  source.list = (request, onItems): Promise<ListPage<View>> => {
    Reflect.deleteProperty(source, 'list');
    return answer(request, onItems as ItemsTaker<View>);
  };
}

export const view = (name: string): View => new DecodedView<Thing>(thing(name));

/** The end of a page whose items were handed out. */
export const PAGE: ListPage<View> = { items: [], resourceVersion: '5' };

/** A sink that is full until it is emptied. */
export function fullSink({ sink }: { readonly sink: RelistSink }): {
  readonly waits: () => number;
  makeRoom(): void;
} {
  let waits = 0;
  let wake = (): void => {};
  sink.room = (): Promise<void> => {
    waits += 1;
    return new Promise<void>((resolve) => {
      wake = resolve;
    });
  };
  return { waits: () => waits, makeRoom: () => wake() };
}

export function failOnce(): () => void {
  let failed = false;
  return () => {
    if (failed) return;
    failed = true;
    throw new Error('disk full');
  };
}

export function wrapped(error: unknown): never {
  throw new Error('GET /things failed', { cause: error });
}

/** Ways in which a sink breaks down once. */
export const BREAKDOWNS: readonly (readonly [string, (sink: RelistSink) => void])[] = [
  ['to begin', (sink) => (sink.onBegin = failOnce())],
  ['at a piece', (sink) => (sink.onAdd = failOnce())],
  ['at the commit', (sink) => (sink.onCommit = failOnce())],
];
