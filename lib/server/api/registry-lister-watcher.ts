import type {
  ListerWatcher,
  ListPage,
  ListRequest,
  WatchRequest,
  WatchStream,
} from '../../cache/reflector/lister-watcher.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import { parseFieldSelector } from '../../meta/field-selector.ts';
import { parseLabelSelector } from '../../meta/label-selector.ts';
import type { CollectionOptions, ResourceName } from '../../meta/collection.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import { groupResource, parseApiVersion, type GroupVersion } from '../../meta/resource.ts';
import { closedAfter } from '../cacher/closed-after.ts';
import type { ResourceRegistry, RestStorage } from '../registry/rest-storage.ts';
import { serverContext } from '../registry/server-context.ts';
import { methodNotAllowed, unknownPath } from './http/request-failures.ts';

export interface RegistryListerWatcherOptions extends ResourceName, CollectionOptions {
  /** Asked at each list and watch, so that a custom resource may come after its readers. */
  readonly registry: () => Promise<ResourceRegistry>;
  readonly runtime: Runtime;
}

/**
 * Lists and watches a resource of this process's own server, under the rules of the HTTP API but without it: versions,
 * selectors, bookmarks and errors are the same; what travels are the very objects that the watch cache holds, decoded when
 * somebody asks.
 */
export class RegistryListerWatcher<T extends KubernetesObject>
  implements ListerWatcher<ObjectView<T>>
{
  readonly description: string;
  readonly #options: RegistryListerWatcherOptions;
  readonly #groupVersion: GroupVersion;

  /** @throws {ListwatchError} code INVALID_API_VERSION; INVALID_SELECTOR. */
  constructor(options: RegistryListerWatcherOptions) {
    const { apiVersion, resource, namespace = '', labelSelector, fieldSelector } = options;
    this.#options = options;
    this.#groupVersion = parseApiVersion(apiVersion);
    // Read now, so that a slip is reported to whoever made it and not to a retry loop.
    parseLabelSelector(labelSelector ?? '');
    parseFieldSelector(fieldSelector ?? '');
    const name = groupResource({ group: this.#groupVersion.group, resource });
    this.description = namespace === '' ? name : `${name} in namespace ${namespace}`;
  }

  async list({ signal, ...options }: ListRequest): Promise<ListPage<ObjectView<T>>> {
    const { namespace = '', labelSelector, fieldSelector } = this.#options;
    const storage = await this.#storage();
    if (storage.list === undefined) throw methodNotAllowed('list');
    const list = await storage.list(serverContext(namespace, signal), {
      ...options,
      labelSelector,
      fieldSelector,
    });
    // What a type parameter says about stored objects is the caller's claim, as it is over HTTP.
    return list as unknown as ListPage<ObjectView<T>>;
  }

  async watch({
    signal,
    timeoutSeconds,
    ...options
  }: WatchRequest): Promise<WatchStream<ObjectView<T>>> {
    const { namespace = '', labelSelector, fieldSelector, runtime } = this.#options;
    const storage = await this.#storage();
    if (storage.watch === undefined) throw methodNotAllowed('watch');
    const timeoutMs = timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000;
    const watch = await storage.watch(serverContext(namespace, signal), {
      ...options,
      labelSelector,
      fieldSelector,
      deadlineMonotonicMs: timeoutMs === undefined ? undefined : runtime.monotonicMs() + timeoutMs,
    });
    const stream = timeoutMs === undefined ? watch : closedAfter(runtime, timeoutMs, watch);
    return stream as unknown as WatchStream<ObjectView<T>>;
  }

  async #storage(): Promise<RestStorage> {
    const { group, version } = this.#groupVersion;
    const registry = await this.#options.registry();
    const installed = registry.lookup(group, version, this.#options.resource);
    if (installed === undefined) throw unknownPath();
    return installed.main;
  }
}
