import { PriorityLanes } from './priority-lanes.ts';
import { SlotQueue } from './slot-queue.ts';
import type { TaskClock } from './task-clock.ts';

/** Slots over which the making of lanes is spread. */
const MANY = 256;

/**
 * The slots of a `KeyTable` that wait for a worker: a plain queue until the first slot has a priority, then lanes by priority, which
 * take more memory and time.
 */
export class WaitingSlots implements Iterable<number> {
  readonly #clock: TaskClock;
  readonly #ageingMs: number;
  readonly #inOrder = new SlotQueue();
  #lanes: PriorityLanes | undefined;
  /** Number of slots that the lanes have got. */
  #prioritisedPushes = 0;

  constructor(clock: TaskClock, ageingMs: number) {
    this.#clock = clock;
    this.#ageingMs = ageingMs;
  }

  get size(): number {
    return this.#lanes === undefined ? this.#inOrder.size : this.#lanes.size;
  }

  sizeOf(priority: number): number {
    return this.#lanes === undefined ? this.#inOrder.size : this.#lanes.sizeOf(priority);
  }

  /** The priority of a slot that waits or has waited. */
  priorityOf(slot: number): number {
    return this.#lanes === undefined ? 0 : this.#lanes.priorityOf(slot);
  }

  /** The time at which a slot came, or got its priority; undefined if no priorities are used. */
  enteredAtMs(slot: number): number | undefined {
    return this.#lanes?.enteredAtMs(slot);
  }

  push(slot: number, priority: number): void {
    if (this.#lanes === undefined && priority === 0) this.#inOrder.push(slot);
    else {
      this.#prioritised().push(slot, priority, this.#clock.nowMs);
      this.#prioritisedPushes += 1;
    }
  }

  /** Removes and returns the next slot; there must be one. */
  shift(): number {
    if (this.#lanes === undefined) return this.#inOrder.shift();
    return this.#lanes.shift(this.#clock.nowMs);
  }

  /** Gives a waiting slot a higher priority. */
  raise(slot: number, priority: number): void {
    this.#prioritised().move(slot, priority, this.#clock.nowMs);
  }

  /** Keeps the priority of a slot that does not wait. */
  note(slot: number, priority: number): void {
    if (this.#lanes !== undefined || priority !== 0) this.#prioritised().note(slot, priority);
  }

  /** By priority, and those of one priority in their order. */
  *[Symbol.iterator](): Generator<number> {
    yield* this.#lanes ?? this.#inOrder;
  }

  /** Removes and returns all slots, and frees their memory. */
  drain(): number[] {
    const slots = [...this];
    this.#inOrder.drain();
    this.#lanes = undefined;
    return slots;
  }

  /**
   * No key waits or is in work: the lanes are given up, unless so few slots came since they were made that making them again for the next
   * ones would be a noticeable part of the work.
   */
  rest(): void {
    if (this.#prioritisedPushes < MANY) return;
    this.#lanes = undefined;
    this.#prioritisedPushes = 0;
  }

  /** Gives the waiting slots other numbers. */
  renumber(numberOf: (slot: number) => number): void {
    if (this.#lanes !== undefined) this.#lanes = this.#lanes.renumbered(numberOf);
    else for (const slot of this.#inOrder.drain()) this.#inOrder.push(numberOf(slot));
  }

  #prioritised(): PriorityLanes {
    if (this.#lanes === undefined) {
      this.#lanes = new PriorityLanes(this.#ageingMs);
      for (const slot of this.#inOrder.drain()) this.#lanes.push(slot, 0, this.#clock.nowMs);
    }
    return this.#lanes;
  }
}
