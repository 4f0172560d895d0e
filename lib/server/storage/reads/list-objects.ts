import { nextTask } from '../../../kernel/time/wait.ts';
import { isListwatchError, errorMessage } from '../../../kernel/failure/errors.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { badRequest, expired, tooLargeResourceVersion } from '../../../meta/failure/failures.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import {
  prefixEnd,
  type RangeResponse,
  type Revision,
} from '../../mvcc/contract/key-value-store.ts';
import { decodeContinue, encodeContinue, keyAfter } from './continue-token.ts';
import type { ObjectAccess, ObjectState } from './object-access.ts';
import { ReadAhead } from './read-ahead.ts';
import {
  predicateIsEmpty,
  predicateMatches,
  type SelectionPredicate,
} from '../contract/selection-predicate.ts';
import type { GetListOptions, StorageList } from '../contract/storage-interface.ts';
import type { StoredObject } from '../contract/stored-object.ts';
import { parseListVersion, type Versioner } from '../contract/versioner.ts';
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

/** A filtered list doubles its page size up to this. @see apiserver pkg/storage/etcd3/store.go maxLimit @ 24a394e */
const LARGEST_PAGE = 10_000;
/** Number of objects processed in one task. */
const OBJECTS_PER_TASK = 500;

/** The keys and the revision that a list reads. */
export interface ListPlan {
  readonly startKey: string;
  /** The revision to read at; undefined: the newest. */
  readonly revision: Revision | undefined;
  /** The response must not be older than this revision; 0: any revision. */
  readonly notOlderThan: Revision;
}

/**
 * Resolves the resource version, its match rule and the continue token of a list.
 * @throws {ApiError} 400.
 * @see apiserver pkg/storage/interfaces.go ValidateListOptions @ 24a394e
 */
export function planList<T extends KubernetesObject>(
  prefix: string,
  options: GetListOptions<T>,
  versioner: Versioner,
): ListPlan {
  const { continueToken = '', resourceVersion = '', recursive = true, limit = 0 } = options;
  const match = options.resourceVersionMatch;
  if (continueToken !== '') return planContinued(prefix, continueToken, options);
  const revision = parseListVersion(versioner, resourceVersion);
  const newest = { startKey: prefix, revision: undefined, notOlderThan: revision };
  if (match === undefined) {
    // Before match rules existed, a paged list with a resource version meant exactly that version.
    const exact = recursive && limit > 0 && revision > 0n;
    return exact ? { ...newest, revision } : newest;
  }
  if (resourceVersion === '') {
    throw badRequest(`resourceVersionMatch "${match}" is forbidden without a resourceVersion`);
  }
  switch (match) {
    case 'NotOlderThan':
      return newest;
    case 'Exact':
      if (revision === 0n) {
        throw badRequest('resourceVersionMatch "Exact" is forbidden for resourceVersion "0"');
      }
      return { ...newest, revision };
    default:
      throw badRequest(`unknown resourceVersionMatch "${String(match)}"`);
  }
}

function planContinued<T extends KubernetesObject>(
  prefix: string,
  continueToken: string,
  { resourceVersion = '', resourceVersionMatch, recursive = true }: GetListOptions<T>,
): ListPlan {
  if (!recursive) throw badRequest('invalid continue token: a single object has no next page');
  const { startKey, revision } = decodeContinue(continueToken, prefix);
  if (resourceVersion !== '' && resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  if (resourceVersionMatch !== undefined) {
    throw badRequest('resourceVersionMatch is forbidden when using continue');
  }
  return { startKey, revision: revision < 0n ? undefined : revision, notOlderThan: 0n };
}

export interface ListRequest<T extends KubernetesObject> {
  /** The prepared key: a prefix with a trailing slash if the list is recursive. */
  readonly key: string;
  readonly options: GetListOptions<T>;
}

/**
 * One list call: reads until the limit is reached or the range ends. All pages are read at one revision. Objects that cannot be
 * read fail the call at its end, with one error for all of them.
 */
export async function listObjects<T extends KubernetesObject>(
  access: ObjectAccess<T>,
  runtime: Runtime,
  request: ListRequest<T>,
): Promise<StorageList<T>> {
  return await new Listing(access, runtime, request).run();
}

class Listing<T extends KubernetesObject> {
  readonly #access: ObjectAccess<T>;
  readonly #runtime: Runtime;
  readonly #request: ListRequest<T>;
  readonly #plan: ListPlan;
  readonly #limit: number;
  readonly #predicate: SelectionPredicate<T> | undefined;
  readonly #mayEndEarly: boolean;
  readonly #items: StoredObject<T>[] = [];
  /** Of the keys from the start of the list on. */
  #count = 0;
  #revision: Revision | undefined;
  readonly #unreadable: UnreadableObjects;
  #seen = 0;

  constructor(access: ObjectAccess<T>, runtime: Runtime, request: ListRequest<T>) {
    const { predicate, limit = 0, recursive = true, leaveOutUnreadable } = request.options;
    this.#unreadable = new UnreadableObjects(leaveOutUnreadable === true);
    this.#access = access;
    this.#runtime = runtime;
    this.#request = request;
    this.#plan = planList(request.key, request.options, access.versioner);
    this.#limit = recursive && limit > 0 ? limit : 0;
    this.#mayEndEarly = this.#limit > 0 && request.options.mayEndEarly === true;
    this.#predicate = predicateIsEmpty(predicate as SelectionPredicate | undefined)
      ? undefined
      : predicate;
    this.#revision = this.#plan.revision;
  }

  async run(): Promise<StorageList<T>> {
    let startKey = this.#plan.startKey;
    let pageSize = this.#limit;
    for (;;) {
      this.#request.options.signal?.throwIfAborted();
      const page = await this.#read(startKey, pageSize);
      const lastKey = await this.#collect(page);
      const isShort = page.more && (pageSize === 0 || page.items.length < pageSize);
      const full = this.#limit > 0 && this.#items.length >= this.#limit;
      const ended = full || (isShort && this.#mayEndEarly);
      const more = page.more || (lastKey !== undefined && lastKey !== page.items.at(-1)?.key);
      if (!more || ended || lastKey === undefined) {
        return this.#result(more && ended ? lastKey : undefined);
      }
      startKey = keyAfter(lastKey);
      if (!isShort) pageSize = Math.min(LARGEST_PAGE, pageSize * 2);
      else if (this.#predicate === undefined && this.#limit > 0) pageSize = this.#missing;
    }
  }

  async #read(startKey: string, limit: number): Promise<RangeResponse> {
    const { key, options } = this.#request;
    const rangeEnd = (options.recursive ?? true) ? prefixEnd(key) : undefined;
    let page: RangeResponse;
    try {
      page = await this.#access.store.range({
        key: startKey,
        rangeEnd,
        revision: this.#revision,
        limit,
        mayEndEarly: rangeEnd !== undefined,
      });
    } catch (error) {
      throw await this.#readFailure(error);
    }
    if (this.#plan.notOlderThan > page.revision) {
      throw tooLarge(this.#access.versioner, this.#plan.notOlderThan, page.revision);
    }
    this.#revision ??= page.revision;
    if (startKey === this.#plan.startKey) this.#count = page.count;
    return page;
  }

  /** Adds the matching objects of a page; returns the last key that was processed. */
  async #collect({ items }: RangeResponse): Promise<string | undefined> {
    const reader = new ReadAhead(
      this.#access,
      items.map((kv) => ({ kv })),
    );
    let lastKey: string | undefined;
    for (const { key } of items) {
      if (this.#limit > 0 && this.#items.length >= this.#limit) return lastKey;
      lastKey = key;
      this.#seen += 1;
      if (this.#seen % OBJECTS_PER_TASK === 0) await nextTask(this.#runtime);
      let state: ObjectState<T>;
      try {
        const reading = reader.read();
        state = reading instanceof Promise ? await reading : reading;
      } catch (error) {
        this.#unreadable.note(error);
        continue;
      }
      if (this.#matches(state.stored)) this.#items.push(state.stored);
    }
    return lastKey;
  }

  #matches(stored: StoredObject<T>): boolean {
    return this.#predicate === undefined || predicateMatches(this.#predicate, stored.object);
  }

  get #missing(): number {
    return this.#limit - this.#items.length;
  }

  #result(lastKey: string | undefined): StorageList<T> {
    this.#unreadable.throwIfAny();
    const revision = this.#revision as Revision;
    const resourceVersion = this.#access.versioner.resourceVersionOf(revision);
    const unreadableKeys = this.#unreadable.keys;
    const leftOut = unreadableKeys.length > 0 ? { unreadableKeys } : {};
    const list = { items: this.#items, resourceVersion, ...leftOut };
    if (lastKey === undefined) return list;
    const position = { startKey: keyAfter(lastKey), revision };
    const continueToken = encodeContinue(position, this.#request.key);
    if (this.#predicate !== undefined || unreadableKeys.length > 0) {
      return { ...list, continueToken };
    }
    return { ...list, continueToken, remainingItemCount: this.#count - this.#items.length };
  }

  async #readFailure(error: unknown): Promise<unknown> {
    const { store, versioner } = this.#access;
    const { key, options } = this.#request;
    if (isListwatchError(error, 'FUTURE_REVISION')) {
      // Only a read at a revision is refused for it.
      const { revision } = await store.status();
      return tooLarge(versioner, this.#revision as Revision, revision);
    }
    if (!isListwatchError(error, 'COMPACTED')) return error;
    if ((options.continueToken ?? '') === '') {
      return expired('The resourceVersion for the provided list is too old.');
    }
    return expired(
      CONTINUE_TOO_OLD,
      // The token starts where this request started, because the objects that it has read so far are discarded.
      encodeContinue({ startKey: this.#plan.startKey, revision: -1n }, key),
    );
  }
}

/** @see staging/src/k8s.io/apiserver/pkg/storage/etcd3/errors.go inconsistentContinue @ v0.36.3 */
const CONTINUE_TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue ' +
  'parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided ' +
  'token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was ' +
  'returned and now may show up in the list.';

function tooLarge(versioner: Versioner, asked: Revision, current: Revision): Error {
  return tooLargeResourceVersion(
    versioner.resourceVersionOf(asked),
    versioner.resourceVersionOf(current),
  );
}
