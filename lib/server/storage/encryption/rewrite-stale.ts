import { isListwatchError } from '../../../kernel/failure/errors.ts';
import { invalidOption, is, optionsOf } from '../../../kernel/options/options-schema.ts';
import { isApiError } from '../../../meta/failure/failures.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import { encodeContinue, keyAfter } from '../reads/continue-token.ts';
import { isStorageError, type StorageError } from '../contract/storage-error.ts';
import type { StorageInterface, StorageList } from '../contract/storage-interface.ts';
import type { StoredObject } from '../contract/stored-object.ts';

/** @experimental */
export interface RewriteProgress {
  /** Number of objects processed so far. */
  readonly seen: number;
  /** Number of stale objects that were written again. */
  readonly rewritten: number;
  /** Number of objects that cannot be read; see `RewriteOptions.onUnreadable`. */
  readonly unreadable: number;
  /** Everything up to this key is done: pass it as `after` to continue from here. Undefined before the first object. */
  readonly lastKey: string | undefined;
}

/** @experimental */
export interface RewriteOptions {
  /** Starts after this key: the `lastKey` of an interrupted run. @defaultValue from the start */
  readonly after?: string | undefined;
  /** Number of objects in one page. @defaultValue 500 */
  readonly pageSize?: number | undefined;
  /** Called after every page. If it throws, the run ends with that error. */
  readonly onProgress?: ((progress: RewriteProgress) => void) | undefined;
  /**
   * Called for every object that cannot be decrypted or decoded; the run leaves the object unchanged and continues. Without this
   * option the first such object ends the run.
   */
  readonly onUnreadable?: ((error: StorageError) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const OPTIONS = optionsOf<RewriteOptions>()('rewriteStale', {
  after: is.text(),
  pageSize: is.integer({ min: 1 }).default(500),
  onProgress: is.callback(),
  onUnreadable: is.callback(),
  signal: is.abortSignal(),
});

/**
 * Writes every stale object under `prefix` again, that is, every object whose stored form differs from the form that would be
 * written now. After that, an old encryption key can be removed from the configuration. First make sure that no other process
 * writes with the old key any more.
 *
 * Guarantees:
 * - Objects that are up to date are not written and keep their resource version.
 * - A concurrent write of another client is kept: the object is read again.
 * - An object with an expiry keeps it.
 * - It reads the present state page by page, so a long run never fails because of compaction.
 *
 * @returns the final progress.
 * @throws {StorageError} CORRUPT_OBJECT without `onUnreadable`. @throws {ListwatchError} the errors of storage and key service;
 * the last `onProgress` has the position to continue from.
 * @experimental
 */
export async function rewriteStale<T extends KubernetesObject>(
  storage: StorageInterface<T>,
  prefix: string,
  options: RewriteOptions = {},
): Promise<RewriteProgress> {
  return await new Rewriting(storage, prefix.endsWith('/') ? prefix : `${prefix}/`, options).run();
}

class Rewriting<T extends KubernetesObject> {
  readonly #storage: StorageInterface<T>;
  readonly #prefix: string;
  readonly #options: RewriteOptions;
  readonly #pageSize: number;
  #seen = 0;
  #rewritten = 0;
  #unreadable = 0;
  #lastKey: string | undefined;

  constructor(storage: StorageInterface<T>, prefix: string, options: RewriteOptions) {
    this.#storage = storage;
    this.#prefix = prefix;
    const { after, pageSize } = OPTIONS.read(options);
    this.#options = options;
    if (after !== undefined && !after.startsWith(prefix)) {
      throw invalidOption('rewriteStale', `option "after" must be a key under ${prefix}`);
    }
    this.#lastKey = after;
    this.#pageSize = pageSize;
  }

  /** Awaits between reading a page and writing its objects; each write is a compare-and-swap of its own. */
  async run(): Promise<RewriteProgress> {
    const { onProgress, signal } = this.#options;
    let limit = this.#pageSize;
    for (;;) {
      signal?.throwIfAborted();
      const page = await this.#page(limit);
      if (page === undefined) {
        // Some objects of the page cannot be read, and the error does not say which readable ones come before them.
        limit = Math.ceil(limit / 2);
        continue;
      }
      for (const { key } of page.items) {
        signal?.throwIfAborted();
        await this.#rewrite(key);
      }
      onProgress?.(this.#progress());
      if (!page.more) return this.#progress();
      limit = this.#pageSize;
    }
  }

  /**
   * The keys of the next page. With a limit of 1, also the unreadable keys at its start. Undefined if unreadable keys are mixed
   * with others.
   */
  async #page(
    limit: number,
  ): Promise<
    { readonly items: readonly { readonly key: string }[]; readonly more: boolean } | undefined
  > {
    try {
      const { items, continueToken }: StorageList<T> = await this.#storage.getList(this.#prefix, {
        limit,
        continueToken: this.#position(),
        signal: this.#options.signal,
      });
      return { items, more: continueToken !== undefined };
    } catch (error) {
      const keys = unreadableKeys(error, this.#prefix);
      if (keys.length === 0) throw error;
      return limit === 1 ? { items: keys.map((key) => ({ key })), more: true } : undefined;
    }
  }

  /** The position after the last key, in the present state of the storage. */
  #position(): string | undefined {
    if (this.#lastKey === undefined) return undefined;
    return encodeContinue({ startKey: keyAfter(this.#lastKey), revision: -1n }, this.#prefix);
  }

  async #rewrite(key: string): Promise<void> {
    let before: StoredObject<T> | undefined;
    try {
      const { signal } = this.#options;
      const after = await this.#storage.guaranteedUpdate(
        key,
        ({ existing, stored }) => {
          before = stored;
          return { object: existing as T };
        },
        { signal },
      );
      if (after.resourceVersion !== before?.resourceVersion) this.#rewritten += 1;
    } catch (error) {
      if (isStorageError(error, 'CORRUPT_OBJECT')) this.#skip(error);
      // The object was deleted, or expired, in the meantime.
      else if (!isListwatchError(error, 'KEY_NOT_FOUND')) throw error;
    }
    this.#seen += 1;
    this.#lastKey = key;
  }

  #skip(error: StorageError): void {
    const { onUnreadable } = this.#options;
    if (onUnreadable === undefined) throw error;
    this.#unreadable += 1;
    onUnreadable(error);
  }

  #progress(): RewriteProgress {
    const [seen, rewritten, unreadable] = [this.#seen, this.#rewritten, this.#unreadable];
    return { seen, rewritten, unreadable, lastKey: this.#lastKey };
  }
}

/** The keys on which a list failed, in order; empty when it failed for another reason. */
function unreadableKeys(error: unknown, prefix: string): string[] {
  if (isStorageError(error, 'CORRUPT_OBJECT')) return [error.key];
  if (!isApiError(error) || error.code !== 'STORAGE_READ_ERROR') return [];
  const keys = error.causes.map(({ field }) => field ?? '');
  return keys.filter((key) => key.startsWith(prefix));
}
