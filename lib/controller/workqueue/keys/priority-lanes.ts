/** Of each this many keys that are taken, one is the key that waits longest, if it has aged. */
export const AGED_SHARE = 10;

/** Minimum number of empty lanes that are kept: a lane is used again and again. */
const SPARE_LANES = 16;

const SMALLEST = 64;
const NONE = -1;

interface Lane {
  readonly priority: number;
  first: number;
  last: number;
  size: number;
}

/**
 * Slots of a `KeyTable` in the order of their priorities, those of one priority in the order in which they came. A lane is a list
 * linked by arrays of numbers, so that a slot can change its lane in constant time.
 *
 * Ageing: of ten slots that are taken, one is the slot that has waited longest, if it has waited for `ageingMs`.
 *
 * Memory: 20 bytes for each slot of the largest number, at most as much again, and an object for each priority in use. Taking a slot takes time for each
 * priority in use, so there should be few.
 */
export class PriorityLanes {
  readonly #ageingMs: number;
  #next = new Int32Array(SMALLEST);
  #previous = new Int32Array(SMALLEST);
  #priorities = new Int32Array(SMALLEST);
  #enteredAtMs = new Float64Array(SMALLEST);
  /** The highest priority first. */
  readonly #lanes: Lane[] = [];
  #size = 0;
  /** Slots taken by priority since one was taken by age. */
  #byPriority = 0;

  constructor(ageingMs: number) {
    this.#ageingMs = ageingMs;
  }

  get size(): number {
    return this.#size;
  }

  sizeOf(priority: number): number {
    return this.#lanes.find((lane) => lane.priority === priority)?.size ?? 0;
  }

  /** The priorities in use, the highest first; some may have no slot now. */
  get priorities(): readonly number[] {
    return this.#lanes.map(({ priority }) => priority);
  }

  priorityOf(slot: number): number {
    return this.#priorities[slot] ?? 0;
  }

  enteredAtMs(slot: number): number {
    return this.#enteredAtMs[slot] ?? 0;
  }

  /** Keeps the priority of a slot that does not wait. */
  note(slot: number, priority: number): void {
    this.#reserve(slot);
    this.#priorities[slot] = priority;
  }

  push(slot: number, priority: number, nowMs: number): void {
    this.note(slot, priority);
    const lane = this.#laneOf(priority);
    this.#enteredAtMs[slot] = nowMs;
    this.#next[slot] = NONE;
    this.#previous[slot] = lane.last;
    if (lane.last === NONE) lane.first = slot;
    else this.#next[lane.last] = slot;
    lane.last = slot;
    lane.size += 1;
    this.#size += 1;
  }

  /** Gives a waiting slot another priority; it is the last of its new lane. */
  move(slot: number, priority: number, nowMs: number): void {
    this.#unlink(slot, this.#laneOf(this.priorityOf(slot)));
    this.push(slot, priority, nowMs);
  }

  /** Removes and returns the next slot; there must be one. */
  shift(nowMs: number): number {
    const lane = this.#nextLane(nowMs);
    const slot = lane.first;
    this.#unlink(slot, lane);
    return slot;
  }

  /** The waiting slots by priority. */
  *[Symbol.iterator](): Generator<number> {
    for (const { first } of this.#lanes) {
      for (let slot = first; slot !== NONE; slot = this.#next[slot] as number) yield slot;
    }
  }

  /** The waiting slots under other numbers. */
  renumbered(numberOf: (slot: number) => number): PriorityLanes {
    const lanes = new PriorityLanes(this.#ageingMs);
    for (const slot of this) {
      lanes.push(numberOf(slot), this.priorityOf(slot), this.enteredAtMs(slot));
    }
    lanes.#byPriority = this.#byPriority;
    return lanes;
  }

  #nextLane(nowMs: number): Lane {
    let highest: Lane | undefined;
    let oldest: Lane | undefined;
    for (const lane of this.#lanes) {
      if (lane.size === 0) continue;
      highest ??= lane;
      oldest = oldest === undefined || this.#age(lane) < this.#age(oldest) ? lane : oldest;
    }
    if (highest === undefined || oldest === undefined) throw new RangeError('no slot waits');
    if (oldest === highest) return highest;
    this.#byPriority += 1;
    const aged = nowMs - this.#age(oldest) >= this.#ageingMs;
    if (this.#byPriority < AGED_SHARE || !aged) return highest;
    this.#byPriority = 0;
    return oldest;
  }

  /** The time at which the first slot of a lane came. */
  #age(lane: Lane): number {
    return this.#enteredAtMs[lane.first] as number;
  }

  #unlink(slot: number, lane: Lane): void {
    const next = this.#next[slot] as number;
    const previous = this.#previous[slot] as number;
    if (previous === NONE) lane.first = next;
    else this.#next[previous] = next;
    if (next === NONE) lane.last = previous;
    else this.#previous[next] = previous;
    lane.size -= 1;
    this.#size -= 1;
  }

  #laneOf(priority: number): Lane {
    for (const lane of this.#lanes) if (lane.priority === priority) return lane;
    const lane: Lane = { priority, first: NONE, last: NONE, size: 0 };
    if (this.#lanes.length >= SPARE_LANES) this.#dropEmpty();
    this.#lanes.push(lane);
    this.#lanes.sort((one, other) => other.priority - one.priority);
    return lane;
  }

  #dropEmpty(): void {
    const kept = this.#lanes.filter(({ size }) => size > 0);
    this.#lanes.splice(0, this.#lanes.length, ...kept);
  }

  #reserve(slot: number): void {
    const { length } = this.#next;
    if (slot < length) return;
    const capacity = Math.max(length * 2, slot + 1);
    this.#next = enlarged(this.#next, capacity);
    this.#previous = enlarged(this.#previous, capacity);
    this.#priorities = enlarged(this.#priorities, capacity);
    const enteredAtMs = new Float64Array(capacity);
    enteredAtMs.set(this.#enteredAtMs);
    this.#enteredAtMs = enteredAtMs;
  }
}

function enlarged(numbers: Int32Array, capacity: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(capacity);
  larger.set(numbers);
  return larger;
}
