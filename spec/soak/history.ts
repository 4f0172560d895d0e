import type { Thing } from './thing.ts';

/** The effect of one change on an object of the selected collection. */
export interface KeyState {
  readonly key: string;
  /** Place in the log. */
  readonly index: number;
  /** Undefined: there was none from here on. */
  readonly thing: Thing | undefined;
  /** Empty for an absent one. */
  readonly uid: string;
  /** Of the object, or of its deletion. */
  readonly version: string;
  /** Where the server stood. */
  readonly seq: number;
  /** The informer's transform throws on it: it is never seen. */
  readonly unreadable: boolean;
  /** The deletion of an object that could not be read: a reader that has not seen it needs no notification. */
  readonly unseen: boolean;
  /** The effect on it. */
  next: KeyState | undefined;
}

interface Epoch {
  /** First place in the log. */
  readonly first: number;
  /** Where the server stood when it began. */
  readonly seq: number;
  /** Where the server stood when it ended; no version above it was given out in this epoch. */
  end: number;
}

/**
 * The changes of the selected collection, in order: caches and handlers are compared with them.
 *
 * A server that is restored to an older state begins a new epoch, in which versions are given out a second time; the jump
 * itself is written down as changes, so that the log from its start up to a place always adds up to the state at that place.
 */
export class History {
  readonly log: KeyState[] = [];
  readonly #byKey = new Map<string, KeyState[]>();
  readonly #epochs: Epoch[] = [{ first: 0, seq: 0, end: Infinity }];
  readonly #present = new Map<string, KeyState>();
  /** Changes that need no notification: a list stood in for them, or they were undone. */
  readonly #excused: boolean[] = [];
  readonly #waiting: { readonly seq: number; readonly resolve: () => void }[] = [];
  #seq = 0;

  get epoch(): number {
    return this.#epochs.length - 1;
  }

  /** How far it is written. */
  get seq(): number {
    return this.#seq;
  }

  /** The present objects, by key. */
  get present(): ReadonlyMap<string, KeyState> {
    return this.#present;
  }

  statesOf(key: string): readonly KeyState[] {
    return this.#byKey.get(key) ?? [];
  }

  keys(): Iterable<string> {
    return this.#byKey.keys();
  }

  /** The server has passed `seq`, with or without a change of the collection. */
  reach(seq: number): void {
    this.#seq = seq;
    while ((this.#waiting[0]?.seq ?? Infinity) <= seq) this.#waiting.shift()?.resolve();
  }

  /** Resolves once everything up to `seq` is written down. */
  reached(seq: number): Promise<void> | undefined {
    if (seq <= this.#seq) return undefined;
    return new Promise((resolve) => {
      this.#waiting.push({ seq, resolve });
      this.#waiting.sort((left, right) => left.seq - right.seq);
    });
  }

  append(key: string, thing: Thing | undefined, version: string, seq: number): void {
    const state: KeyState = {
      key,
      index: this.log.length,
      thing,
      uid: thing?.metadata.uid ?? '',
      version,
      seq,
      unreadable: thing?.data.flaw === 'transform',
      unseen: thing === undefined && this.#present.get(key)?.unreadable === true,
      next: undefined,
    };
    this.log.push(state);
    this.#excused.push(false);
    const states = this.#byKey.get(key);
    if (states === undefined) {
      this.#byKey.set(key, [state]);
    } else {
      (states.at(-1) as KeyState).next = state;
      states.push(state);
    }
    if (thing === undefined) this.#present.delete(key);
    else this.#present.set(key, state);
    this.reach(seq);
  }

  /** The server is back at `seq` with exactly these objects. Changes that were undone need no notification. */
  restore(things: ReadonlyMap<string, Thing>, seq: number, version: string): void {
    const undoneFrom = this.placeAt(this.epoch, seq) + 1;
    (this.#epochs.at(-1) as Epoch).end = this.#seq;
    this.#epochs.push({ first: this.log.length, seq, end: Infinity });
    const gone = [...this.#present.values()].filter(
      ({ key, uid }) => things.get(key)?.metadata.uid !== uid,
    );
    for (const { key } of gone) this.append(key, undefined, version, seq);
    for (const [key, thing] of things) {
      if (this.#present.get(key)?.thing === thing) continue;
      this.append(key, thing, thing.metadata.resourceVersion as string, seq);
    }
    this.#seq = seq;
    this.#excused.fill(true, undoneFrom, this.log.length);
  }

  /** Whether the server was at `seq`, or past it, in an epoch. */
  hasReached(epoch: number, seq: number): boolean {
    return seq <= (this.#epochs[epoch] as Epoch).end;
  }

  /** The last place of the log that a server at `seq` shows; -1 before the first change. */
  placeAt(epoch: number, seq: number): number {
    const { first, seq: start } = this.#epochs[epoch] as Epoch;
    if (epoch > 0 && seq < start) return this.placeAt(epoch - 1, seq);
    let [low, high] = [first, this.#epochs[epoch + 1]?.first ?? this.log.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.log[middle] as KeyState).seq <= seq) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** A list stands in for the changes after one place up to another. */
  excuse(after: number, upTo: number): void {
    this.#excused.fill(true, after + 1, upTo + 1);
  }

  isExcused(index: number): boolean {
    const { unreadable, unseen } = this.log[index] as KeyState;
    return unreadable || unseen || this.#excused[index] === true;
  }

  /** How many objects that can be read there were at a place. */
  readableAt(place: number): number {
    const last = new Map<string, KeyState>();
    for (const state of this.log.slice(0, place + 1)) last.set(state.key, state);
    let count = 0;
    for (const { thing, unreadable } of last.values()) {
      if (thing !== undefined && !unreadable) count += 1;
    }
    return count;
  }
}
