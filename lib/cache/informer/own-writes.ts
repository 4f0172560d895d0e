import { errorMessage, ListwatchError } from '../../kernel/errors.ts';
import { isStrayPromise } from '../../kernel/guarded-call.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import type { KeyFunc } from '../../meta/key.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import { DecodedView, type ObjectView } from '../../meta/object-view.ts';
import { computeKey } from '../store/compute-key.ts';
import { isTerminating } from '../store/overlay-entry.ts';
import type { ThreadSafeStore } from '../store/thread-safe-store.ts';
import { WriteOverlay, type Deletion } from '../store/write-overlay.ts';
import type { ErrorReporter } from './error-reporter.ts';
import type { PrepareObject } from './prepare-object.ts';

export interface OwnWritesOptions<T extends KubernetesObject> {
  readonly store: ThreadSafeStore<ObjectView<T>>;
  readonly keyFunc: KeyFunc;
  readonly matches: ((object: T) => boolean) | undefined;
  readonly prepare: PrepareObject<T> | undefined;
  readonly runtime: Runtime;
  readonly errors: ErrorReporter;
}

/** An answer as readers see it; key and membership are those of the answer as it came, as for events. */
class AnsweredView<T extends KubernetesObject> extends DecodedView<T> {
  readonly key: string;
  readonly answer: T;

  constructor(key: string, answer: T, shown: T) {
    super(shown);
    this.key = key;
    this.answer = answer;
  }
}

/** Lays answers to own writes over the store, prepared the way objects of the watch are. */
export class OwnWrites<T extends KubernetesObject> {
  readonly overlay: WriteOverlay<ObjectView<T>>;
  readonly #options: OwnWritesOptions<T>;

  constructor(options: OwnWritesOptions<T>) {
    const { store, keyFunc, matches, runtime } = options;
    this.#options = options;
    this.overlay = new WriteOverlay<ObjectView<T>>({
      store,
      keyFunc: (view) => (view instanceof AnsweredView ? view.key : keyFunc(view)),
      matches: (view) =>
        matches?.(view instanceof AnsweredView ? (view.answer as T) : view.object) ?? true,
      runtime,
      onError: (error) => {
        this.#report(error);
      },
    });
  }

  written(answer: T): void {
    this.#guard(() => {
      const key = this.#keyOf(answer);
      this.overlay.written(new AnsweredView(key, answer, this.#prepared(key, answer)));
    });
  }

  deleted(answer: T | Deletion): void {
    this.#guard(() => {
      if (isDeletion(answer)) {
        this.overlay.deleted(answer);
      } else if (isTerminating(answer)) {
        this.written(answer);
      } else {
        const { uid, resourceVersion } = answer.metadata ?? {};
        this.overlay.deleted({ key: this.#keyOf(answer), uid, resourceVersion });
      }
    });
  }

  #keyOf(answer: T): string {
    return computeKey(this.#options.keyFunc, answer);
  }

  #prepared(key: string, answer: T): T {
    const { prepare } = this.#options;
    if (prepare === undefined) return answer;
    try {
      const prepared: unknown = prepare(new DecodedView(answer));
      if (prepared instanceof DecodedView) return prepared.object as T;
      if (isStrayPromise(prepared)) throw new TypeError('it gave back a promise');
      throw new TypeError(`it gave back ${typeof prepared}`);
    } catch (error) {
      const reason = errorMessage(error);
      throw new ListwatchError('TRANSFORM', `the written object "${key}": ${reason}`, {
        cause: error,
      });
    }
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    this.#options.errors.report(error, { source: 'object' });
  }
}

function isDeletion(answer: KubernetesObject | Deletion): answer is Deletion {
  return 'key' in answer && !('metadata' in answer);
}
