import type { KubernetesObject } from '../../../meta/object.ts';
import type { SharedIndexInformer } from '../shared-index-informer.ts';

/**
 * One use of a shared informer: it runs as long as there is a lease of it.
 *
 * @example
 * await using lease = informers.acquire<Widget>('example.com/v1', 'widgets');
 * lease.informer.addHandler(handler, { signal: lease.signal });
 */
export class InformerLease<T extends KubernetesObject, Index extends string = string>
  implements AsyncDisposable
{
  readonly informer: SharedIndexInformer<T, Index>;
  readonly #controller = new AbortController();
  readonly #onRelease: () => Promise<void>;
  #ended: Promise<void> | undefined;

  /** Use `informers.acquire`. `onRelease` is called once; its promise resolves when the informer has ended. */
  constructor(informer: SharedIndexInformer<T, Index>, onRelease: () => Promise<void>) {
    this.informer = informer;
    this.#onRelease = onRelease;
  }

  /** Aborts with the release: handlers added with this signal are removed, even if other leases keep the informer. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get released(): boolean {
    return this.#ended !== undefined;
  }

  /**
   * Releases the lease, and resolves when the informer has ended, or at once if other leases keep it. With its last lease the informer ends,
   * unless it is acquired again in the same task. Calling again has no effect.
   */
  close(): Promise<void> {
    if (this.#ended === undefined) {
      this.#ended = this.#onRelease();
      this.#controller.abort();
    }
    return this.#ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
