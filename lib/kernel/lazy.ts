import { isPromiseLike, whenSettled } from './guarded-call.ts';

/**
 * A value derived from something that changes, computed when somebody asks for it and not once per change.
 *
 * Guarantees:
 * - After `notify`, the next `get` computes anew; until then all get the same value. A thousand changes that nobody asks in
 *   between cost one computation.
 * - When `compute` returns a promise, all who ask while it is pending share it.
 * - A computation that began before a `notify` never takes the place of a later one, however long it takes.
 * - What `compute` throws, or its promise rejects with, goes to those who asked and is not kept: the next `get` tries again.
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

  /** Tells that the value may have changed. */
  notify(): void {
    this.#generation += 1;
    this.#computed = undefined;
  }

  #forgetFailure(computed: { readonly value: R }): void {
    if (!isPromiseLike(computed.value)) return;
    // Whoever asked handles the rejection; this only makes room for another try.
    whenSettled(computed.value, undefined, () => {
      if (this.#computed === computed) this.#computed = undefined;
    });
  }
}
