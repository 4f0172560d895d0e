import { nextTask } from '../../../kernel/time/wait.ts';
import { errorMessage, ListwatchError } from '../../../kernel/failure/errors.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import { metaNamespaceIndexFunc, NAMESPACE_INDEX } from '../../store/indexers.ts';
import type { WaitOptions } from '../handlers/handler-registration.ts';
import type { SharedIndexInformerOptions } from '../options/informer-options.ts';
import { requireSameCache, sameNamespaces, type InformerForOptions } from './informer-request.ts';
import { SharedIndexInformer } from '../shared-index-informer.ts';
import type { CacheSync } from './wait-for-cache-sync.ts';

/** An informer of a factory, with its leases and the options it was made with. */
export class InformerEntry implements CacheSync {
  readonly informer: SharedIndexInformer<KubernetesObject>;
  readonly #asked: object;
  readonly #runtime: Runtime;
  /** The requested index functions, by name. */
  readonly #indexers: Map<string, unknown>;
  #leases = 0;
  #kept = false;
  #failure: Error | undefined;

  /** `asked`: the requested options of the cache, to compare later requests with. */
  constructor(
    options: SharedIndexInformerOptions<KubernetesObject> & { readonly runtime: Runtime },
    asked: object,
  ) {
    this.informer = new SharedIndexInformer(options);
    this.#asked = asked;
    this.#runtime = options.runtime;
    this.#indexers = new Map<string, unknown>([
      [NAMESPACE_INDEX, metaNamespaceIndexFunc],
      ...Object.entries(options.indexers ?? {}),
    ]);
  }

  get name(): string {
    return this.informer.name;
  }

  /** Whether it can still run. */
  get live(): boolean {
    const { phase } = this.informer;
    return phase !== 'stopped' && phase !== 'failed';
  }

  /** An informer without leases is not awaited. */
  get synced(): boolean {
    if (!this.#inUse) return true;
    return this.failure === undefined && this.informer.synced;
  }

  get waitingFor(): string | undefined {
    const { failure } = this;
    return failure === undefined ? this.informer.waitingFor : errorMessage(failure);
  }

  async whenSynced(options: WaitOptions): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    try {
      await this.informer.whenSynced(options);
    } catch (error) {
      if (this.#inUse) throw error;
    }
  }

  /** The error that ended it. */
  get failure(): Error | undefined {
    return this.informer.failure ?? this.#failure;
  }

  /** Its run has ended with an error. */
  fail(error: Error): void {
    this.#failure = error;
  }

  /** The informer stays, even when all leases are released. */
  keep(): void {
    this.#kept = true;
  }

  acquire(): InformerLease<KubernetesObject> {
    this.#leases += 1;
    return new InformerLease(this.informer, () => this.#release());
  }

  /**
   * Called when the informer is requested again.
   * @throws {ListwatchError} code INVALID_OPTION; INDEX_CONFLICT.
   */
  join<T extends KubernetesObject>(asked: InformerForOptions<T>): void {
    const { namespaces, ...others } = asked;
    requireSameCache(this.name, this.#asked, others);
    if (namespaces !== undefined) this.#requireNamespaces(namespaces);
    const missing = Object.entries(asked.indexers ?? {}).filter(
      ([name, indexFunc]) => this.#indexers.get(name) !== indexFunc,
    );
    // The caller asserts the type of the objects, as for every answer of a server.
    const informer = this.informer as unknown as SharedIndexInformer<T>;
    informer.indexer.addIndexers(Object.fromEntries(missing));
    for (const [name, indexFunc] of missing) this.#indexers.set(name, indexFunc);
  }

  #requireNamespaces(asked: readonly string[]): void {
    const { namespaces = [] } = this.informer;
    if (sameNamespaces(namespaces, asked)) return;
    throw new ListwatchError(
      'INVALID_OPTION',
      `the informer ${this.name} exists with the namespaces ${namespaces.join(', ')}; ask for it without "namespaces", or change them with setNamespaces`,
    );
  }

  async #release(): Promise<void> {
    this.#leases -= 1;
    if (this.#inUse) return;
    // A holder may release its lease before another holder acquires one, in the same task.
    await nextTask(this.#runtime);
    if (this.#inUse) return;
    await this.informer.close();
  }

  get #inUse(): boolean {
    return this.#kept || this.#leases > 0;
  }
}

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
