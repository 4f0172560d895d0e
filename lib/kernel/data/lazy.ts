import { isPromiseLike, whenSettled } from '../failure/guarded-call.ts';

/**
 * A value derived from changing data. It is computed when it is read, not once per change.
 *
 * Guarantees:
 * - The first `get` after a `notify` computes the value; further calls of `get` return the same value. A thousand changes
 *   without a `get` between them cost one computation.
 * - When `compute` returns a promise, all callers of `get` share it while it is pending.
 * - A computation that began before a `notify` never replaces the result of a later one, even if it takes longer.
 * - If `compute` throws or its promise rejects, the callers of `get` receive the error and it is not kept: the next `get` tries again.
 *
 * @example
 * const podsByNode = new Lazy(() => countByNode(informer.lister.list()));
 * const changed = (): void => podsByNode.notify();
 * informer.addHandler({ onAdd: changed, onUpdate: changed, onDelete: changed });
 * podsByNode.get().get('node-1');
 * @see client-go tools/cache/synctrack/lazy.go Lazy @ 32ce75a7
 */
export class Lazy<R> {
  readonly #compute: () => R;
  #computed: { readonly value: R } | undefined;
  #generation = 0;

  constructor(compute: () => R) {
    this.#compute = compute;
  }

  /** The value as of the last `notify`, or a newer one. */
  get(): R {
    if (this.#computed !== undefined) return this.#computed.value;
    const generation = this.#generation;
    const computed = { value: this.#compute() };
    if (generation === this.#generation) {
      this.#computed = computed;
      this.#forgetFailure(computed);
    }
    return computed.value;
  }

  /** Reports that the value may have changed. */
  notify(): void {
    this.#generation += 1;
    this.#computed = undefined;
  }

  #forgetFailure(computed: { readonly value: R }): void {
    if (!isPromiseLike(computed.value)) return;
    // The callers of `get` handle the rejection. This handler only discards the failed computation, so that the next `get` tries again.
    whenSettled(computed.value, undefined, () => {
      if (this.#computed === computed) this.#computed = undefined;
    });
  }
}
