import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { thrownMessage } from '../../../kernel/failure/frozen-remedy.ts';
import type { ObjectMeta } from '../../../meta/object.ts';

/**
 * The author of a change. `self`: exactly the change that was passed to `informer.written` or `informer.deleted`. `other`: any
 * other change, and a change of unknown author: one found by a list, or one received before the answer of the write.
 */
export type Origin = 'self' | 'other';

export interface AddInfo {
  readonly key: string;
  /** The object existed when the handler was added, or when the informer started. */
  readonly initial: boolean;
  readonly origin: Origin;
}

export interface UpdateInfo {
  readonly key: string;
  /** A resync without a change: the resync interval of the handler has passed, and both objects are the same. */
  readonly resync: boolean;
  readonly origin: Origin;
}

export interface DeleteInfo {
  readonly key: string;
  /** The deletion itself was missed. The object is the last state seen; it may have changed before the deletion. */
  readonly finalStateUnknown: boolean;
  readonly origin: Origin;
}

/**
 * Callbacks for objects that are added, updated and deleted. All callbacks are optional; a returned promise is awaited before the next one.
 *
 * The objects are shared with the cache and all other handlers and must not be modified. During a callback the cache shows
 * its change, and may show later ones. The callbacks are looked up once, when the handler is added.
 */
export interface ObjectEventHandler<T> {
  readonly view?: 'object' | undefined;
  onAdd?(object: T, info: AddInfo): unknown;
  /** Both states may share a part that did not change, such as `spec`. */
  onUpdate?(old: T, object: T, info: UpdateInfo): unknown;
  /** `object` is the last known state. */
  onDelete?(object: T, info: DeleteInfo): unknown;
}

/**
 * Key and metadata of an object whose body need not be decoded.
 *
 * All handlers and filters share one view. `metadata` is decoded on first read; a callback that reads only the `key` decodes
 * nothing. The view can be destructured and logged like any object. A spread does not copy getters, so it loses the metadata.
 */
export interface ObjectMetadata {
  readonly key: string;
  readonly metadata: ObjectMeta;
}

/**
 * As `ObjectEventHandler`, for callbacks that need only key and metadata. No object is decoded for them; metadata is decoded
 * only when they read it.
 */
export interface MetadataEventHandler {
  readonly view: 'metadata';
  onAdd?(added: ObjectMetadata & AddInfo): unknown;
  onUpdate?(old: ObjectMetadata, updated: ObjectMetadata & UpdateInfo): unknown;
  onDelete?(deleted: ObjectMetadata & DeleteInfo): unknown;
}

/**
 * As `MetadataEventHandler`, for callbacks that need only the key: they put it into a work queue, and the worker that takes it
 * reads the cache. Nothing of a removed state is retained for them, so they are the fastest handlers.
 * An argument is frozen plain data: it can be kept and logged after the object has left the cache.
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

/** As `ObjectEventHandler`, for callbacks that read the metadata first and need only some of the bodies. */
export interface LazyEventHandler<T> {
  readonly view: 'lazy';
  onAdd?(added: LazyObject<T>, info: AddInfo): unknown;
  onUpdate?(old: LazyObject<T>, updated: LazyObject<T>, info: UpdateInfo): unknown;
  onDelete?(deleted: LazyObject<T>, info: DeleteInfo): unknown;
}

/** An event handler in one of its forms; `view` distinguishes them. */
export type ResourceEventHandler<T> =
  | ObjectEventHandler<T>
  | LazyEventHandler<T>
  | MetadataEventHandler
  | KeyEventHandler;

/** The error of a callback that threw, or whose promise rejected. The other handlers got their event. */
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
    super('HANDLER', `${callback} of ${handler} threw for "${key}": ${thrownMessage(cause)}`, {
      cause,
    });
    this.handler = handler;
    this.callback = callback;
    this.key = key;
  }
}
