import { ListwatchError } from '../../kernel/errors.ts';
import { isStrayPromise } from '../../kernel/guarded-call.ts';
import { rejectUnknownOptions, requireOptions } from '../../kernel/options.ts';
import type {
  AddInfo,
  DeleteInfo,
  LazyEventHandler,
  LazyObject,
  MetadataEventHandler,
  ObjectEventHandler,
  ObjectMetadata,
  ResourceEventHandler,
  UpdateInfo,
} from './event-handler.ts';
import { checkHandler } from './notifier.ts';

/**
 * An event handler behind a filter. The filter has to be a pure, synchronous function of the object: what it said of the old
 * object decides whether the handler knows it.
 * @see client-go tools/cache/controller.go FilteringResourceEventHandler @ 32ce75a7
 */
export interface FilteringResourceEventHandler<F, H> {
  /** Whether the handler gets to know the object: as it is given to the handler, so for `view: 'metadata'` key and metadata. */
  readonly filter: (object: F) => boolean;
  readonly handler: H;
}

const OPTIONS: readonly (keyof FilteringResourceEventHandler<unknown, unknown>)[] = [
  'filter',
  'handler',
];

/**
 * Tells a handler only of the objects that pass a filter. An object that begins to pass is an addition, one that ceases to is
 * a deletion of its old state; what a filter throws is the error of that event, as if the callback had thrown it.
 * @example
 * informer.addHandler(
 *   filteringHandler({
 *     filter: (pod: Pod) => pod.spec?.nodeName === 'node-1',
 *     handler: { onAdd: (pod) => start(pod), onDelete: (pod) => stop(pod) },
 *   }),
 * );
 * @throws {ListwatchError} code INVALID_OPTION.
 */
export function filteringHandler(
  options: FilteringResourceEventHandler<ObjectMetadata, MetadataEventHandler>,
): MetadataEventHandler;
export function filteringHandler<T>(
  options: FilteringResourceEventHandler<LazyObject<T>, LazyEventHandler<T>>,
): LazyEventHandler<T>;
export function filteringHandler<T>(
  options: FilteringResourceEventHandler<T, ObjectEventHandler<T>>,
): ObjectEventHandler<T>;
export function filteringHandler<T>(
  options: FilteringResourceEventHandler<never, ResourceEventHandler<T>>,
): ResourceEventHandler<T> {
  requireOptions('filteringHandler', options, ['filter', 'handler']);
  rejectUnknownOptions('filteringHandler', options, OPTIONS);
  if (typeof options.filter !== 'function') {
    throw new ListwatchError(
      'INVALID_OPTION',
      `filteringHandler: option "filter" must be a function, not ${typeof options.filter}`,
    );
  }
  checkHandler('filteringHandler: option "handler"', options.handler);
  // The overloads tie the filter to the view of the handler.
  const filter = options.filter as (object: unknown) => unknown;
  const { handler } = options;
  return handler.view === 'metadata'
    ? filteredMetadata(filter, handler)
    : filteredObjects(filter, handler as ObjectEventHandler<unknown>);
}

type Filter = (object: unknown) => unknown;

/** Handlers of whole and of lazy objects differ in nothing but the object. */
function filteredObjects<T>(
  filter: Filter,
  handler: ObjectEventHandler<unknown>,
): ResourceEventHandler<T> {
  return {
    view: handler.view,
    onAdd: (object: unknown, info: AddInfo) =>
      passes(filter, object) ? handler.onAdd?.(object, info) : undefined,
    onUpdate: (old: unknown, object: unknown, info: UpdateInfo) => {
      const [after, before] = [passes(filter, object), passes(filter, old)];
      if (after && before) return handler.onUpdate?.(old, object, info);
      if (after) return handler.onAdd?.(object, entering(info));
      return before ? handler.onDelete?.(old, leaving(info)) : undefined;
    },
    onDelete: (object: unknown, info: DeleteInfo) =>
      passes(filter, object) ? handler.onDelete?.(object, info) : undefined,
  };
}

function filteredMetadata(filter: Filter, handler: MetadataEventHandler): MetadataEventHandler {
  return {
    view: 'metadata',
    onAdd: (added) => (passes(filter, added) ? handler.onAdd?.(added) : undefined),
    onUpdate: (old, updated) => {
      const [after, before] = [passes(filter, updated), passes(filter, old)];
      if (after && before) return handler.onUpdate?.(old, updated);
      if (after) return handler.onAdd?.({ metadata: updated.metadata, ...entering(updated) });
      return before
        ? handler.onDelete?.({ metadata: old.metadata, ...leaving(updated) })
        : undefined;
    },
    onDelete: (deleted) => (passes(filter, deleted) ? handler.onDelete?.(deleted) : undefined),
  };
}

function passes(filter: Filter, object: unknown): boolean {
  const passed = filter(object);
  if (!isStrayPromise(passed)) return Boolean(passed);
  throw new TypeError('the filter gave back a promise, and it has to be synchronous');
}

function entering({ key, origin }: UpdateInfo): AddInfo {
  return { key, initial: false, origin };
}

function leaving({ key, origin }: UpdateInfo): DeleteInfo {
  return { key, finalStateUnknown: false, origin };
}
