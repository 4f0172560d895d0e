import { isListwatchError, ListwatchError } from '../../../kernel/failure/errors.ts';
import {
  prefixEnd,
  type KeyValue,
  type KeyValueStore,
} from '../../mvcc/contract/key-value-store.ts';

/** All objects of a server at one moment; see `ApiServer.snapshot`. It shares their bytes with the server. */
export interface ServerSnapshot {
  /** The version of the state. */
  readonly resourceVersion: string;
  readonly objectCount: number;
}

interface Content {
  /** Its revisions say which objects have not changed since. */
  readonly store: KeyValueStore;
  readonly items: readonly KeyValue[];
}

const ROOT = '/registry/';

/** Objects that others need: they are restored first and removed last. */
const NEEDED_BY_OTHERS = [
  '/registry/apiextensions.k8s.io/customresourcedefinitions/',
  '/registry/namespaces/',
];

/** Its content is private, so that neither `inspect` nor `JSON.stringify` prints the objects. */
class KeptState implements ServerSnapshot {
  readonly resourceVersion: string;
  readonly objectCount: number;
  readonly #content: Content;

  constructor(resourceVersion: string, content: Content) {
    this.resourceVersion = resourceVersion;
    this.objectCount = content.items.length;
    this.#content = content;
  }

  static is(value: object): value is KeptState {
    return #content in value;
  }

  static contentOf(snapshot: ServerSnapshot): Content {
    return (snapshot as KeptState).#content;
  }
}

export async function takeSnapshot(store: KeyValueStore): Promise<ServerSnapshot> {
  const { items, revision } = await store.range({ key: ROOT, rangeEnd: prefixEnd(ROOT) });
  return new KeptState(revision.toString(), { store, items });
}

/** The state to which a server of its own store returns. */
export class InitialState {
  readonly #store: KeyValueStore;
  #snapshot: ServerSnapshot | undefined;

  constructor(store: KeyValueStore) {
    this.#store = store;
  }

  /** Undefined before `take`. */
  get snapshot(): ServerSnapshot | undefined {
    return this.#snapshot;
  }

  /** Keeps the present state. */
  async take(): Promise<void> {
    this.#snapshot = await takeSnapshot(this.#store);
  }

  /** Adds the objects below a prefix, which belong to it though they were stored later. No effect before `take`. */
  async add(prefix: string): Promise<void> {
    const before = this.#snapshot;
    if (before === undefined) return;
    const { items } = KeptState.contentOf(before);
    const added = await this.#store.range({ key: prefix, rangeEnd: prefixEnd(prefix) });
    const all = [...items, ...added.items];
    this.#snapshot = new KeptState(before.resourceVersion, { store: this.#store, items: all });
  }
}

/**
 * Writes what differs between the present state and a snapshot, each object in a revision of its own, so that a watch that breaks
 * off resumes between two of them. In an embedded store nothing comes between these writes.
 */
export async function restoreSnapshot(
  store: KeyValueStore,
  snapshot: ServerSnapshot,
): Promise<void> {
  const { items: wanted, store: source } = KeptState.contentOf(snapshot);
  const { items: present } = await store.range({ key: ROOT, rangeEnd: prefixEnd(ROOT) });
  const before = new Map(present.map((item) => [item.key, item]));
  const writes: Promise<unknown>[] = [];
  for (const item of inOrderOfNeed(wanted)) {
    const old = before.get(item.key);
    before.delete(item.key);
    if (old !== undefined && isSame(old, item, source === store)) continue;
    writes.push(put(store, item));
  }
  for (const { key } of inOrderOfNeed([...before.values()]).toReversed()) {
    writes.push(store.txn({ compare: [], success: [{ type: 'delete', key }] }));
  }
  await Promise.all(writes);
}

/** @throws {ListwatchError} code INVALID_OPTION for something else than a snapshot of this process. */
export function checkSnapshot(value: unknown): asserts value is ServerSnapshot {
  if (typeof value === 'object' && value !== null && KeptState.is(value)) return;
  const message = 'restore: the argument must be the result of snapshot() in this process';
  throw new ListwatchError('INVALID_OPTION', message);
}

/** @throws {ListwatchError} code INVALID_OPTION for a server of another store than its own. */
export function initialSnapshot(initial: InitialState | undefined): ServerSnapshot {
  if (initial?.snapshot !== undefined) return initial.snapshot;
  const message =
    'reset: a server with option "keyValueStore" does not know an empty state; take a snapshot() of the state to return to, and restore() it';
  throw new ListwatchError('INVALID_OPTION', message);
}

function isSame(present: KeyValue, wanted: KeyValue, sameStore: boolean): boolean {
  if (sameStore && present.modRevision === wanted.modRevision) return true;
  return present.lease === wanted.lease && Buffer.compare(present.value, wanted.value) === 0;
}

/** An object whose time to live has ended since the snapshot has no lease any more, and is left out. */
async function put(store: KeyValueStore, { key, value, lease }: KeyValue): Promise<void> {
  try {
    await store.txn({ compare: [], success: [{ type: 'put', key, value, lease }] });
  } catch (error) {
    if (!isListwatchError(error, 'LEASE_NOT_FOUND')) throw error;
  }
}

function inOrderOfNeed(items: readonly KeyValue[]): KeyValue[] {
  const rankOf = ({ key }: KeyValue): number => {
    const index = NEEDED_BY_OTHERS.findIndex((prefix) => key.startsWith(prefix));
    return index < 0 ? NEEDED_BY_OTHERS.length : index;
  };
  return items.toSorted((left, right) => rankOf(left) - rankOf(right));
}
