import type { Client } from '../../client/rest/client.ts';
import type { ApiResource } from '../../client/rest/discovery/api-resource.ts';
import { expensiveChecksEnabled } from '../../kernel/failure/assert.ts';
import { errorMessage } from '../../kernel/failure/errors.ts';
import { sleep } from '../../kernel/time/wait.ts';
import type { ClusterParts } from './cluster-parts.ts';
import type { DiscoveredResources } from './discovered-resources.ts';
import { groupResource, type ResourceInfo } from '../../meta/resource.ts';
import { NAMESPACE_INDEX } from '../../cache/store/indexers.ts';
import { SharedIndexInformer } from '../../cache/informer/shared-index-informer.ts';
import type { HandlerRegistration } from '../../cache/informer/handlers/handler-registration.ts';
import type { ObjectMeta } from '../../meta/object.ts';
import type { PartialObjectMetadata } from '../../meta/partial-object-metadata.ts';
import { WITHIN_PROCESS } from './cluster-client.ts';

/** Gets the changes of the objects of followed resources. */
interface ResourceHandler {
  /** The full names of the resources that it gets. Left out: all. */
  readonly resources?: readonly string[] | undefined;
  /** `before` is undefined for an object that was not reported yet. */
  present?(resource: ApiResource, metadata: ObjectMeta, before: ObjectMeta | undefined): void;
  gone(resource: ApiResource, metadata: ObjectMeta): void;
  /** The resource is not served any more, and no deletion of this object was reported. */
  unserved?(resource: ApiResource, metadata: ObjectMeta): void;
}

interface ResourceMonitorOptions extends ClusterParts {
  readonly client: Client;
  readonly resource: ApiResource;
  readonly handler: ResourceEvents;
}

type ResourceEvents = Required<Omit<ResourceHandler, 'resources'>>;

/** The informer of the metadata of one resource. */
class ResourceMonitor {
  readonly resource: ApiResource;
  readonly #informer: SharedIndexInformer<PartialObjectMetadata>;
  readonly #registration: HandlerRegistration;
  readonly #running: Promise<void>;

  constructor({ client, resource, handler, runtime, logger }: ResourceMonitorOptions) {
    this.resource = resource;
    const { apiVersion, resource: plural } = resource;
    this.#informer = new SharedIndexInformer<PartialObjectMetadata>({
      listerWatcher: client.listerWatcher<PartialObjectMetadata>(
        { apiVersion, resource: plural },
        { metadataOnly: true },
      ),
      name: `metadata of ${resource.fullName}`,
      ...WITHIN_PROCESS,
      freeze: expensiveChecksEnabled(),
      runtime,
      logger,
    });
    this.#registration = this.#informer.addHandler({
      view: 'metadata',
      onAdd: ({ metadata }) => handler.present(resource, metadata, undefined),
      onUpdate: ({ metadata: before }, { metadata }) => {
        // The deletion between two objects of one name was not seen.
        const isAnother = before.uid !== metadata.uid;
        if (isAnother) handler.gone(resource, before);
        handler.present(resource, metadata, isAnother ? undefined : before);
      },
      onDelete: ({ metadata }) => handler.gone(resource, metadata),
    });
    this.#running = this.#informer.run().catch((error: unknown) => {
      logger.warn('objects are not followed', { resource: resource.fullName, error });
    });
  }

  /** Whether nothing is left of it to report. */
  get isEmpty(): boolean {
    return this.#informer.indexer.size === 0;
  }

  /** The number of objects in a namespace; undefined before the first list. */
  count(namespace: string): number | undefined {
    if (!this.#informer.synced) return undefined;
    return this.#informer.indexer.indexKeys(NAMESPACE_INDEX, namespace).length;
  }

  /** Resolves when the handler has got the objects of the first list. */
  async whenSynced(timeoutMs: number, signal: AbortSignal): Promise<void> {
    await this.#registration.whenSynced({ timeoutMs, signal });
  }

  /** The objects whose deletion was not reported. */
  left(): readonly ObjectMeta[] {
    return this.#informer.indexer.list().map(({ metadata }) => metadata);
  }

  async close(): Promise<void> {
    await this.#informer.close();
    await this.#running;
  }
}

/** Changes of these are no news: nothing that they own or that owns them matters. */
const IGNORED: readonly string[] = ['events', 'events.events.k8s.io'];
const NEEDED_VERBS = ['delete', 'list', 'watch'];

/**
 * One version of each resource whose objects can be listed, watched and deleted, by its full name: the preferred one, or else the first
 * one that has it.
 */
function followedResources(all: readonly ApiResource[]): ReadonlyMap<string, ApiResource> {
  const followed = new Map<string, ApiResource>();
  for (const resource of all) {
    const name = groupResource(resource);
    if (IGNORED.includes(name) || followed.has(name)) continue;
    if (NEEDED_VERBS.every((verb) => resource.supports(verb))) followed.set(name, resource);
  }
  return followed;
}

function isSameVersion(one: ResourceInfo, other: ResourceInfo): boolean {
  return one.version === other.version && one.kind === other.kind;
}

/** So long a monitor goes on after its resource has left discovery: the deletions of its objects may still be under way. */
const LEAVE_AFTER_MS = 5000;

export interface ResourceMonitorsOptions extends ClusterParts {
  readonly client: Client;
  readonly served: DiscoveredResources;
}

interface FollowedResource {
  readonly monitor: ResourceMonitor;
  readonly handler: ResourceEvents;
}

/**
 * Informers of the metadata of all resources that can be listed, watched and deleted, and that some handler wants. They come and go with
 * the resources. All controllers of a cluster share them.
 */
export class ResourceMonitors implements AsyncDisposable {
  readonly #options: ResourceMonitorsOptions;
  readonly #handlers: ResourceHandler[] = [];
  readonly #monitors = new Map<string, FollowedResource>();
  readonly #leaving = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  constructor(options: ResourceMonitorsOptions) {
    this.#options = options;
  }

  /** The number of resources. */
  get size(): number {
    return this.#monitors.size;
  }

  /** The followed resources, by their full names. */
  get resources(): readonly ApiResource[] {
    return [...this.#monitors.values()].map(({ monitor }) => monitor.resource);
  }

  /** To be called before the start: the handler gets the changes of all objects of its resources. */
  addHandler(handler: ResourceHandler): void {
    this.#handlers.push(handler);
  }

  /** The number of objects of a resource in a namespace; undefined while they are not known. */
  count(fullName: string, namespace: string): number | undefined {
    return this.#monitors.get(fullName)?.monitor.count(namespace);
  }

  start(): void {
    this.#options.served.onChange((all) => {
      this.#follow(all);
    });
  }

  /**
   * Resolves when the objects of all present resources were reported, or of those with these full names.
   * @throws {ListwatchError} code TIMEOUT naming one that was not.
   */
  async whenSynced(
    timeoutMs: number,
    signal: AbortSignal,
    names: Iterable<string> = this.#monitors.keys(),
  ): Promise<void> {
    const present = [...names].flatMap((name) => this.#monitors.get(name)?.monitor ?? []);
    await Promise.all(present.map((monitor) => monitor.whenSynced(timeoutMs, signal)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all([...this.#monitors.values()].map(({ monitor }) => monitor.close()));
    await Promise.all(this.#leaving);
  }

  #follow(all: readonly ApiResource[]): void {
    if (this.#stop.signal.aborted) return;
    const { client, runtime, logger } = this.#options;
    const followed = followedResources(all);
    for (const [name, present] of this.#monitors) {
      const resource = followed.get(name);
      if (resource !== undefined && isSameVersion(resource, present.monitor.resource)) continue;
      this.#monitors.delete(name);
      this.#leave(name, present);
    }
    for (const [name, resource] of followed) {
      const handlers = this.#handlers.filter(({ resources }) => resources?.includes(name) ?? true);
      if (this.#monitors.has(name) || handlers.length === 0) continue;
      const handler = toAll(handlers);
      const monitor = new ResourceMonitor({ client, resource, handler, runtime, logger });
      this.#monitors.set(name, { monitor, handler });
    }
  }

  #leave(name: string, left: FollowedResource): void {
    const leaving = this.#leaveSoon(name, left).finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
  }

  async #leaveSoon(name: string, { monitor, handler }: FollowedResource): Promise<void> {
    const { runtime, logger } = this.#options;
    const { signal } = this.#stop;
    if (!monitor.isEmpty) await sleep(runtime, LEAVE_AFTER_MS, { signal }).catch(() => {});
    try {
      const left = monitor.left();
      await monitor.close();
      // Another monitor of the resource reports its objects.
      if (signal.aborted || this.#monitors.has(name)) return;
      for (const metadata of left) handler.unserved(monitor.resource, metadata);
    } catch (error) {
      logger.warn('an informer did not stop', { error: errorMessage(error) });
    }
  }
}

function toAll(handlers: readonly ResourceHandler[]): ResourceEvents {
  return {
    present: (...change) => {
      for (const one of handlers) one.present?.(...change);
    },
    gone: (...change) => {
      for (const one of handlers) one.gone(...change);
    },
    unserved: (...change) => {
      for (const one of handlers) one.unserved?.(...change);
    },
  };
}
