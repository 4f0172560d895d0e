import type { Runtime } from '../../kernel/time/runtime.ts';
import type { InspectQueueOptions, QueueInspection } from './queue-inspection.ts';

/** A work queue, as far as a tool looks into it. */
export interface InspectedQueue {
  readonly name: string;
  inspect(options?: InspectQueueOptions): QueueInspection<unknown>;
}

/** The part that a work queue announces; see `Runtime.onPart`. */
export class QueuePart {
  readonly queue: InspectedQueue;
  /** Whether keys wait although workers do, and no limit holds them back: an error of the queue. */
  readonly starves: () => boolean;

  constructor(queue: InspectedQueue, starves: () => boolean) {
    this.queue = queue;
    this.starves = starves;
  }
}

/** Announces a queue on its runtime. */
export function announceQueue(
  runtime: Runtime,
  queue: InspectedQueue,
  starves: () => boolean,
): void {
  runtime.onPart?.(new QueuePart(queue, starves));
}
