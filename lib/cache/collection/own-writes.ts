import { errorMessage } from '../../kernel/failure/errors.ts';
import { isStrayPromise } from '../../kernel/failure/guarded-call.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { KeyFunc } from '../../meta/key.ts';
import type { KubernetesObject, ObjectMeta } from '../../meta/object.ts';
import { DecodedView, type ObjectView } from '../../meta/object-view.ts';
import { TransformError } from '../delta/object-intake.ts';
import { computeKey } from '../store/compute-key.ts';
import { isTerminating } from '../store/layered-store.ts';
import type { ThreadSafeStore } from '../store/thread-safe-store.ts';
import { WriteOverlay, type Deletion } from '../store/write-overlay.ts';
import type { ErrorReporter } from '../informer/observe/error-reporter.ts';
import type { PrepareObject } from './prepare-object.ts';

export interface OwnWritesOptions<T extends KubernetesObject> {
  readonly store: ThreadSafeStore<ObjectView<T>>;
  readonly keyFunc: KeyFunc;
  readonly matches: ((object: T) => boolean) | undefined;
  readonly prepare: PrepareObject<T> | undefined;
  readonly runtime: Runtime;
  readonly errors: ErrorReporter;
  /** See `WriteOverlayOptions.onVanished`. */
  readonly onVanished: (key: string, object: ObjectView<T>) => void;
}

/** An answer as readers see it. Its key and its membership are computed before the transform, as for events. */
class AnsweredView<T extends KubernetesObject> implements ObjectView<T> {
  readonly key: string;
  readonly answer: T;
  readonly #shown: ObjectView<T>;

  constructor(key: string, answer: T, shown: ObjectView<T>) {
    this.key = key;
    this.answer = answer;
    this.#shown = shown;
  }

  get metadata(): ObjectMeta {
    return this.#shown.metadata;
  }

  get object(): T {
    return this.#shown.object;
  }
}

/** Adds answers to own writes to the overlay, after the same preparation as objects of the watch. */
export class OwnWrites<T extends KubernetesObject> {
  readonly overlay: WriteOverlay<ObjectView<T>>;
  readonly #options: OwnWritesOptions<T>;

  constructor(options: OwnWritesOptions<T>) {
    const { store, keyFunc, matches, runtime, onVanished } = options;
    this.#options = options;
    this.overlay = new WriteOverlay<ObjectView<T>>({
      store,
      keyFunc: (view) => (view instanceof AnsweredView ? view.key : keyFunc(view)),
      matches: (view) =>
        matches?.(view instanceof AnsweredView ? (view.answer as T) : view.object) ?? true,
      runtime,
      onVanished,
      onError: (error) => {
        this.#report(error);
      },
    });
  }

  written(answer: T, isOwn: boolean = true): void {
    this.#guard(() => {
      const key = this.#keyOf(answer);
      this.overlay.written(new AnsweredView(key, answer, this.#prepared(key, answer)), isOwn);
    });
  }

  deleted(answer: T | Deletion): void {
    this.#guard(() => {
      if (isDeletion(answer)) {
        this.overlay.deleted(answer);
        return;
      }
      const key = this.#keyOf(answer);
      const { uid, resourceVersion } = answer.metadata ?? {};
      if (isTerminating(answer)) this.written(answer);
      else this.overlay.deleted({ key, uid, resourceVersion });
    });
  }

  #keyOf(answer: T): string {
    return computeKey(this.#options.keyFunc, answer);
  }

  #prepared(key: string, answer: T): ObjectView<T> {
    const view = new DecodedView(answer);
    const { prepare } = this.#options;
    if (prepare === undefined) return view;
    let prepared: unknown;
    try {
      prepared = prepare(view);
    } catch (error) {
      throw new TransformError(key, `the function threw: ${errorMessage(error)}`, error);
    }
    if (typeof prepared === 'object' && prepared !== null && 'object' in prepared)
      return prepared as ObjectView<T>;
    const given = isStrayPromise(prepared) ? 'a promise' : typeof prepared;
    throw new TransformError(key, `the function gave back ${given}`);
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    const key = error instanceof TransformError ? error.key : undefined;
    this.#options.errors.report(error, { source: 'object', key });
  }
}

function isDeletion(answer: KubernetesObject | Deletion): answer is Deletion {
  return (
    typeof answer === 'object' && answer !== null && 'key' in answer && !('metadata' in answer)
  );
}
