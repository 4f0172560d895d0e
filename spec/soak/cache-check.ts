import type { SharedIndexInformer } from '../../lib/cache/informer/shared-index-informer.ts';
import type { Backend } from './backend.ts';
import type { Dice } from './dice.ts';
import type { History, KeyState } from './history.ts';
import type { Journal } from './journal.ts';
import type { Thing } from './thing.ts';

export interface CacheCheckOptions {
  readonly informer: SharedIndexInformer<Thing>;
  readonly backend: Backend;
  readonly journal: Journal;
  readonly dice: Dice;
  /** The cache follows the order of the history, and says where it is. */
  readonly ordered: boolean;
}

/**
 * Holds a cache against the history: it may be behind, but what it shows has to be what the server had at one moment, and a
 * later one with every read.
 */
export class CacheCheck {
  looks = 0;
  readonly #options: CacheCheckOptions;
  readonly #history: History;
  /** The index functions that the informer has, by name. */
  readonly indexing: Record<string, (thing: Thing) => readonly string[]> = {};
  /** The objects of the server at `#place`. */
  readonly #shadow = new Map<string, KeyState>();
  #place = -1;
  #epoch = 0;
  /** Without an order: the place of each key among its states. */
  readonly #places = new Map<string, number>();
  #lookedAt = '';

  constructor(options: CacheCheckOptions) {
    this.#options = options;
    this.#history = options.backend.history;
  }

  /** The place of the history that the cache shows; undefined when it cannot be said. */
  get place(): number | undefined {
    return this.#options.ordered ? this.#place : undefined;
  }

  /** Without an order: where each key is, among its states. */
  places(): ReadonlyMap<string, number> {
    return new Map(this.#places);
  }

  /** Looks at what has changed since the last look; at everything with `whole`. */
  look(whole: boolean): void {
    const { informer, ordered } = this.#options;
    if (!informer.synced) {
      if (informer.indexer.size > 0 && ordered) this.#fail('objects before the first list');
      return;
    }
    this.looks += 1;
    if (!ordered) {
      if (whole) this.#lookByKey();
      return;
    }
    const { resourceVersion } = informer.indexer;
    if (resourceVersion === this.#lookedAt && !whole) return;
    this.#lookedAt = resourceVersion;
    this.#advance(resourceVersion);
    if (whole) this.#compareAll();
  }

  /** Whether the cache has exactly what the server has now. */
  isCurrent(): boolean {
    const { indexer } = this.#options.informer;
    const { present } = this.#history;
    if (indexer.size !== present.size) return false;
    for (const [key, { thing }] of present) {
      const cached = indexer.get(key);
      if (cached === undefined || !isSame(cached, thing as Thing)) return false;
    }
    return true;
  }

  /** Describes the difference of a cache that is not current. */
  describeDifference(): string {
    const { informer } = this.#options;
    const { indexer } = informer;
    const { present } = this.#history;
    const wrong: string[] = [];
    for (const [key, { thing, version }] of present) {
      const cached = indexer.get(key);
      if (cached === undefined) wrong.push(`${key} is missing (${version})`);
      else if (!isSame(cached, thing as Thing))
        wrong.push(
          `${key} is ${cached.metadata.resourceVersion}/${cached.data.serial}, not ${version}/${thing?.data.serial}`,
        );
    }
    for (const key of indexer.keys()) if (!present.has(key)) wrong.push(`${key} is too much`);
    const { reflector, lastError, lastSyncResourceVersion } = informer.inspect();
    return `${wrong.slice(0, 5).join('; ')} (${wrong.length} in all; the reflector is ${reflector} at ${lastSyncResourceVersion}; ${lastError?.message ?? 'no error'})`;
  }

  /** Every index and the lister, against what they should be by going through all objects. */
  checkReaders(): void {
    const { informer } = this.#options;
    const all = informer.indexer.list();
    for (const [name, indexFunc] of Object.entries(this.indexing))
      this.#checkIndex(name, indexFunc, all);
    this.#checkIndex('namespace', ({ metadata }) => [metadata.namespace ?? ''], all);
    const front = all.filter(({ metadata }) => metadata.labels?.['tier'] === 'front');
    this.#expectSame('lister with labels', informer.lister.list({ labels: 'tier=front' }), front);
    const namespace = all[0]?.metadata.namespace ?? 'ns-0';
    const local = all.filter(({ metadata }) => metadata.namespace === namespace);
    this.#expectSame('lister of a namespace', informer.lister.namespace(namespace).list(), local);
    const some = all[0];
    if (some === undefined) return;
    const { name } = some.metadata;
    const found = informer.lister.namespace(namespace).get(name);
    if (found === undefined || stateOf(found) !== stateOf(some))
      this.#fail(`the lister does not find ${namespace}/${name}`);
  }

  #checkIndex(
    name: string,
    indexFunc: (thing: Thing) => readonly string[],
    all: readonly Thing[],
  ): void {
    const { indexer } = this.#options.informer;
    const expected = new Map<string, Set<Thing>>();
    for (const thing of all) {
      for (const value of valuesOf(indexFunc, thing)) {
        const things = expected.get(value);
        if (things === undefined) expected.set(value, new Set([thing]));
        else things.add(thing);
      }
    }
    const values = indexer.indexValues(name);
    if (values.length !== expected.size)
      this.#fail(`index ${name} has ${values.length} values, not ${expected.size}`);
    for (const [value, things] of expected) {
      this.#expectSame(`index ${name}=${value}`, indexer.byIndex(name, value), [...things]);
      if (indexer.indexKeys(name, value).length !== things.size)
        this.#fail(`index ${name}=${value} has the wrong number of keys`);
    }
  }

  #expectSame(what: string, actual: readonly Thing[], expected: readonly Thing[]): void {
    const wanted = new Set(expected.map(stateOf));
    if (actual.length === wanted.size && actual.every((thing) => wanted.has(stateOf(thing))))
      return;
    this.#fail(`${what} gives ${actual.length} objects, not the ${wanted.size} it should`);
  }

  /** Finds out which moment the cache shows: one at its resource version, of this epoch or a later one. */
  #advance(resourceVersion: string): void {
    const { backend } = this.#options;
    const seq = backend.seqOf(resourceVersion);
    let reason = '';
    for (let epoch = this.#epoch; epoch <= this.#history.epoch; epoch += 1) {
      if (!this.#history.hasReached(epoch, seq)) continue;
      const place = this.#history.placeAt(epoch, seq);
      if (place < this.#place) {
        reason ||= `it went back to ${resourceVersion}`;
        continue;
      }
      const wrong = this.#differenceAt(place);
      if (wrong === undefined) {
        this.#commit(place);
        this.#epoch = epoch;
        return;
      }
      reason = wrong;
    }
    this.#fail(`at ${resourceVersion} ${reason}`);
  }

  /** The differences between the cache and the state at `place`. */
  #differenceAt(place: number): string | undefined {
    const { indexer } = this.#options.informer;
    const dirty = new Map<string, KeyState>();
    for (let index = this.#place + 1; index <= place; index += 1) {
      const state = this.#history.log[index] as KeyState;
      dirty.set(state.key, state);
    }
    let size = this.#shadow.size;
    for (const [key, state] of dirty) {
      size += (state.thing === undefined ? 0 : 1) - (this.#shadow.has(key) ? 1 : 0);
      const wrong = this.#differs(state);
      if (wrong !== undefined) return wrong;
    }
    // Versions that were given out twice need a closer look, and so do objects that may be there or not.
    if (this.#history.epoch === 0 && indexer.size === size) return undefined;
    const [states, doubtful] = [new Map([...this.#shadow, ...dirty]), new Set<string>()];
    let present = 0;
    for (const [key, state] of states) {
      if (isDoubtful(state)) doubtful.add(key);
      else if (state.thing !== undefined) present += 1;
      const wrong = this.#differs(state);
      if (wrong !== undefined) return wrong;
    }
    for (const key of doubtful) if (indexer.has(key)) present += 1;
    return indexer.size === present ? undefined : `it has ${indexer.size} objects, not ${present}`;
  }

  #commit(place: number): void {
    for (let index = this.#place + 1; index <= place; index += 1) {
      const state = this.#history.log[index] as KeyState;
      if (state.thing === undefined) this.#shadow.delete(state.key);
      else this.#shadow.set(state.key, state);
    }
    this.#place = place;
  }

  #differs(state: KeyState): string | undefined {
    const { key, thing, version } = state;
    const cached = this.#options.informer.indexer.get(key);
    if (isDoubtful(state)) {
      if (cached === undefined || this.#wasBy(state, cached)) return undefined;
      return `it has "${key}" at ${cached.metadata.resourceVersion}/${cached.data.serial}, which is yet to come`;
    }
    if (thing === undefined) return cached === undefined ? undefined : `it still has "${key}"`;
    if (cached === undefined) return `it does not have "${key}"`;
    if (isSame(cached, thing)) return undefined;
    return `it has "${key}" at ${cached.metadata.resourceVersion}/${cached.data.serial}, not ${version}/${thing.data.serial}`;
  }

  /** Whether a key has been as it is cached, in this state or before. */
  #wasBy({ key, index }: KeyState, cached: Thing): boolean {
    return this.#history
      .statesOf(key)
      .some((one) => one.index <= index && one.thing !== undefined && isSame(cached, one.thing));
  }

  #compareAll(): void {
    for (const state of this.#shadow.values()) {
      const wrong = this.#differs(state);
      if (wrong === undefined) continue;
      this.#fail(`at ${this.#lookedAt} ${wrong}`);
      return;
    }
  }

  /** Each key for itself: what is cached has to come after what was cached. */
  #lookByKey(): void {
    const { indexer } = this.#options.informer;
    for (const key of this.#history.keys()) {
      const cached = indexer.get(key);
      const states = this.#history.statesOf(key);
      let at = this.#places.get(key) ?? -1;
      if (at === -1 && cached === undefined) continue;
      const fits = (state: KeyState | undefined): boolean =>
        state !== undefined &&
        (cached === undefined
          ? state.thing === undefined
          : state.thing !== undefined && isSame(cached, state.thing));
      const before = at;
      if (at < 0) at = 0;
      while (at < states.length && !fits(states[at])) at += 1;
      if (at === states.length) {
        const now = cached === undefined ? 'nothing' : cached.metadata.resourceVersion;
        this.#fail(`"${key}" is ${now} after ${states[before]?.version ?? 'nothing'}`);
        return;
      }
      this.#places.set(key, at);
    }
    for (const key of indexer.keys()) {
      if (this.#history.statesOf(key).length === 0) this.#fail(`"${key}" never was`);
    }
  }

  #fail(what: string): void {
    this.#options.journal.fail(`cache: ${what}`);
  }
}

/** An object that cannot be read stays as it was, and its deletion leaves the version of the cache as it was. */
function isDoubtful({ unreadable, next }: KeyState): boolean {
  return unreadable || next?.unreadable === true;
}

/** Names a state of an object: a cache of bytes may give another object each time. */
function stateOf({ metadata, data }: Thing): string {
  return `${metadata.namespace}/${metadata.name} ${metadata.uid} ${metadata.resourceVersion} ${data.serial}`;
}

function isSame(cached: Thing, thing: Thing): boolean {
  return (
    cached.data.serial === thing.data.serial &&
    cached.metadata.resourceVersion === thing.metadata.resourceVersion &&
    cached.metadata.uid === thing.metadata.uid &&
    cached.metadata.labels?.['app'] === thing.metadata.labels?.['app']
  );
}

function valuesOf(
  indexFunc: (thing: Thing) => readonly string[],
  thing: Thing,
): ReadonlySet<string> {
  try {
    return new Set(indexFunc(thing));
  } catch {
    return new Set();
  }
}
