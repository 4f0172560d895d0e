import { NO_NUMBER } from './key-note.ts';

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
const CHUNK = 32;
const CHUNK_BITS = 5;
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
  /** The note of each key, in chunks; a chunk is made for its first note. */
  readonly #notes: (unknown[] | undefined)[] = [];
  /** By number, slots of numbered keys; 0 also stands for none. A number may be another key's by now, so the key is checked. */
  #numbered: Uint32Array | undefined;
  /** Slots of removed keys. */
  readonly #freeSlots: number[] = [];
  #usedSlots = 0;

  /** Number of keys in the table, including idle ones. */
  get size(): number {
    return this.#usedSlots - this.#freeSlots.length;
  }

  /** `number`: that of the key, if it has one: it saves the search, which reads memory that is far apart. */
  slotOf(key: K, number: number = NO_NUMBER): number | undefined {
    if (number === NO_NUMBER) return this.#slots.get(key);
    const guess = this.#numbered?.[number];
    if (guess !== undefined && this.keyAt(guess) === key) return guess;
    const slot = this.#slots.get(key);
    if (slot !== undefined) this.#number(slot, number);
    return slot;
  }

  /** Gives a new key a slot, in state idle. */
  insert(key: K, number: number = NO_NUMBER): number {
    const slot = this.#takeSlot();
    if (number !== NO_NUMBER) this.#number(slot, number);
    this.#slots.set(key, slot);
    this.#setKey(slot, key);
    return slot;
  }

  /** Removes an idle key. */
  forget(slot: number): void {
    this.#slots.delete(this.keyAt(slot));
    this.#setKey(slot, undefined);
    this.takeNote(slot);
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

  noteAt(slot: number): unknown {
    return this.#notes[slot >>> CHUNK_BITS]?.[slot & (CHUNK - 1)];
  }

  setNote(slot: number, note: unknown): void {
    (this.#notes[slot >>> CHUNK_BITS] ??= EMPTY_CHUNK.slice())[slot & (CHUNK - 1)] = note;
  }

  /** Returns and removes the note. */
  takeNote(slot: number): unknown {
    const chunk = this.#notes[slot >>> CHUNK_BITS];
    const place = slot & (CHUNK - 1);
    const note = chunk?.[place];
    if (note !== undefined && chunk !== undefined) chunk[place] = undefined;
    return note;
  }

  /** Copies a key, its state and its note from another table; returns its slot here. The key must not be in this table yet. */
  copy(from: KeyTable<K>, slot: number): number {
    const here = this.insert(from.keyAt(slot));
    this.#states[here] = from.stateAt(slot);
    const addedAtMs = from.#addedAtMs[slot];
    if (addedAtMs !== undefined) this.#addedAtMs[here] = addedAtMs;
    const note = from.noteAt(slot);
    if (note !== undefined) this.setNote(here, note);
    return here;
  }

  #number(slot: number, number: number): void {
    const known = this.#numbered;
    if (known === undefined || number >= known.length) {
      // Numbers are dense, so the array becomes about as long as the largest number of keys.
      this.#numbered = new Uint32Array(Math.max(CHUNK, 2 ** Math.ceil(Math.log2(number + 1))));
      if (known !== undefined) this.#numbered.set(known);
    }
    (this.#numbered as Uint32Array)[number] = slot;
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
