import { errorMessage, ListwatchError } from '../../../kernel/errors.ts';
import type { ObjectMeta } from '../../../meta/object.ts';

/**
 * The author of a change. `self`: exactly the one that was handed to `informer.written` or `informer.deleted`. `other`:
 * anything else, also when it cannot be told: a change seen by a list, or one that came in before the answer of the write.
 */
export type Origin = 'self' | 'other';

export interface AddInfo {
  readonly key: string;
  /** The object was there when the handler came, or when the informer started. */
  readonly initial: boolean;
  readonly origin: Origin;
}

export interface UpdateInfo {
  readonly key: string;
  /** Nothing changed: the resync interval of the handler has passed, and both objects are the same. */
  readonly resync: boolean;
  readonly origin: Origin;
}

export interface DeleteInfo {
  readonly key: string;
  /** The deletion itself was missed: the object is the last state that was seen, and may have changed before it went. */
  readonly finalStateUnknown: boolean;
  readonly origin: Origin;
}

/**
 * Callbacks for objects that are added, updated and deleted. All callbacks are optional; a returned promise is awaited before the next one.
 *
 * The objects are shared with the cache and all other handlers and must not be modified. At the time of a callback the cache
 * shows the change it is about, and may show later ones. The callbacks are looked up once, when the handler is added.
 */
export interface ObjectEventHandler<T> {
  readonly view?: 'object' | undefined;
  onAdd?(object: T, info: AddInfo): unknown;
  onUpdate?(old: T, object: T, info: UpdateInfo): unknown;
  /** `object` is the last known state. */
  onDelete?(object: T, info: DeleteInfo): unknown;
}

/**
 * Key and metadata of an object whose body need not be decoded.
 *
 * Handlers and filters get a view, made once for all of them: `metadata` is decoded on first read, and a
 * callback that takes no more than the `key` costs no decoding at all. Take it apart, or log it, as any object; a spread,
 * which copies no getters, loses the metadata.
 */
export interface ObjectMetadata {
  readonly key: string;
  readonly metadata: ObjectMeta;
}

/**
 * As `ObjectEventHandler`, for callbacks that need no more than key and metadata. For them no object is ever decoded, and no
 * metadata unless they read it.
 */
export interface MetadataEventHandler {
  readonly view: 'metadata';
  onAdd?(added: ObjectMetadata & AddInfo): unknown;
  onUpdate?(old: ObjectMetadata, updated: ObjectMetadata & UpdateInfo): unknown;
  onDelete?(deleted: ObjectMetadata & DeleteInfo): unknown;
}

/**
 * As `MetadataEventHandler`, for callbacks that need no more than the key: they put it into a work queue, and the worker that takes it
 * reads the cache. Of what has changed nothing is kept for them, which makes them the fastest ones.
 * An argument is frozen plain data: it can be kept and logged when the object has long left the cache.
 */
export interface KeyEventHandler {
  readonly view: 'key';
  onAdd?(added: AddInfo): unknown;
  onUpdate?(updated: UpdateInfo): unknown;
  onDelete?(deleted: DeleteInfo): unknown;
}

/** An object whose body is decoded on the first read of `object`. */
export interface LazyObject<T> {
  readonly metadata: ObjectMeta;
  readonly object: T;
}

/** As `ObjectEventHandler`, for callbacks that look at the metadata first and need only some of the bodies. */
export interface LazyEventHandler<T> {
  readonly view: 'lazy';
  onAdd?(added: LazyObject<T>, info: AddInfo): unknown;
  onUpdate?(old: LazyObject<T>, updated: LazyObject<T>, info: UpdateInfo): unknown;
  onDelete?(deleted: LazyObject<T>, info: DeleteInfo): unknown;
}

/** An event handler in one of its forms; `view` tells them apart. */
export type ResourceEventHandler<T> =
  | ObjectEventHandler<T>
  | LazyEventHandler<T>
  | MetadataEventHandler
  | KeyEventHandler;

/** A callback of an event handler that threw, or whose promise rejected. The others got their event. */
export class HandlerError extends ListwatchError {
  readonly handler: string;
  readonly callback: 'onAdd' | 'onUpdate' | 'onDelete';
  readonly key: string;

  constructor(
    handler: string,
    callback: 'onAdd' | 'onUpdate' | 'onDelete',
    key: string,
    cause: unknown,
  ) {
    super('HANDLER', `${callback} of ${handler} threw for "${key}": ${errorMessage(cause)}`, {
      cause,
    });
    this.handler = handler;
    this.callback = callback;
    this.key = key;
  }
}
