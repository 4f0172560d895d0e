import type { Client } from '../../client/rest/client.ts';
import type { EventSink } from '../../controller/events/event-sink.ts';
import { RateLimitingQueue } from '../../controller/workqueue/rate-limiting-queue.ts';
import { ReconcileLoop } from '../../controller/runtime/reconcile-loop.ts';
import { errorMessage } from '../../kernel/failure/errors.ts';
import { isConflict, internalError } from '../../meta/failure/failures.ts';
import type { ObjectMeta, OwnerReference } from '../../meta/object.ts';
import type { ClusterParts } from '../resources/cluster-parts.ts';
import type { ResourceMonitors } from '../resources/resource-monitors.ts';
import type { DiscoveredResources } from '../resources/discovered-resources.ts';
import { AbsentOwners } from './absent-owners.ts';
import { attemptToDelete } from './delete-attempt.ts';
import type { GraphNode } from './graph-node.ts';
import { ObjectCalls } from './object-calls.ts';
import { identityText, ownerIdentity } from './object-identity.ts';
import { OwnerGraph, type ObjectKind, ORPHAN_FINALIZER } from './owner-graph.ts';

/** Patches at the same time. */
const SIDE_BY_SIDE = 20;

/**
 * Removes the references to an owner from its dependents, and then the finalizer that has kept it for that.
 * @throws an error that names the first dependent that could not be changed; the owner keeps its finalizer then.
 */
async function orphanDependents(calls: ObjectCalls, owner: GraphNode): Promise<void> {
  const { identity } = owner;
  const dependents = [...owner.dependents].values();
  let failure: { readonly node: GraphNode; readonly error: unknown } | undefined;
  const work = async (): Promise<void> => {
    for (const node of dependents) {
      try {
        await calls.removeOwners(node.identity, [identity.uid]);
      } catch (error) {
        failure ??= { node, error };
      }
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
  if (failure !== undefined) {
    const { node, error } = failure;
    throw internalError(
      `${node.toString()} still names ${owner.toString()} as its owner: ${errorMessage(error)}`,
      error,
    );
  }
  await calls.removeFinalizer(identity, ORPHAN_FINALIZER);
}

/** A source of all objects, with their owners. */
export interface ObjectReports extends Pick<ResourceMonitors, 'size' | 'whenSynced'> {
  addHandler(handler: {
    present(resource: ObjectKind, metadata: ObjectMeta, before: ObjectMeta | undefined): void;
    gone(resource: ObjectKind, metadata: ObjectMeta): void;
    unserved(resource: ObjectKind, metadata: ObjectMeta): void;
  }): void;
}

export interface GarbageCollectorOptions extends ClusterParts {
  readonly client: Client;
  readonly served: Pick<DiscoveredResources, 'whenKnown'>;
  /** Started and stopped by their owner. */
  readonly monitors: ObjectReports;
  readonly events: EventSink;
}

/** The state of the garbage collector. */
export interface GarbageCollectorInspection {
  /** The resources whose objects are followed. */
  readonly resources: number;
  /** The objects in the graph, with owners that are only named. */
  readonly objects: number;
  /** Objects that wait for a look. */
  readonly toDelete: number;
  /** Objects whose dependents wait to be set free. */
  readonly toOrphan: number;
}

/** As in kube-controller-manager (--concurrent-gc-syncs). */
const WORKERS = 20;
/** After this time the work begins although some resources cannot be listed. */
const FIRST_LISTS_MS = 30_000;

/** A node that has to be looked at once more. It is no failure. */
class LookAgain extends Error {}

/**
 * Deletes the objects whose owners are gone, by owner references: in the background, in the foreground and as orphans.
 *
 * Guarantees:
 * - An object is deleted only after live reads that have found none of its owners, with its uid as a precondition.
 * - An owner of a kind that the server does not serve, or that cannot be read, counts as existing.
 * - It may be stopped at any time: all state is made again from the objects.
 */
export class GarbageCollector implements AsyncDisposable {
  readonly #options: GarbageCollectorOptions;
  readonly #stop = new AbortController();
  readonly #absent: AbsentOwners = new AbsentOwners();
  readonly #calls: ObjectCalls;
  readonly #graph: OwnerGraph;
  readonly #toDelete: RateLimitingQueue<GraphNode>;
  readonly #toOrphan: RateLimitingQueue<GraphNode>;
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: GarbageCollectorOptions) {
    const { client, monitors, runtime, logger } = options;
    this.#options = options;
    this.#calls = new ObjectCalls(client, this.#stop.signal);
    this.#toDelete = new RateLimitingQueue({ name: 'garbage to delete', runtime, logger });
    this.#toOrphan = new RateLimitingQueue({ name: 'garbage to orphan', runtime, logger });
    this.#graph = new OwnerGraph(this.#absent, {
      attemptToDelete: (node) => {
        this.#toDelete.add(node);
      },
      attemptToOrphan: (node) => {
        this.#toOrphan.add(node);
      },
      wrongNamespace: (node, owner) => {
        this.#reportNamespace(node, owner);
      },
    });
    monitors.addHandler({
      present: (resource, metadata, before) => {
        this.#graph.present(resource, metadata, before);
      },
      gone: (resource, metadata) => {
        this.#graph.gone(resource, metadata);
      },
      unserved: (_resource, metadata) => {
        this.#graph.unserved(metadata);
      },
    });
  }

  start(): void {
    this.#running = this.#run();
  }

  inspect(): GarbageCollectorInspection {
    return {
      resources: this.#options.monitors.size,
      objects: this.#graph.size,
      toDelete: this.#toDelete.size,
      toOrphan: this.#toOrphan.size,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { served, monitors, logger } = this.#options;
    const { signal } = this.#stop;
    try {
      await served.whenKnown(FIRST_LISTS_MS, signal);
      await monitors.whenSynced(FIRST_LISTS_MS, signal);
    } catch (error) {
      if (!signal.aborted) logger.warn('garbage collection begins without all objects', { error });
    }
    await Promise.allSettled([
      this.#loop(this.#toDelete, async (node) => {
        if ((await this.#attempt(node)) === 'again') throw new LookAgain();
      }).run({ signal }),
      this.#loop(this.#toOrphan, (node) => orphanDependents(this.#calls, node)).run({ signal }),
    ]);
  }

  #attempt(node: GraphNode): ReturnType<typeof attemptToDelete> {
    return attemptToDelete(
      {
        graph: this.#graph,
        absent: this.#absent,
        calls: this.#calls,
        attemptToDelete: (other) => {
          this.#toDelete.add(other);
        },
      },
      node,
    );
  }

  #loop(
    queue: RateLimitingQueue<GraphNode>,
    work: (node: GraphNode) => Promise<void>,
  ): ReconcileLoop<GraphNode> {
    const { runtime, logger } = this.#options;
    return new ReconcileLoop<GraphNode>({
      queue,
      reconcile: ({ key }) => work(key),
      concurrency: WORKERS,
      isExpected: (error) => error instanceof LookAgain || isConflict(error),
      runtime,
      logger,
    });
  }

  #reportNamespace({ identity }: GraphNode, owner: OwnerReference): void {
    const { apiVersion, kind, name, namespace, uid } = identity;
    const named = identityText(ownerIdentity(owner, namespace));
    this.#options.events.event(
      { apiVersion, kind, metadata: { name, namespace, uid } },
      {
        type: 'Warning',
        reason: 'OwnerRefInvalidNamespace',
        note: `ownerRef ${named} does not exist in namespace ${JSON.stringify(namespace)}`,
      },
    );
  }
}
