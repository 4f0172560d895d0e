import { ListwatchError } from '../../../kernel/errors.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { ObjectView } from '../../../meta/object-view.ts';
import type {
  KeyEventHandler,
  LazyEventHandler,
  MetadataEventHandler,
  ObjectEventHandler,
  ResourceEventHandler,
} from './event-handler.ts';
import { addedKey, deletedKey, updatedKey } from './key-info.ts';
import type { Notification } from './notification.ts';

/** Calls the callback that a notification is for. */
export type Notifier<T extends KubernetesObject> = (
  notification: Notification<ObjectView<T>>,
) => unknown;

const CALLBACKS = ['onAdd', 'onUpdate', 'onDelete'] as const;

const VIEWS: readonly unknown[] = ['object', 'lazy', 'metadata', 'key'];

/** The callback that a type of notification is for. */
export const callbackOf = { add: 'onAdd', update: 'onUpdate', delete: 'onDelete' } as const;

/**
 * @throws {ListwatchError} code INVALID_OPTION for something that is no handler.
 */
export function notifierOf<T extends KubernetesObject>(
  name: string,
  handler: ResourceEventHandler<T>,
): Notifier<T> {
  checkHandler(name, handler);
  switch (handler.view) {
    case 'metadata':
      return metadataNotifier(handler);
    case 'key':
      return keyNotifier(handler);
    case 'lazy':
      return lazyNotifier(handler);
    case 'object':
    case undefined:
      return objectNotifier(handler);
  }
}

function objectNotifier<T extends KubernetesObject>(handler: ObjectEventHandler<T>): Notifier<T> {
  const onAdd = handler.onAdd?.bind(handler);
  const onUpdate = handler.onUpdate?.bind(handler);
  const onDelete = handler.onDelete?.bind(handler);
  return (notification) => {
    switch (notification.type) {
      case 'add':
        return onAdd?.(notification.object.object, notification);
      case 'update':
        return onUpdate?.(notification.old.object, notification.object.object, notification);
      case 'delete':
        return onDelete?.(notification.object.object, notification);
    }
  };
}

function lazyNotifier<T extends KubernetesObject>(handler: LazyEventHandler<T>): Notifier<T> {
  const onAdd = handler.onAdd?.bind(handler);
  const onUpdate = handler.onUpdate?.bind(handler);
  const onDelete = handler.onDelete?.bind(handler);
  return (notification) => {
    switch (notification.type) {
      case 'add':
        return onAdd?.(notification.object, notification);
      case 'update':
        return onUpdate?.(notification.old, notification.object, notification);
      case 'delete':
        return onDelete?.(notification.object, notification);
    }
  };
}

/** Looks at no metadata: that is done by handlers that want it, and paid for by nobody else. */
function metadataNotifier<T extends KubernetesObject>(handler: MetadataEventHandler): Notifier<T> {
  const onAdd = handler.onAdd?.bind(handler);
  const onUpdate = handler.onUpdate?.bind(handler);
  const onDelete = handler.onDelete?.bind(handler);
  return (notification) => {
    switch (notification.type) {
      case 'add':
        return onAdd?.(notification);
      case 'update':
        return onUpdate?.(notification.oldMetadata, notification);
      case 'delete':
        return onDelete?.(notification);
    }
  };
}

/** Hands out nothing that leads to the object. */
function keyNotifier<T extends KubernetesObject>(handler: KeyEventHandler): Notifier<T> {
  const onAdd = handler.onAdd?.bind(handler);
  const onUpdate = handler.onUpdate?.bind(handler);
  const onDelete = handler.onDelete?.bind(handler);
  return (notification) => {
    switch (notification.type) {
      case 'add':
        return onAdd?.(addedKey(notification));
      case 'update':
        return onUpdate?.(updatedKey(notification));
      case 'delete':
        return onDelete?.(deletedKey(notification));
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
    return fail('it has none of onAdd, onUpdate and onDelete');
  }
  if (callbacks.some((callback) => callback !== undefined && typeof callback !== 'function')) {
    return fail('onAdd, onUpdate and onDelete must be functions');
  }
}
