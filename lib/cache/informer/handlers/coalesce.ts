import type { HasMetadata } from '../../../meta/object.ts';
import { AddNotification, UpdateNotification, type Notification } from './notification.ts';

/** The pending notifications of a handler for one key: a deletion of the old object, the present object, or both. */
interface Outstanding<V extends HasMetadata> {
  gone: Notification<V> | undefined;
  present: Notification<V> | undefined;
}

/**
 * The shortest list of notifications with the same start and end state: for each key at most a deletion and an addition, or
 * one update. Keys keep the order of their first notification.
 */
export function coalesce<V extends HasMetadata>(
  notifications: Iterable<Notification<V>>,
): Notification<V>[] {
  const byKey = new Map<string, Outstanding<V>>();
  for (const notification of notifications) {
    let outstanding = byKey.get(notification.key);
    if (outstanding === undefined) {
      outstanding = { gone: undefined, present: undefined };
      byKey.set(notification.key, outstanding);
    }
    merge(outstanding, notification);
  }
  const merged: Notification<V>[] = [];
  for (const { gone, present } of byKey.values()) {
    if (gone !== undefined) merged.push(gone);
    if (present !== undefined) merged.push(present);
  }
  return merged;
}

function merge<V extends HasMetadata>(
  outstanding: Outstanding<V>,
  notification: Notification<V>,
): void {
  const { present } = outstanding;
  switch (notification.type) {
    case 'add':
      outstanding.present = notification;
      return;
    case 'update':
      outstanding.present = present === undefined ? notification : joined(present, notification);
      return;
    case 'delete':
      // The handler has never seen an object that was added and deleted in between.
      if (present?.type !== 'add') outstanding.gone ??= notification;
      outstanding.present = undefined;
      return;
  }
}

function joined<V extends HasMetadata>(
  before: Notification<V>,
  after: UpdateNotification<V>,
): Notification<V> {
  const { key, object } = after;
  // The merged change is `other` if one of its changes came from another client.
  const origin = before.origin === 'self' ? after.origin : before.origin;
  if (before.type === 'add') return new AddNotification(key, object, before.initial, origin);
  const old = before.type === 'update' ? before.old : after.old;
  const resync = after.resync && (before.type !== 'update' || before.resync);
  return new UpdateNotification(key, old, object, resync, origin);
}
