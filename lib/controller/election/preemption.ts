import type { Stored } from '../../meta/stored.ts';
import type { Lease } from '../../types/built-in/coordination-v1-kinds.ts';
import type { LeaseClock, Moment } from './lease-clock.ts';
import { microTime } from './lease-record.ts';

/** A replica with option `preempt` asks for a Lease that another one holds: `TIME IDENTITY`. The time changes while it goes on asking. */
export const PREEMPTION_ANNOTATION = 'election.listwatch.dev/preempted-by';

export function preemptionText(identity: string, wallMs: number): string {
  return `${microTime(wallMs)} ${identity}`;
}

/** The identity that asks for the Lease; undefined: none does, or the annotation is of another form. */
export function preemptorOf({ metadata }: Stored<Lease>): string | undefined {
  return /^\S+ (.*\S.*)$/s.exec(metadata.annotations?.[PREEMPTION_ANNOTATION] ?? '')?.[1];
}

/**
 * The replica that asks for a Lease, as this process has seen it. As with the Lease itself, no time in it counts: the request is over when this process
 * has seen no change of it for as long as the Lease lasts.
 */
export class ObservedPreemption {
  readonly #clock: LeaseClock;
  readonly #durationMs: number;
  #text: string | undefined;
  #by: string | undefined;
  #changedAt: Moment | undefined;

  constructor(clock: LeaseClock, durationMs: number) {
    this.#clock = clock;
    this.#durationMs = durationMs;
  }

  /** Call it after the Lease was received: the time counts from now. */
  observe(lease: Stored<Lease>): void {
    const text = lease.metadata.annotations?.[PREEMPTION_ANNOTATION];
    if (text === this.#text) return;
    this.#text = text;
    this.#by = preemptorOf(lease);
    this.#changedAt = this.#clock.now();
  }

  /** For whom the Lease has to be left free; undefined: for none. */
  get by(): string | undefined {
    if (this.#by === undefined || this.#changedAt === undefined) return undefined;
    return this.#clock.atLeastMs(this.#changedAt) < this.#durationMs ? this.#by : undefined;
  }
}
