import type { HasMetadata } from '../../meta/object.ts';
import type { Origin } from './event-handler.ts';

/** One call of a handler to come. It is shared by all handlers, and it is what they get as `info`. */
export type Notification<V extends HasMetadata> =
  | AddNotification<V>
  | UpdateNotification<V>
  | DeleteNotification<V>;

export interface AddNotification<V> {
  readonly type: 'add';
  readonly key: string;
  readonly object: V;
  readonly initial: boolean;
  readonly origin: Origin;
}

export interface UpdateNotification<V> {
  readonly type: 'update';
  readonly key: string;
  readonly old: V;
  readonly object: V;
  readonly resync: boolean;
  readonly origin: Origin;
}

export interface DeleteNotification<V> {
  readonly type: 'delete';
  readonly key: string;
  readonly object: V;
  readonly finalStateUnknown: boolean;
  readonly origin: Origin;
}

/** Notifications that are queued together: one entry in each handler's queue, however many there are. */
export interface NotificationBatch<V extends HasMetadata> {
  readonly notifications: readonly Notification<V>[];
  /** They belong to the state at the start; a handler is synced when it has seen them. */
  readonly initial: boolean;
  /** All handlers, or those whose resync interval has passed. */
  readonly audience: 'all' | 'resyncing';
}
