import { RateLimitingQueue } from '../../../lib/controller/workqueue/rate-limiting-queue.ts';

/** The queue of a controller with one worker that has nothing to do: takes a key, forgets its failures, is done. */
export class KeyConsumer {
  readonly queue: RateLimitingQueue = new RateLimitingQueue();
  readonly #worker: Promise<void>;
  #taken = 0;

  constructor() {
    this.#worker = this.#work();
  }

  get idle(): boolean {
    return this.queue.size === 0 && this.queue.processing === 0;
  }

  /** Keys that came out. */
  get taken(): number {
    return this.#taken;
  }

  async close(): Promise<void> {
    this.queue.destroy();
    await this.#worker;
  }

  async #work(): Promise<void> {
    for (;;) {
      const item = await this.queue.take();
      if (item === undefined) return;
      this.#taken += 1;
      this.queue.forget(item.key);
      item.done();
    }
  }
}
