import { Latch } from '../../kernel/time/latch.ts';
import { untilOpen } from '../../kernel/time/wait.ts';
import { SharedIndexInformer } from '../../cache/informer/shared-index-informer.ts';
import type { Client } from '../../client/rest/client.ts';
import { RateLimitingQueue } from '../../controller/workqueue/rate-limiting-queue.ts';
import { ReconcileLoop } from '../../controller/runtime/reconcile-loop.ts';
import {
  isAlreadyExists,
  isApiError,
  isConflict,
  isNotFound,
} from '../../meta/failure/failures.ts';
import type { KubernetesObject, UnstructuredObject } from '../../meta/object.ts';
import type { Stored } from '../../meta/stored.ts';
import type { ClusterParts } from '../resources/cluster-parts.ts';
import { WITHIN_PROCESS } from '../resources/cluster-client.ts';

/** An object that every namespace has. */
export interface Publication {
  readonly apiVersion: string;
  readonly resource: string;
  readonly name: string;
  readonly object: () => UnstructuredObject;
  /** The fields to write into an existing object; undefined if it is as it should be. */
  readonly repair: (existing: Stored<UnstructuredObject>) => object | undefined;
}

export interface PublishedObjectOptions extends ClusterParts {
  readonly client: Client;
  readonly publication: Publication;
}

interface Namespace extends UnstructuredObject {
  readonly status?: { readonly phase?: string | undefined } | undefined;
}

const WORKERS = 4;
/** Every server has it. */
const FIRST_NAMESPACE = 'default';

/**
 * Keeps one object of a name in every namespace: it is made in each new namespace that is not being deleted, and made again when it was
 * deleted there. It watches the namespaces, and of the resource only the objects of this name.
 */
export class PublishedObject implements AsyncDisposable {
  readonly #options: PublishedObjectOptions;
  readonly #namespaces: SharedIndexInformer<Namespace>;
  readonly #objects: SharedIndexInformer<UnstructuredObject>;
  readonly #queue: RateLimitingQueue;
  readonly #stop = new AbortController();
  readonly #first: Latch;
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: PublishedObjectOptions) {
    const { client, publication, runtime, logger } = options;
    const { apiVersion, resource, name } = publication;
    this.#options = options;
    this.#first = new Latch(`${resource} ${name} of the namespace ${FIRST_NAMESPACE}`);
    this.#queue = new RateLimitingQueue({ name: `${resource} ${name}`, runtime, logger });
    this.#namespaces = new SharedIndexInformer<Namespace>({
      listerWatcher: client.listerWatcher<Namespace>({ apiVersion: 'v1', resource: 'namespaces' }),
      name: `namespaces for ${resource} ${name}`,
      ...WITHIN_PROCESS,
      runtime,
      logger,
    });
    this.#objects = new SharedIndexInformer<UnstructuredObject>({
      listerWatcher: client.listerWatcher(
        { apiVersion, resource },
        { fieldSelector: `metadata.name=${name}` },
      ),
      name: `${resource} ${name}`,
      ...WITHIN_PROCESS,
      runtime,
      logger,
    });
    const byName = ({ key }: { readonly key: string }): void => {
      this.#queue.add(key);
    };
    this.#namespaces.addHandler({
      view: 'key',
      onAdd: byName,
      onUpdate: (updated) => byName(updated),
    });
    const byNamespace = ({ metadata }: KubernetesObject): void => {
      this.#queue.add(metadata?.namespace ?? '');
    };
    this.#objects.addHandler({
      view: 'metadata',
      onAdd: ({ metadata }) => {
        if (metadata.namespace === FIRST_NAMESPACE) this.#first.open();
      },
      onUpdate: (_before, updated) => byNamespace(updated),
      onDelete: byNamespace,
    });
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Resolves when the namespace `default` has the object. @throws {ListwatchError} code TIMEOUT; the reason of the end. */
  async whenFirst(timeoutMs: number): Promise<void> {
    const { runtime } = this.#options;
    const describe = (): string => this.#first.name;
    await untilOpen(runtime, [this.#first], { timeoutMs, signal: this.#stop.signal, describe });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { publication, runtime, logger } = this.#options;
    const { signal } = this.#stop;
    const loop = new ReconcileLoop({
      queue: this.#queue,
      reconcile: async ({ key }) => {
        // Without the objects, each namespace would look as if it had none.
        await this.#objects.whenSynced({ signal });
        await this.#publish(key);
      },
      name: `${publication.resource} ${publication.name}`,
      concurrency: WORKERS,
      isExpected: isConflict,
      runtime,
      logger,
    });
    await Promise.allSettled([
      this.#namespaces.run({ signal }),
      this.#objects.run({ signal }),
      loop.run({ signal }),
    ]);
  }

  async #publish(namespace: string): Promise<void> {
    const { client, publication } = this.#options;
    const { apiVersion, resource, name } = publication;
    const { signal } = this.#stop;
    if (this.#namespaces.indexer.get(namespace)?.status?.phase !== 'Active') return;
    const calls = client.resource<UnstructuredObject>(apiVersion, resource, { namespace, signal });
    const existing = this.#objects.indexer.get(`${namespace}/${name}`);
    try {
      if (existing === undefined) {
        await calls.create(publication.object());
        return;
      }
      const repair = publication.repair(existing);
      if (repair === undefined) return;
      const { resourceVersion } = existing.metadata;
      await calls.patch(name, { ...repair, metadata: { resourceVersion } });
    } catch (error) {
      if (!isAlreadyExists(error) && !isNotFound(error) && !isEnding(error)) throw error;
    }
  }
}

/** The namespace is being deleted. */
function isEnding(error: unknown): boolean {
  return isApiError(error) && error.causes.some(({ reason }) => reason === 'NamespaceTerminating');
}
