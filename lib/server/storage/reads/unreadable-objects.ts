import { errorMessage } from '../../../kernel/failure/errors.ts';
import { failure, type ApiError } from '../../../meta/failure/api-error.ts';
import type { StatusCause } from '../../../meta/failure/status.ts';
import { isStorageError, type StorageError } from '../contract/storage-error.ts';

/** Maximum number of objects in the error of a failed list (etcd3/corrupt_obj_deleter.go maxCorruptObjErrsToAggregate @ 24a394e). */
const MOST_NAMED = 100;

/** Collects the unreadable objects of a list, so that one error names all of them. */
export class UnreadableObjects {
  readonly #errors: StorageError[] = [];
  readonly #tolerated: boolean;

  /** @param tolerated whether the list leaves the objects out instead of failing */
  constructor(tolerated: boolean) {
    this.#tolerated = tolerated;
  }

  /** The keys of all collected objects. */
  get keys(): readonly string[] {
    return this.#errors.map(({ key }) => key);
  }

  /**
   * Records an error of a read. Returns normally when the list should continue, to find further unreadable objects.
   * @throws {ApiError} StorageReadError when there are too many, or when `error` is of another kind and some were found before.
   * Otherwise `error` itself.
   */
  note(error: unknown): void {
    if (!isStorageError(error, 'CORRUPT_OBJECT')) {
      if (this.#tolerated || this.#errors.length === 0) throw error;
      throw this.#failure({ reason: 'UnexpectedServerResponse', message: errorMessage(error) });
    }
    this.#errors.push(error);
    if (this.#tolerated || this.#errors.length < MOST_NAMED) return;
    throw this.#failure({
      reason: 'FieldValueTooMany',
      message: 'too many errors, the list is truncated',
    });
  }

  /** @throws {ApiError} StorageReadError with all collected objects, unless they are tolerated. */
  throwIfAny(): void {
    if (!this.#tolerated && this.#errors.length > 0) throw this.#failure();
  }

  #failure(end?: StatusCause): ApiError {
    const causes: StatusCause[] = this.#errors.map(({ key, message }) => ({
      reason: 'UnexpectedServerResponse',
      message,
      field: key,
    }));
    if (end !== undefined) causes.push(end);
    const [first] = this.#errors;
    const others = this.#errors.length - 1;
    const more = others === 0 ? '' : ` (and ${others} more)`;
    const message = `failed to read one or more objects from the storage: ${first?.message}${more}`;
    return failure('StorageReadError', message, {
      cause: first,
      details: { name: 'list', causes },
    });
  }
}
