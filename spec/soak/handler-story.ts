import type { ObjectMeta } from '../../lib/meta/object.ts';
import type { History, KeyState } from './history.ts';
import type { Journal } from './journal.ts';

export interface StoryOptions {
  readonly name: string;
  readonly history: History;
  readonly journal: Journal;
  /** Whether every change needs a notification, in the order of the history. */
  readonly ordered: boolean;
  readonly wantsResyncs: boolean;
  /** Whether it knows objects by uid and version alone. */
  readonly byVersion: boolean;
  /** Whether changes may be merged because it is slow. */
  readonly coalesces: boolean;
  /** The content of the cache when the handler joined: resource versions by key. */
  readonly snapshot: ReadonlyMap<string, string>;
  /** The place in the history that the cache showed when the handler joined, if that can be said. */
  readonly joinedAt: number | undefined;
  /** Otherwise, where each key was among its states. */
  readonly joinedPlaces: ReadonlyMap<string, number>;
  /** Whether the informer had its first list by then. */
  readonly joinedSynced: boolean;
  /** The object of a key in the cache at this moment. */
  readonly cached: (key: string) => ObjectMeta | undefined;
  readonly informerSynced: () => boolean;
  /** The place in the history of the first list. */
  readonly firstListPlace: () => number | undefined;
}

interface Notified {
  /** Place in the states of the key. */
  at: number;
  present: boolean;
  /** The place in the log of the first state of a notification. */
  readonly firstIndex: number;
}

/** The notifications of one handler, compared with the history as they come. */
export class HandlerStory {
  events = 0;
  initials = 0;
  resyncs = 0;
  /** It was removed, or its informer has stopped. */
  over = false;
  readonly name: string;
  readonly #options: StoryOptions;
  readonly #keys = new Map<string, Notified>();
  readonly #notified: boolean[] = [];
  #newest = -1;
  #running = 0;
  /** Initial additions whose callback has returned. */
  #initialsDone = 0;
  #inInitial = false;
  #syncChecked = false;
  /** Says whether the registration calls itself synced. */
  isSynced: () => boolean = () => false;

  constructor(options: StoryOptions) {
    this.#options = options;
    this.name = options.name;
  }

  get idle(): boolean {
    return this.#running === 0;
  }

  added(key: string, serial: string | undefined, meta: ObjectMeta, initial: boolean): void {
    this.#called('add', key, meta, serial);
    this.#checkInitial(key, meta, initial);
    const notified = this.#keys.get(key);
    if (notified?.present === true) this.#fail(`an add of "${key}", which it had already`);
    const at = this.#find(key, notified, (one) => isState(one, serial, meta));
    if (at < 0) {
      this.#fail(`an add of "${key}" at ${meta.resourceVersion}: ${this.#about(key, notified)}`);
      return;
    }
    this.#notify(key, notified, at, true);
  }

  updated(
    key: string,
    { old, oldMeta, resync }: { old: string | undefined; oldMeta: ObjectMeta; resync: boolean },
    serial: string | undefined,
    meta: ObjectMeta,
  ): void {
    this.#called(resync ? 'resync' : 'update', key, meta, serial);
    this.#checkSnapshotComplete(key);
    const notified = this.#keys.get(key);
    const states = this.#options.history.statesOf(key);
    const last = notified === undefined ? undefined : states[notified.at];
    if (notified?.present !== true || last === undefined) {
      this.#fail(`an update of "${key}", which it did not have`);
      return;
    }
    if (!isState(last, old, oldMeta)) {
      this.#fail(
        `an update of "${key}" from ${oldMeta.resourceVersion}, but it had ${last.version} last`,
      );
    }
    if (resync) {
      this.resyncs += 1;
      if (!this.#options.wantsResyncs) this.#fail(`a resync of "${key}", though it wants none`);
      if (!isState(last, serial, meta))
        this.#fail(`a resync of "${key}" at ${meta.resourceVersion}, but it had ${last.version}`);
      return;
    }
    if (meta.uid !== last.uid) this.#fail(`an update of "${key}" into another object`);
    const at = this.#find(key, notified, (one) => isState(one, serial, meta));
    if (at < 0) {
      this.#fail(`an update of "${key}" to ${meta.resourceVersion}: ${this.#about(key, notified)}`);
      return;
    }
    this.#notify(key, notified, at, true);
  }

  deleted(key: string, meta: ObjectMeta, finalStateUnknown: boolean): void {
    this.#called(finalStateUnknown ? 'delete?' : 'delete', key, meta, undefined);
    this.#checkSnapshotComplete(key);
    const notified = this.#keys.get(key);
    const states = this.#options.history.statesOf(key);
    const last = notified === undefined ? undefined : states[notified.at];
    if (notified?.present !== true || last === undefined) {
      // The last state of an object that could never be read.
      if (!states.some(({ unreadable }) => unreadable))
        this.#fail(`a deletion of "${key}", which it did not have`);
    } else if (meta.uid !== last.uid) {
      this.#fail(`a deletion of "${key}" with uid ${meta.uid}, but it had ${last.uid}`);
    }
    const at = this.#find(
      key,
      notified,
      ({ thing, version }) =>
        thing === undefined && (finalStateUnknown || version === meta.resourceVersion),
    );
    if (at < 0) {
      this.#fail(
        `a deletion of "${key}" at ${meta.resourceVersion}: ${this.#about(key, notified)}`,
      );
      return;
    }
    this.#notify(key, notified, at, false);
  }

  /** A callback has come to its end. */
  returned(): void {
    this.#running -= 1;
    if (this.#inInitial) this.#initialsDone += 1;
    this.#inInitial = false;
  }

  /** A handler that is synced has seen all objects of the start. */
  checkSynced(): void {
    if (this.#syncChecked || !this.isSynced()) return;
    this.#syncChecked = true;
    const { snapshot, joinedSynced, history, ordered, informerSynced } = this.#options;
    if (!informerSynced()) this.#fail('synced, but its informer is not');
    let needed = snapshot.size;
    if (!joinedSynced) {
      const place = this.#options.firstListPlace();
      needed = place === undefined ? 0 : history.readableAt(place);
      if (ordered && this.initials > needed)
        this.#fail(`${this.initials} initial additions for ${needed} objects`);
    }
    if (this.#initialsDone < needed)
      this.#fail(`synced after ${this.#initialsDone} of ${needed} initial additions`);
  }

  /** At the end: it knows exactly what is there, and nothing was kept from it. */
  checkEnd(coalesced: number): void {
    const { history } = this.#options;
    for (const key of history.keys()) {
      const state = history.present.get(key);
      const notified = this.#keys.get(key);
      const last = notified?.present === true ? history.statesOf(key)[notified.at] : undefined;
      if (last?.version === state?.version && last?.uid === state?.uid) continue;
      this.#fail(
        `at the end it takes "${key}" for ${last?.version ?? 'absent'}, which is ${state?.version ?? 'absent'}`,
      );
    }
    if (coalesced === 0) this.checkComplete(history.log.length - 1);
  }

  /** Every change up to a place was notified, but for those that a list stood in for. */
  checkComplete(upTo: number): void {
    const { history, joinedAt } = this.#options;
    for (let index = (joinedAt ?? -1) + 1; index <= upTo; index += 1) {
      if (this.#notified[index] === true || history.isExcused(index)) continue;
      const { key, version, thing } = history.log[index] as KeyState;
      if (joinedAt === undefined && index <= (this.#keys.get(key)?.firstIndex ?? Infinity))
        continue;
      this.#fail(
        `was never notified that "${key}" ${thing ? 'changed' : 'was deleted'} at ${version}`,
      );
      return;
    }
  }

  /** In the middle: its notifications have no gap. */
  checkLeft(): void {
    const { ordered, coalesces } = this.#options;
    if (ordered && !coalesces) this.checkComplete(this.#newest);
  }

  #called(what: string, key: string, meta: ObjectMeta, serial: string | undefined): void {
    const { journal } = this.#options;
    this.events += 1;
    this.checkSynced();
    if (this.over) this.#fail(`${what} of "${key}" after it was removed`);
    if (this.#running > 0) this.#fail(`${what} of "${key}" before the last callback had returned`);
    this.#running += 1;
    journal.trace?.(
      `${this.name} ${what} ${key} ${meta.uid} @${meta.resourceVersion} ${serial ?? ''}`,
    );
  }

  #checkInitial(key: string, meta: ObjectMeta, initial: boolean): void {
    const { snapshot, joinedSynced } = this.#options;
    if (this.events <= snapshot.size) {
      if (!initial) this.#fail(`an add of "${key}" that is not initial, before it has the cache`);
      if (snapshot.get(key) !== meta.resourceVersion)
        this.#fail(
          `joined with "${key}" at ${meta.resourceVersion}; the cache had ${snapshot.get(key)}`,
        );
    } else if (initial && (joinedSynced || this.isSynced())) {
      this.#fail(`an initial add of "${key}" after all of them`);
    }
    if (!initial) return;
    this.initials += 1;
    this.#inInitial = true;
  }

  #checkSnapshotComplete(key: string): void {
    const { snapshot } = this.#options;
    if (this.events <= snapshot.size)
      this.#fail(
        `was notified of a change of "${key}" before it had all ${snapshot.size} of the cache`,
      );
  }

  /** The cache shows what the callback is about, or something later. */
  #checkCache(key: string, state: KeyState): void {
    const { history, cached } = this.#options;
    const meta = cached(key);
    const version = meta?.resourceVersion;
    if (meta === undefined) {
      if (state.thing === undefined) return;
    } else if (version === state.version && meta.uid === state.uid) {
      return;
    }
    const states = history.statesOf(key);
    for (let at = states.length - 1; at >= 0; at -= 1) {
      const one = states[at] as KeyState;
      if (one.index <= state.index) break;
      if (meta === undefined ? one.thing === undefined : one.version === version) return;
    }
    this.#fail(
      `notified of ${state.version} of "${key}" while the cache shows ${version ?? 'nothing'}`,
    );
  }

  /** The next place after the last notification, among the states of the key; -1 for none. */
  #find(key: string, notified: Notified | undefined, fits: (state: KeyState) => boolean): number {
    const states = this.#options.history.statesOf(key);
    const { joinedAt = -1, joinedPlaces, snapshot } = this.#options;
    let at = notified === undefined ? (joinedPlaces.get(key) ?? 0) : notified.at + 1;
    if (notified === undefined && joinedAt >= 0) {
      while (at < states.length && (states[at] as KeyState).index <= joinedAt) at += 1;
      // The object from when it joined; one that cannot be read stays unchanged.
      if (this.events <= snapshot.size) {
        do at -= 1;
        while (at >= 0 && !fits(states[at] as KeyState));
        return at;
      }
    }
    while (at < states.length && !fits(states[at] as KeyState)) at += 1;
    return at < states.length ? at : -1;
  }

  #notify(key: string, notified: Notified | undefined, at: number, present: boolean): void {
    const { history, ordered, coalesces, snapshot } = this.#options;
    const state = history.statesOf(key)[at] as KeyState;
    const { index } = state;
    if (notified === undefined) {
      this.#keys.set(key, { at, present, firstIndex: index });
    } else {
      notified.at = at;
      notified.present = present;
    }
    while (this.#notified.length <= index) this.#notified.push(false);
    this.#notified[index] = true;
    if ((this.#options.byVersion || !present) && history.epoch > 0) this.#notifyCopies(state);
    if (index > this.#newest) {
      this.#newest = index;
    } else if (ordered && !coalesces && this.events > snapshot.size && !history.isExcused(index)) {
      this.#fail(`notified of ${state.version} of "${key}" after something later`);
    }
    this.#checkCache(key, state);
  }

  /** After a restore a version can be given out again; uid and version alone do not distinguish the two. */
  #notifyCopies({ next, uid, version }: KeyState): void {
    for (let state = next; state !== undefined; state = state.next) {
      if (state.uid !== uid || state.version !== version) continue;
      while (this.#notified.length <= state.index) this.#notified.push(false);
      this.#notified[state.index] = true;
    }
  }

  #about(key: string, notified: Notified | undefined): string {
    const states = this.#options.history.statesOf(key);
    const last = notified === undefined ? 'nothing yet' : states[notified.at]?.version;
    const story = states.slice(Math.max(0, (notified?.at ?? 0) - 2)).slice(0, 8);
    const versions = story.map(({ version, thing }) => (thing ? version : `-${version}`));
    return `it had ${last}; the history goes ${versions.join(' ')}`;
  }

  #fail(what: string): void {
    this.#options.journal.fail(`${this.name}: ${what}`);
  }
}

function isState(state: KeyState, serial: string | undefined, meta: ObjectMeta): boolean {
  if (state.thing === undefined) return false;
  if (serial !== undefined && state.thing.data.serial !== serial) return false;
  return state.version === meta.resourceVersion && state.uid === meta.uid;
}
