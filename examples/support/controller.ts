import {
  isConflict,
  RateLimitingQueue,
  ReconcileLoop,
  splitMetaNamespaceKey,
  type ObjectName,
  type ReconcileContext,
  type ReconcileError,
} from 'listwatch';
import type { Timeline } from './timeline.ts';

/** Makes the cluster match the spec of one object. */
export interface Reconciler {
  /** The resource of the objects that it reconciles. */
  readonly resource: string;
  reconcile(object: ObjectName, context: ReconcileContext): Promise<void>;
}

/** A reconciler with its work queue and the loop between them, visible on the timeline. */
export class Controller {
  readonly #resource: string;
  readonly #timeline: Timeline;
  readonly #queue: RateLimitingQueue;
  readonly #loop: ReconcileLoop;
  #reconciles = 0;
  #retries = 0;

  constructor(reconciler: Reconciler, timeline: Timeline) {
    this.#resource = reconciler.resource;
    this.#timeline = timeline;
    this.#queue = new RateLimitingQueue({ name: reconciler.resource });
    this.#loop = new ReconcileLoop({
      queue: this.#queue,
      concurrency: 4,
      reconcile: async ({ key }, context) => {
        this.#reconciles += 1;
        await reconciler.reconcile(splitMetaNamespaceKey(key), context);
      },
      onError: (error) => this.#failed(error),
    });
  }

  get reconciles(): number {
    return this.#reconciles;
  }

  get retries(): number {
    return this.#retries;
  }

  /** Nothing waits, runs or is scheduled. */
  get idle(): boolean {
    return this.#queue.size + this.#queue.processing + this.#queue.delayed === 0;
  }

  /** For event handlers; undefined is ignored. */
  readonly enqueue = (key: string | undefined): void => {
    if (key === undefined) return;
    this.#timeline.tally('queue', this.#resource, 'keys added');
    this.#queue.add(key);
  };

  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run({ signal });
  }

  #failed({ key, retryInMs, message, cause }: ReconcileError): void {
    this.#retries += 1;
    // The write was based on an outdated cache; the retry sees the newer state.
    if (isConflict(cause)) {
      this.#timeline.tally('queue', this.#resource, 'retries after a conflict');
      return;
    }
    const next = retryInMs === undefined ? '' : `, next try in ${Math.ceil(retryInMs)} ms`;
    this.#timeline.say('reconcile', this.#resource, `${key} failed${next}: ${message}`);
  }
}
