import { NAMESPACE_INDEX } from '../../cache/store/indexers.ts';
import { SharedIndexInformer } from '../../cache/informer/shared-index-informer.ts';
import type { HandlerRegistration } from '../../cache/informer/handlers/handler-registration.ts';
import type { Client } from '../../client/rest/client.ts';
import type { ApiResource } from '../../client/rest/discovery/api-resource.ts';
import { errorMessage } from '../../kernel/failure/errors.ts';
import type { ObjectMeta } from '../../meta/object.ts';
import type { PartialObjectMetadata } from '../../meta/partial-object-metadata.ts';
import type { ClusterParts } from './cluster-parts.ts';

/** Gets the changes of the objects of followed resources. */
export interface ResourceHandler {
  /** The full names of the resources that it gets. Left out: all. */
  readonly resources?: readonly string[] | undefined;
  /** `before` is undefined for an object that was not reported yet. */
  present?(resource: ApiResource, metadata: ObjectMeta, before: ObjectMeta | undefined): void;
  gone(resource: ApiResource, metadata: ObjectMeta): void;
  /** The resource is not served any more, and no deletion of this object was reported. */
  unserved?(resource: ApiResource, metadata: ObjectMeta): void;
}

export interface ResourceMonitorOptions extends ClusterParts {
  readonly client: Client;
  readonly resource: ApiResource;
  readonly handler: ResourceEvents;
}

export type ResourceEvents = Required<Omit<ResourceHandler, 'resources'>>;

/** The informer of the metadata of one resource. */
export class ResourceMonitor {
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
      logger.warn(`the objects of ${resource.fullName} are not followed`, {
        error: errorMessage(error),
      });
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
