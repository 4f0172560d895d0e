import type { KubernetesObject } from '../../../meta/object.ts';
import type { Change } from '../../record/cluster-history.ts';
import { idOf, type ComparedCollection } from './compared-collection.ts';

export interface ComparedWatchOptions {
  readonly collection: ComparedCollection;
  /** All changes of the run, and those to come. */
  readonly changes: readonly Change[];
  /** The version after which events were asked for; undefined: the watch begins with a state of the server's choice. */
  readonly from: bigint | undefined;
  readonly report: (message: string) => void;
}

interface WatchEvent {
  readonly type?: string;
  readonly object?: KubernetesObject;
}

const decoder = new TextDecoder();
const NEW_LINE = 10;
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** Compares the events of one watch with what the server has committed: all of it, in its order, and nothing else. */
export class ComparedWatch {
  readonly #options: ComparedWatchOptions;
  /** Of `changes`: the first one that was not reported yet; undefined while the state at the start is. */
  #next: number | undefined;
  #rest: Uint8Array = new Uint8Array();

  constructor(options: ComparedWatchOptions) {
    this.#options = options;
    if (options.from !== undefined) this.#next = this.#after(options.from);
  }

  /** Bytes that the server has sent. */
  sent(piece: Uint8Array): void {
    let bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    for (;;) {
      const end = bytes.indexOf(NEW_LINE);
      if (end < 0) break;
      const line = decoder.decode(bytes.subarray(0, end));
      bytes = bytes.subarray(end + 1);
      if (line.length > 0) this.#event(JSON.parse(line) as WatchEvent);
    }
    this.#rest = bytes;
  }

  /** The first change that should have been sent and was committed before this time. */
  overdue(beforeMs: number): Change | undefined {
    if (this.#next === undefined) return undefined;
    const change = this.#options.changes[this.#expected()];
    return change !== undefined && change.atMs < beforeMs ? change : undefined;
  }

  #event({ type = '', object = {} }: WatchEvent): void {
    const { report, changes } = this.#options;
    if (type === 'ERROR') return;
    const version = BigInt(object.metadata?.resourceVersion ?? '0');
    if (type === 'BOOKMARK') {
      this.#bookmark(version, object);
      return;
    }
    if (this.#next === undefined) return;
    const expected = this.#expected();
    const change = changes[expected];
    const id = idOf(object);
    const found = `${type} of ${id} at version ${version}`;
    if (change === undefined) {
      report(`it has sent ${found}, which has not been written`);
      return;
    }
    const should = this.#options.collection.eventOf(change);
    const isRight =
      should === type && change.ref.object === id && BigInt(change.revision) === version;
    if (!isRight) {
      const other = `${should} of ${change.ref.object} at version ${change.revision}`;
      report(`it has sent ${found}, and ${other} comes next`);
    }
    this.#next = isRight ? expected + 1 : this.#after(version);
  }

  #bookmark(version: bigint, { metadata }: KubernetesObject): void {
    const { changes, report } = this.#options;
    if (this.#next === undefined) {
      // The events so far were the state at this version.
      if (metadata?.annotations?.[INITIAL_EVENTS_END] === 'true') this.#next = this.#after(version);
      return;
    }
    const change = changes[this.#expected()];
    if (change === undefined || BigInt(change.revision) > version) return;
    report(
      `a bookmark has version ${version}, and the change of ${change.ref.object} at ${change.revision} was not sent`,
    );
    this.#next = this.#after(version);
  }

  /** The index of the next change that is an event of this watch. */
  #expected(): number {
    const { changes, collection } = this.#options;
    let index = this.#next ?? 0;
    for (; index < changes.length; index += 1) {
      if (collection.eventOf(changes[index] as Change) !== undefined) break;
    }
    this.#next = index;
    return index;
  }

  #after(version: bigint): number {
    const { changes } = this.#options;
    let index = changes.length;
    while (index > 0 && BigInt(changes[index - 1]?.revision ?? '0') > version) index -= 1;
    return index;
  }
}
