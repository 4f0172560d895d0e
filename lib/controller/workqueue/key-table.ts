/** The key is not queued. */
export const IDLE = 0;
/** It waits for a worker. */
export const WAITING = 1;
/** A worker has it. */
export const IN_WORK = 2;
/** A worker has it, and it was added meanwhile. */
export const IN_WORK_AND_ADDED = 3;

/** Numbers: one byte a key. */
export type KeyState = typeof IDLE | typeof WAITING | typeof IN_WORK | typeof IN_WORK_AND_ADDED;

/** Slots for which memory is taken at a time; a power of two. */
const CHUNK = 256;
const CHUNK_BITS = 8;
const EMPTY_CHUNK: readonly undefined[] = Array.from({ length: CHUNK });

/**
 * The keys of a work queue and their state. A key has a slot, by which all the rest of its way through the queue finds it, so that
 * it is looked up once. Columns instead of objects: for a hundred thousand keys that wait, the garbage collector has nothing
 * to move; and no large array is copied to make room for one more.
 *
 * Memory: one slot for the most keys at a time. It never shrinks; its owner makes a new one with the keys it still wants.
 */
export class KeyTable<K> {
  readonly #slots = new Map<K, number>();
  /** In chunks. */
  readonly #keys: (K | undefined)[][] = [];
  #states = new Uint8Array(CHUNK);
  /** Written by those who measure, empty otherwise. */
  readonly #addedAtMs: number[] = [];
  /** Free slots of keys that were forgotten. */
  readonly #freeSlots: number[] = [];
  #usedSlots = 0;

  /** Keys that are known, idle ones among them. */
  get size(): number {
    return this.#usedSlots - this.#freeSlots.length;
  }

  slotOf(key: K): number | undefined {
    return this.#slots.get(key);
  }

  /** Gives a key that has none a slot, in which it is idle. */
  insert(key: K): number {
    const slot = this.#takeSlot();
    this.#slots.set(key, slot);
    this.#setKey(slot, key);
    return slot;
  }

  /** Takes out an idle key. */
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

  /** When the key was added, or added again, milliseconds; 0 if it was not noted. */
  addedAtMs(slot: number): number {
    return this.#addedAtMs[slot] ?? 0;
  }

  noteAdded(slot: number, atMs: number): void {
    this.#addedAtMs[slot] = atMs;
  }

  /** Copies a key with all that is known of it from another table; returns its slot here, where it must not be yet. */
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
