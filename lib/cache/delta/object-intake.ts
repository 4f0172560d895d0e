import { errorMessage, ListwatchError } from '../../kernel/failure/errors.ts';
import { isStrayPromise } from '../../kernel/failure/guarded-call.ts';
import type { KeyError, KeyFunc } from '../../meta/key.ts';
import type { HasMetadata } from '../../meta/object.ts';
import { computeKey } from '../store/compute-key.ts';

/** The error of a transform function that threw or did not return an object. */
export class TransformError extends ListwatchError {
  readonly key: string;

  constructor(key: string, reason: string, cause?: unknown) {
    super('TRANSFORM', `object "${key}" cannot be transformed: ${reason}`, { cause });
    this.key = key;
  }
}

/** @throws {TransformError} when the function throws, or does not return an object. */
export function transformedBy<V>(transform: (object: V) => V, key: string, object: V): V {
  let transformed: unknown;
  try {
    transformed = transform(object);
  } catch (error) {
    throw new TransformError(key, `the function threw: ${errorMessage(error)}`, error);
  }
  const stray = isStrayPromise(transformed);
  if (typeof transformed === 'object' && transformed !== null && !stray) return transformed as V;
  const given = stray ? 'a promise, and it has to be synchronous' : typeof transformed;
  throw new TransformError(key, `the function gave back ${given}`);
}

export interface ObjectIntakeOptions<V extends HasMetadata> {
  readonly keyFunc: KeyFunc;
  readonly transform: ((object: V) => V) | undefined;
  readonly onError: ((error: KeyError | TransformError) => void) | undefined;
}

/** Computes the keys of objects and transforms them before they are queued. Errors are collected and reported at the end. */
export class ObjectIntake<V extends HasMetadata> {
  readonly #options: ObjectIntakeOptions<V>;
  #failures: (KeyError | TransformError)[] = [];

  constructor(options: ObjectIntakeOptions<V>) {
    this.#options = options;
  }

  /** The key of an object before the transform; undefined when it has none. */
  keyOf(object: V): string | undefined {
    try {
      return computeKey(this.#options.keyFunc, object);
    } catch (error) {
      this.#failures.push(error as KeyError);
      return undefined;
    }
  }

  /** Undefined when it fails. */
  transformed(key: string, object: V): V | undefined {
    const { transform } = this.#options;
    if (transform === undefined) return object;
    try {
      return transformedBy(transform, key, object);
    } catch (error) {
      this.#failures.push(error as TransformError);
      return undefined;
    }
  }

  /**
   * Reports the errors since the last call.
   * @throws the first error if there is no error callback, or the first error that the callback throws.
   */
  report(): void {
    if (this.#failures.length === 0) return;
    const { onError } = this.#options;
    const failures = this.#failures;
    this.#failures = [];
    let thrown: { readonly error: unknown } | undefined;
    for (const failure of failures) {
      try {
        if (onError === undefined) throw failure;
        onError(failure);
      } catch (error) {
        thrown ??= { error };
      }
    }
    if (thrown !== undefined) throw thrown.error;
  }
}
