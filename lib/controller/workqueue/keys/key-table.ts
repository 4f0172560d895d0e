/** The key needs no work. */
export const IDLE = 0;
/** The key waits for a worker. */
export const WAITING = 1;
/** A worker has taken the key. */
export const IN_WORK = 2;
/** A worker has taken the key, and it was added again since then. */
export const IN_WORK_AND_ADDED = 3;

/** Numbers, so that a state takes one byte per key. */
export type KeyState = typeof IDLE | typeof WAITING | typeof IN_WORK | typeof IN_WORK_AND_ADDED;

/** Number of slots that are allocated at a time; a power of two. */
const CHUNK = 64;
const CHUNK_BITS = 6;
const EMPTY_CHUNK: readonly undefined[] = Array.from({ length: CHUNK });

/**
 * The state of the keys of a work queue. A key is looked up once and gets a slot; everything else in the queue uses the slot.
 * There is one array per property instead of an object per key, so that the garbage collector does not have to move anything for
 * a hundred thousand waiting keys. Arrays are allocated in chunks, so that no large array is copied to make room for one more.
 *
 * Memory: one slot for each key of the largest number at a time. It never shrinks; its owner replaces it with a new table.
 */
export class KeyTable<K> {
  readonly #slots = new Map<K, number>();
  /** In chunks. */
  readonly #keys: (K | undefined)[][] = [];
  #states = new Uint8Array(CHUNK);
  /** Written only when metrics are measured; otherwise empty. */
  readonly #addedAtMs: number[] = [];
  /** Slots of removed keys. */
  readonly #freeSlots: number[] = [];
  #usedSlots = 0;

  /** Number of keys in the table, including idle ones. */
  get size(): number {
    return this.#usedSlots - this.#freeSlots.length;
  }

  slotOf(key: K): number | undefined {
    return this.#slots.get(key);
  }

  /** Gives a new key a slot, in state idle. */
  insert(key: K): number {
    const slot = this.#takeSlot();
    this.#slots.set(key, slot);
    this.#setKey(slot, key);
    return slot;
  }

  /** Removes an idle key. */
  forget(slot: number): void {
    this.#slots.delete(this.keyAt(slot));
    this.#setKey(slot, undefined);
    this.#freeSlots.push(slot);
  }

  keyAt(slot: number): K {
    return this.#keys[slot >>> CHUNK_BITS]?.[slot & (CHUNK - 1)] as K;
  }

  stateAt(slot: number): KeyState {
    return this.#states[slot] as KeyState;
  }

  setState(slot: number, state: KeyState): void {
    this.#states[slot] = state;
  }

  /** The time at which the key was last added, milliseconds; undefined if it is not measured. */
  addedAtMs(slot: number): number | undefined {
    return this.#addedAtMs[slot];
  }

  noteAdded(slot: number, atMs: number): void {
    this.#addedAtMs[slot] = atMs;
  }

  /** Copies a key and its state from another table; returns its slot here. The key must not be in this table yet. */
  copy(from: KeyTable<K>, slot: number): number {
    const here = this.insert(from.keyAt(slot));
    this.#states[here] = from.stateAt(slot);
    const addedAtMs = from.#addedAtMs[slot];
    if (addedAtMs !== undefined) this.#addedAtMs[here] = addedAtMs;
    return here;
  }

  #takeSlot(): number {
    if (this.#freeSlots.length > 0) return this.#freeSlots.pop() as number;
    const slot = this.#usedSlots;
    if (slot % CHUNK === 0) this.#grow();
    this.#usedSlots = slot + 1;
    return slot;
  }

  #setKey(slot: number, key: K | undefined): void {
    (this.#keys[slot >>> CHUNK_BITS] as (K | undefined)[])[slot & (CHUNK - 1)] = key;
  }

  #grow(): void {
    this.#keys.push(EMPTY_CHUNK.slice());
    if (this.#usedSlots < this.#states.length) return;
    const states = new Uint8Array(this.#states.length * 2);
    states.set(this.#states);
    this.#states = states;
  }
}
