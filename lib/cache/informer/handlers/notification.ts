import type { HasMetadata, ObjectMeta } from '../../../meta/object.ts';
import type { AddInfo, DeleteInfo, ObjectMetadata, Origin, UpdateInfo } from './event-handler.ts';

/**
 * A pending call of handlers. All handlers share it: it is their `info`, and the argument for handlers with the view
 * `metadata`, so another handler allocates nothing. Its `metadata` is read from the object on first use.
 */
export type Notification<V extends HasMetadata> =
  | AddNotification<V>
  | UpdateNotification<V>
  | DeleteNotification<V>;

const NO_METADATA: ObjectMeta = Object.freeze({});

/** Key and metadata of an object; the metadata is decoded on first read. */
export class LazyMetadata implements ObjectMetadata {
  readonly key: string;
  readonly #object: HasMetadata;

  constructor(key: string, object: HasMetadata) {
    this.key = key;
    this.#object = object;
  }

  get metadata(): ObjectMeta {
    return this.#object.metadata ?? NO_METADATA;
  }

  toJSON(): ObjectMetadata {
    return { key: this.key, metadata: this.metadata };
  }
}

/** The form of an object in a log; without metadata that has been released. */
export interface LoggedObject {
  readonly key: string;
  readonly metadata: ObjectMeta | undefined;
}

/** A handler of keys cannot read an object that left the cache; logging its notification must not throw. */
function loggedMetadata(notification: ObjectMetadata): ObjectMeta | undefined {
  try {
    return notification.metadata;
  } catch {
    return undefined;
  }
}

/** The common part of all notifications. */
abstract class ObjectNotification<V extends HasMetadata> implements ObjectMetadata {
  readonly key: string;
  readonly object: V;
  readonly origin: Origin;

  constructor(key: string, object: V, origin: Origin) {
    this.key = key;
    this.object = object;
    this.origin = origin;
  }

  get metadata(): ObjectMeta {
    return this.object.metadata ?? NO_METADATA;
  }
}

export class AddNotification<V extends HasMetadata>
  extends ObjectNotification<V>
  implements AddInfo
{
  readonly initial: boolean;

  constructor(key: string, object: V, initial: boolean, origin: Origin) {
    super(key, object, origin);
    this.initial = initial;
  }

  get type(): 'add' {
    return 'add';
  }

  /** Its form in a log: never the body. */
  toJSON(): LoggedObject & AddInfo {
    const { key, initial, origin } = this;
    return { key, metadata: loggedMetadata(this), initial, origin };
  }
}

export class UpdateNotification<V extends HasMetadata>
  extends ObjectNotification<V>
  implements UpdateInfo
{
  readonly old: V;
  readonly resync: boolean;
  #oldMetadata: ObjectMetadata | undefined;

  constructor(key: string, old: V, object: V, resync: boolean, origin: Origin) {
    super(key, object, origin);
    this.old = old;
    this.resync = resync;
  }

  get type(): 'update' {
    return 'update';
  }

  /** The old object for handlers with the view `metadata`, shared by all of them. */
  get oldMetadata(): ObjectMetadata {
    this.#oldMetadata ??= new LazyMetadata(this.key, this.old);
    return this.#oldMetadata;
  }

  /** Its form in a log: never the body. */
  toJSON(): LoggedObject & UpdateInfo {
    const { key, resync, origin } = this;
    return { key, metadata: loggedMetadata(this), resync, origin };
  }
}

export class DeleteNotification<V extends HasMetadata>
  extends ObjectNotification<V>
  implements DeleteInfo
{
  readonly finalStateUnknown: boolean;

  constructor(key: string, object: V, finalStateUnknown: boolean, origin: Origin) {
    super(key, object, origin);
    this.finalStateUnknown = finalStateUnknown;
  }

  get type(): 'delete' {
    return 'delete';
  }

  /** Its form in a log: never the body. */
  toJSON(): LoggedObject & DeleteInfo {
    const { key, finalStateUnknown, origin } = this;
    return { key, metadata: loggedMetadata(this), finalStateUnknown, origin };
  }
}

/** Notifications that are queued together, as one entry in each handler's queue. */
export interface NotificationBatch<V extends HasMetadata> {
  readonly notifications: readonly Notification<V>[];
  /** The notifications belong to the state at the start; a handler is synced when it has seen them. */
  readonly initial: boolean;
  /** All handlers, or those whose resync interval has passed. */
  readonly audience: 'all' | 'resyncing';
}

/*
 * The argument of a handler of keys: plain data that the handler may keep, spread or log at any time. A notification cannot be
 * used, since it refers to an object, and objects are not retained for such a handler.
 */

export function addedKey({ key, initial, origin }: AddInfo): AddInfo {
  return Object.freeze({ key, initial, origin });
}

export function updatedKey({ key, resync, origin }: UpdateInfo): UpdateInfo {
  return Object.freeze({ key, resync, origin });
}

export function deletedKey({ key, finalStateUnknown, origin }: DeleteInfo): DeleteInfo {
  return Object.freeze({ key, finalStateUnknown, origin });
}
