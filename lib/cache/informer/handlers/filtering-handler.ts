import { isStrayPromise } from '../../../kernel/failure/guarded-call.ts';
import { is, optionsOf } from '../../../kernel/options/options-schema.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import type {
  AddInfo,
  DeleteInfo,
  KeyEventHandler,
  LazyEventHandler,
  LazyObject,
  MetadataEventHandler,
  ObjectEventHandler,
  ObjectMetadata,
  ResourceEventHandler,
  UpdateInfo,
} from './event-handler.ts';
import {
  addedKey,
  deletedKey,
  updatedKey,
  AddNotification,
  DeleteNotification,
  LazyMetadata,
} from './notification.ts';
import { checkHandler } from './notifier.ts';

/**
 * An event handler behind a filter. The filter has to be a pure, synchronous function of the object: its result for the old
 * object says whether the handler has seen that object.
 * @see client-go tools/cache/controller.go FilteringResourceEventHandler @ 32ce75a7
 */
export interface FilteringResourceEventHandler<F, H> {
  /**
   * The argument of the filter. `metadata`: key and metadata, for every view of the handler. Then only objects that pass are
   * decoded. @defaultValue the objects as the handler gets them
   */
  readonly view?: 'metadata' | undefined;
  /** Whether the handler gets the object. */
  readonly filter: (object: F) => boolean;
  readonly handler: H;
}

/** A filter that gets only key and metadata. */
type OfMetadata<H> = FilteringResourceEventHandler<ObjectMetadata, H> & {
  readonly view: 'metadata';
};

/** A filter that gets the same view as its handler. */
type OfObjects<F, H> = FilteringResourceEventHandler<F, H> & { readonly view?: undefined };

const OPTIONS = optionsOf<FilteringResourceEventHandler<never, object>>()('filteringHandler', {
  view: is.oneOf('metadata'),
  filter: is.callback().required,
  handler: is.anything().required,
});

/**
 * Calls a handler only for the objects that pass a filter. When an object begins to pass, the handler gets an addition; when
 * it no longer passes, a deletion of its old state. When the filter throws, the event fails as if the callback had thrown.
 * @example
 * informer.addHandler(
 *   filteringHandler({
 *     filter: (pod: Pod) => pod.spec?.nodeName === 'node-1',
 *     handler: { onAdd: (pod) => start(pod), onDelete: (pod) => stop(pod) },
 *   }),
 * );
 * @example
 * // Decodes the Pods of one team, and no others.
 * informer.addHandler(
 *   filteringHandler({
 *     view: 'metadata',
 *     filter: ({ metadata }) => metadata.labels?.['team'] === 'shop',
 *     handler: { onAdd: (pod: Pod) => start(pod) },
 *   }),
 * );
 * @throws {ListwatchError} code INVALID_OPTION.
 */
export function filteringHandler(
  options: FilteringResourceEventHandler<ObjectMetadata, MetadataEventHandler>,
): MetadataEventHandler;
export function filteringHandler(
  options: FilteringResourceEventHandler<ObjectMetadata, KeyEventHandler>,
): MetadataEventHandler;
export function filteringHandler<T>(options: OfMetadata<LazyEventHandler<T>>): LazyEventHandler<T>;
export function filteringHandler<T>(
  options: OfMetadata<ObjectEventHandler<T>>,
): LazyEventHandler<T>;
export function filteringHandler<T>(
  options: OfObjects<LazyObject<T>, LazyEventHandler<T>>,
): LazyEventHandler<T>;
export function filteringHandler<T>(
  options: OfObjects<T, ObjectEventHandler<T>>,
): ObjectEventHandler<T>;
export function filteringHandler<T>(
  options: FilteringResourceEventHandler<never, ResourceEventHandler<T>>,
): ResourceEventHandler<T> {
  const { view, handler } = OPTIONS.read<typeof options>(options);
  checkHandler('filteringHandler: option "handler"', handler);
  // The overloads tie the filter to the view.
  const filter = options.filter as unknown as Filter;
  if (handler.view === 'key') return filteredMetadata(passing(filter), ofMetadata(handler));
  if (handler.view === 'metadata') return filteredMetadata(passing(filter), handler);
  if (view === 'metadata') {
    const lazy = handler.view === 'lazy' ? handler : decoding(handler);
    return { view: 'lazy', ...filteredObjects(passingMetadata(filter), lazy) };
  }
  return handler.view === 'lazy'
    ? { view: 'lazy', ...filteredObjects(passing(filter), handler) }
    : { view: 'object', ...filteredObjects(passing(filter), handler) };
}

type Filter = (object: unknown) => unknown;

/** Whether the handler gets an object. */
type Passes<O> = (object: O, info: { readonly key: string }) => boolean;

/** Handlers of whole objects and of lazy objects differ only in the object. */
type CallbacksOf<O> = Omit<ObjectEventHandler<O>, 'view'>;

function passing(filter: Filter): Passes<unknown> {
  return (object) => isYes(filter(object));
}

function passingMetadata(filter: Filter): Passes<HasMetadata> {
  return (object, { key }) => isYes(filter(new LazyMetadata(key, object)));
}

function isYes(passed: unknown): boolean {
  if (!isStrayPromise(passed)) return Boolean(passed);
  throw new TypeError('the filter gave back a promise, and it has to be synchronous');
}

/** A handler of keys as one of metadata, which the filter reads. */
function ofMetadata(handler: KeyEventHandler): MetadataEventHandler {
  return {
    view: 'metadata',
    onAdd: (added) => handler.onAdd?.(addedKey(added)),
    onUpdate: (_, updated) => handler.onUpdate?.(updatedKey(updated)),
    onDelete: (deleted) => handler.onDelete?.(deletedKey(deleted)),
  };
}

/** A handler of whole objects as one of lazy ones. */
function decoding<T>(handler: ObjectEventHandler<T>): CallbacksOf<LazyObject<T>> {
  return {
    onAdd: (added, info) => handler.onAdd?.(added.object, info),
    onUpdate: (old, updated, info) => handler.onUpdate?.(old.object, updated.object, info),
    onDelete: (deleted, info) => handler.onDelete?.(deleted.object, info),
  };
}

function filteredObjects<O>(passes: Passes<O>, handler: CallbacksOf<O>): CallbacksOf<O> {
  return {
    onAdd: (object, info) => (passes(object, info) ? handler.onAdd?.(object, info) : undefined),
    onUpdate: (old, object, info) => {
      const after = passes(object, info);
      const before = passes(old, info);
      if (after && before) return handler.onUpdate?.(old, object, info);
      if (after) return handler.onAdd?.(object, entering(info));
      return before ? handler.onDelete?.(old, leaving(info)) : undefined;
    },
    onDelete: (object, info) =>
      passes(object, info) ? handler.onDelete?.(object, info) : undefined,
  };
}

function filteredMetadata(
  passes: Passes<ObjectMetadata>,
  handler: MetadataEventHandler,
): MetadataEventHandler {
  return {
    view: 'metadata',
    onAdd: (added) => (passes(added, added) ? handler.onAdd?.(added) : undefined),
    onUpdate: (old, updated) => {
      const after = passes(updated, updated);
      const before = passes(old, updated);
      if (after && before) return handler.onUpdate?.(old, updated);
      const { key, origin } = updated;
      if (after) return handler.onAdd?.(new AddNotification(key, updated, false, origin));
      return before
        ? handler.onDelete?.(new DeleteNotification(key, old, false, origin))
        : undefined;
    },
    onDelete: (deleted) => (passes(deleted, deleted) ? handler.onDelete?.(deleted) : undefined),
  };
}

function entering({ key, origin }: UpdateInfo): AddInfo {
  return { key, initial: false, origin };
}

function leaving({ key, origin }: UpdateInfo): DeleteInfo {
  return { key, finalStateUnknown: false, origin };
}
