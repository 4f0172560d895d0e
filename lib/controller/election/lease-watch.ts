import type { ResourceClient } from '../../client/rest/resource-client.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import { deriveAbort } from '../../kernel/time/abort.ts';
import { Backoff } from '../../kernel/time/backoff.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { sleep } from '../../kernel/time/wait.ts';
import { isApiError } from '../../meta/failure/failures.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { Stored } from '../../meta/stored.ts';
import type { Lease } from '../../types/built-in/coordination-v1-kinds.ts';

export interface LeaseWatchOptions<T extends KubernetesObject = Lease> {
  readonly leases: ResourceClient<T>;
  /** Which leases: one by its name, or those with a label. */
  readonly selector: { readonly fieldSelector?: string; readonly labelSelector?: string };
  /** A state that was seen, or the deletion of one. */
  readonly onChange: (lease: Stored<T>, type: 'added' | 'updated' | 'deleted') => void;
  readonly runtime: Runtime;
  readonly logger: Logger;
  /** In words, for the log. */
  readonly what: string;
}

const PAUSE = { baseMs: 500, capMs: 30_000 };

/**
 * Reports changes of Leases as soon as the server sends them. It only makes a replica faster, which reads the leases from time to time in
 * any case: when the server refuses the watch, that is logged once.
 */
export class LeaseWatch<T extends KubernetesObject = Lease> implements Disposable {
  readonly #options: LeaseWatchOptions<T>;
  readonly #abort = deriveAbort();
  readonly #backoff: Backoff;

  constructor(options: LeaseWatchOptions<T>) {
    this.#options = options;
    this.#backoff = new Backoff(options.runtime, PAUSE);
    void this.#run();
  }

  [Symbol.dispose](): void {
    this.#abort.abort();
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    const { runtime, logger, what } = this.#options;
    const { signal } = this.#abort;
    while (!signal.aborted) {
      try {
        await this.#follow(signal);
        this.#backoff.reset();
      } catch (error) {
        if (signal.aborted) return;
        if (isApiError(error) && error.code === 'FORBIDDEN') {
          logger.warn('leases cannot be watched; changes are seen later', { what, error });
          return;
        }
      }
      try {
        await sleep(runtime, this.#backoff.step(), { signal, background: true });
      } catch {
        return;
      }
    }
  }

  /** From the present state on. */
  async #follow(signal: AbortSignal): Promise<void> {
    const { leases, selector, onChange } = this.#options;
    for await (const event of leases.watch({ ...selector, signal })) {
      if (event.type === 'ADDED') onChange(event.object, 'added');
      else if (event.type === 'MODIFIED') onChange(event.object, 'updated');
      else if (event.type === 'DELETED') onChange(event.object, 'deleted');
    }
  }
}
