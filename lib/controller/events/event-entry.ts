import { randomInteger, randomUuid } from '../../kernel/time/random.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { EventFact } from './event-fact.ts';

/** The namespace of events about objects that have none. */
const OF_CLUSTER_OBJECTS = 'default';
const LEGAL_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LONGEST_NAME = 253;

/** One event on the server, and how often it was seen since it was written. */
export class EventEntry {
  readonly key: string;
  readonly fact: EventFact;
  readonly namespace: string;
  /** The note of the last occurrence. */
  note: string;
  /** Wall time, milliseconds. */
  readonly firstMs: number;
  lastMs: number;
  count = 1;
  /** By the monotonic clock. */
  seenAtMs: number;
  writtenAtMs = 0;
  readonly #runtime: Runtime;
  #name: string;
  #written = 0;

  constructor(runtime: Runtime, key: string, fact: EventFact) {
    this.#runtime = runtime;
    this.key = key;
    this.fact = fact;
    this.note = fact.note;
    this.namespace = fact.regarding.namespace || OF_CLUSTER_OBJECTS;
    this.#name = eventName(runtime, fact.regarding.name);
    this.firstMs = runtime.wallMs();
    this.lastMs = this.firstMs;
    this.seenAtMs = runtime.monotonicMs();
  }

  get name(): string {
    return this.#name;
  }

  /** Whether the server has it, as far as is known. */
  get stored(): boolean {
    return this.#written > 0;
  }

  /** Whether it was seen since it was written. */
  get unwritten(): boolean {
    return this.count > this.#written;
  }

  again(note: string): void {
    this.count += 1;
    this.note = note;
    this.lastMs = this.#runtime.wallMs();
    this.seenAtMs = this.#runtime.monotonicMs();
  }

  written(count: number): void {
    this.#written = count;
    this.writtenAtMs = this.#runtime.monotonicMs();
  }

  /** The server keeps events for a limited time; the next write makes a new one. */
  expired(): void {
    this.#written = 0;
    this.rename();
  }

  /** Another event has the name. */
  rename(): void {
    this.#name = eventName(this.#runtime, this.fact.regarding.name);
  }
}

/**
 * The name of the object, the time, and 32 bits that are drawn. After a lost answer an event of this name is taken for the one that was sent,
 * so the six digits by which nanoseconds differ from milliseconds would be too few for the events of one burst.
 */
function eventName(runtime: Runtime, name: string): string {
  const drawn = randomInteger(runtime, 0, 0xffff_ffff).toString(16).padStart(8, '0');
  const text = `${name}.${Math.floor(runtime.wallMs()).toString(16)}${drawn}`;
  return text.length <= LONGEST_NAME && LEGAL_NAME.test(text) ? text : randomUuid(runtime);
}
