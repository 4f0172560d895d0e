import { ListwatchError } from '../../../kernel/failure/errors.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { ObjectView } from '../../../meta/object-view.ts';
import { decodedPair } from '../../memory/views/decoded-pair.ts';
import type { ResourceEventHandler } from './event-handler.ts';
import {
  addedKey,
  deletedKey,
  updatedKey,
  type AddNotification,
  type DeleteNotification,
  type Notification,
  type UpdateNotification,
} from './notification.ts';

/** Calls the callback that a notification is for. */
export type Notifier<T extends KubernetesObject> = (
  notification: Notification<ObjectView<T>>,
) => unknown;

const CALLBACKS = ['onAdd', 'onUpdate', 'onDelete'] as const;

/** The callback that a type of notification is for. */
export const callbackOf = { add: 'onAdd', update: 'onUpdate', delete: 'onDelete' } as const;

type Callback = (...given: readonly unknown[]) => unknown;

/** How the callbacks of a view are called. */
interface Calls {
  readonly add: (onAdd: Callback, change: AddNotification<ObjectView>) => unknown;
  readonly update: (onUpdate: Callback, change: UpdateNotification<ObjectView>) => unknown;
  readonly delete: (onDelete: Callback, change: DeleteNotification<ObjectView>) => unknown;
}

/** Parts that a view does not have are not read, so they are not decoded. */
const CALLS: Readonly<Record<NonNullable<ResourceEventHandler<unknown>['view']>, Calls>> = {
  object: {
    add: (onAdd, change) => onAdd(change.object.object, change),
    update: (onUpdate, change) => {
      const [old, object] = decodedPair(change.old, change.object);
      return onUpdate(old, object, change);
    },
    delete: (onDelete, change) => onDelete(change.object.object, change),
  },
  lazy: {
    add: (onAdd, change) => onAdd(change.object, change),
    update: (onUpdate, change) => onUpdate(change.old, change.object, change),
    delete: (onDelete, change) => onDelete(change.object, change),
  },
  metadata: {
    add: (onAdd, change) => onAdd(change),
    update: (onUpdate, change) => onUpdate(change.oldMetadata, change),
    delete: (onDelete, change) => onDelete(change),
  },
  key: {
    add: (onAdd, change) => onAdd(addedKey(change)),
    update: (onUpdate, change) => onUpdate(updatedKey(change)),
    delete: (onDelete, change) => onDelete(deletedKey(change)),
  },
};

const VIEWS: readonly unknown[] = Object.keys(CALLS);

/**
 * Binds the callbacks of a handler.
 * @throws {ListwatchError} code INVALID_OPTION for something that is no handler.
 */
export function notifierOf<T extends KubernetesObject>(
  name: string,
  handler: ResourceEventHandler<T>,
): Notifier<T> {
  checkHandler(name, handler);
  const given = handler as Partial<Record<(typeof CALLBACKS)[number], Callback>>;
  const onAdd = given.onAdd?.bind(handler);
  const onUpdate = given.onUpdate?.bind(handler);
  const onDelete = given.onDelete?.bind(handler);
  const calls = CALLS[handler.view ?? 'object'];
  return (change) => {
    switch (change.type) {
      case 'add':
        return onAdd && calls.add(onAdd, change);
      case 'update':
        return onUpdate && calls.update(onUpdate, change);
      case 'delete':
        return onDelete && calls.delete(onDelete, change);
    }
  };
}

/** @throws {ListwatchError} code INVALID_OPTION for something that is no handler. */
export function checkHandler(name: string, handler: unknown): void {
  const fail = (rule: string): never => {
    throw new ListwatchError('INVALID_OPTION', `${name} is no event handler: ${rule}`);
  };
  if (typeof handler !== 'object' || handler === null) return fail('expected an object');
  const { view } = handler as { readonly view?: unknown };
  if (view !== undefined && !VIEWS.includes(view)) {
    return fail(`view must be one of ${VIEWS.join(', ')}, not ${JSON.stringify(view)}`);
  }
  const callbacks = CALLBACKS.map((callback) => (handler as Record<string, unknown>)[callback]);
  if (callbacks.every((callback) => callback === undefined)) {
    return fail('it must have onAdd, onUpdate or onDelete');
  }
  if (callbacks.some((callback) => callback !== undefined && typeof callback !== 'function')) {
    return fail('onAdd, onUpdate and onDelete must be functions');
  }
}
