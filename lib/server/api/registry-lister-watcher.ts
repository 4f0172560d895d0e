import type {
  ListerWatcher,
  ListPage,
  ListRequest,
  SourceSupport,
  WatchRequest,
  WatchStream,
} from '../../cache/reflector/contract/lister-watcher.ts';
import type { SharedCollections } from '../../cache/reflector/contract/shared-collections.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { parseFieldSelector } from '../../meta/selectors/field-selector.ts';
import { parseLabelSelector } from '../../meta/selectors/label-selector.ts';
import { parseShardSelector } from '../../meta/selectors/shard-selector.ts';
import {
  describeCollection,
  type CollectionOptions,
  type ResourceName,
} from '../../meta/collection-options.ts';
import { DecodedView, type ObjectView } from '../../meta/object-view.ts';
import { dropManagedFields } from '../../meta/drop-managed-fields.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import { partialObjectMetadata } from '../../meta/partial-object-metadata.ts';
import { parseApiVersion, type GroupVersion } from '../../meta/resource.ts';
import type { WatchEvent } from '../../meta/watch-event.ts';
import { closedAfter } from '../cacher/storage-lister-watcher.ts';
import type { ResourceRegistry, RestStorage } from '../registry/contract/rest-storage.ts';
import { serverContext } from '../registry/contract/server-context.ts';
import { methodNotAllowed, unknownPath } from '../http/request-failures.ts';

export interface RegistryListerWatcherOptions extends ResourceName, CollectionOptions {
  /** Called for each list and watch, so that a custom resource may be defined after its readers were created. */
  readonly registry: () => Promise<ResourceRegistry>;
  readonly runtime: Runtime;
  /** Of the server: its readers may share what they read. */
  readonly collections: SharedCollections;
}

/**
 * Lists and watches a resource of the server in this process by the rules of the HTTP API, but without HTTP: versions, selectors,
 * bookmarks and errors are the same. The objects are those of the watch cache, decoded at the first read.
 */
export class RegistryListerWatcher<T extends KubernetesObject>
  implements ListerWatcher<ObjectView<T>>
{
  readonly description: string;
  readonly resource: ResourceName;
  readonly supports: SourceSupport<ObjectView<T>>;
  readonly #options: RegistryListerWatcherOptions;
  readonly #groupVersion: GroupVersion;

  /** @throws {ListwatchError} code INVALID_API_VERSION; INVALID_SELECTOR. */
  constructor(options: RegistryListerWatcherOptions) {
    const { apiVersion, resource, labelSelector, fieldSelector, shardSelector = '' } = options;
    this.#options = options;
    this.#groupVersion = parseApiVersion(apiVersion);
    // Parsed now, so that the caller gets the error of an invalid option at once and not in a retry loop.
    parseLabelSelector(labelSelector ?? '');
    parseFieldSelector(fieldSelector ?? '');
    if (shardSelector !== '') parseShardSelector(shardSelector);
    const { group } = this.#groupVersion;
    this.description = describeCollection({ group, resource }, options);
    this.resource = { apiVersion, resource };
    const { collections, namespace, metadataOnly = false, managedFields = true } = options;
    const texts = [namespace, labelSelector, fieldSelector, shardSelector].map((one) => one ?? '');
    const key = JSON.stringify([apiVersion, resource, ...texts, metadataOnly, managedFields]);
    this.supports = { sharing: { collections, key } };
    // A source that shares its collections has to read what its key says.
    Object.freeze(this);
  }

  async list(request: ListRequest): Promise<ListPage<ObjectView<T>>> {
    const { signal, cache: _, ...options } = request;
    const { namespace = '', ...selectors } = this.#options;
    const shown = formOf(this.#options);
    const storage = await this.#storage();
    if (storage.list === undefined) throw methodNotAllowed();
    const list = await storage.list(serverContext(namespace, signal), {
      ...options,
      ...selectorsOf(selectors),
    });
    const page = shown === undefined ? list : { ...list, items: list.items.map(shown) };
    // The type parameter is an assertion of the caller about the stored objects, as over HTTP.
    return page as unknown as ListPage<ObjectView<T>>;
  }

  async watch(request: WatchRequest): Promise<WatchStream<ObjectView<T>>> {
    const { signal, timeoutSeconds, cache: _, ...options } = request;
    const { namespace = '', runtime, ...selectors } = this.#options;
    const shown = formOf(this.#options);
    const storage = await this.#storage();
    if (storage.watch === undefined) throw methodNotAllowed();
    const timeoutMs = timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000;
    const watch = await storage.watch(serverContext(namespace, signal), {
      ...options,
      ...selectorsOf(selectors),
      deadlineMonotonicMs: timeoutMs === undefined ? undefined : runtime.monotonicMs() + timeoutMs,
    });
    const stream = timeoutMs === undefined ? watch : closedAfter(runtime, timeoutMs, watch);
    const events = shown === undefined ? stream : eachAs(shown, stream);
    return events as unknown as WatchStream<ObjectView<T>>;
  }

  async #storage(): Promise<RestStorage> {
    const { group, version } = this.#groupVersion;
    const registry = await this.#options.registry();
    const installed = registry.lookup(group, version, this.#options.resource);
    if (installed === undefined) throw unknownPath();
    return installed.main;
  }
}

function selectorsOf({
  labelSelector,
  fieldSelector,
  shardSelector,
}: CollectionOptions): CollectionOptions {
  return { labelSelector, fieldSelector, shardSelector };
}

type Form = (object: ObjectView) => ObjectView;

/** How objects are shown that are not shown whole. */
function formOf({ metadataOnly, managedFields }: CollectionOptions): Form | undefined {
  const isBare = managedFields === false;
  if (metadataOnly === true) {
    return (view) => {
      const metadata = partialObjectMetadata(view);
      return new DecodedView(isBare ? dropManagedFields(metadata) : metadata);
    };
  }
  return isBare ? ({ object }) => new DecodedView(dropManagedFields(object)) : undefined;
}

function eachAs(shown: Form, stream: WatchStream<ObjectView>): WatchStream<ObjectView> {
  return {
    [Symbol.asyncIterator]: () => {
      const batches = stream[Symbol.asyncIterator]();
      const event = (one: WatchEvent<ObjectView>): WatchEvent<ObjectView> =>
        one.type === 'BOOKMARK' ? one : { type: one.type, object: shown(one.object) };
      return {
        next: async () => {
          const { done, value } = await batches.next();
          return done === true ? { done, value } : { done: false, value: value.map(event) };
        },
        // Must not wait for a read in progress, as the `return` of a generator would.
        return: async () => {
          await batches.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
