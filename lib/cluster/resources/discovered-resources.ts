import { SharedIndexInformer } from '../../cache/informer/shared-index-informer.ts';
import type { Client } from '../../client/rest/client.ts';
import type { ApiResource } from '../../client/rest/discovery/api-resource.ts';
import { RateLimitingQueue } from '../../controller/workqueue/rate-limiting-queue.ts';
import { ReconcileLoop, type ReconcileResult } from '../../controller/runtime/reconcile-loop.ts';
import { Latch } from '../../kernel/time/latch.ts';
import { untilOpen } from '../../kernel/time/wait.ts';
import type { PartialObjectMetadata } from '../../meta/partial-object-metadata.ts';
import type { ClusterParts } from './cluster-parts.ts';
import { WITHIN_PROCESS } from './cluster-client.ts';

/** Objects that add resources to a running server, and remove them. */
const DEFINITIONS = [
  { apiVersion: 'apiextensions.k8s.io/v1', resource: 'customresourcedefinitions' },
  { apiVersion: 'apiregistration.k8s.io/v1', resource: 'apiservices' },
];
/** Changes of definitions come in groups. */
const GATHER_MS = 50;
/** A server offers a resource some time after its definition says so: discovery is read again after these times. */
const AFTERWARDS_MS: readonly number[] = [500, 5000];
const KEY = 'discovery';

/**
 * The resources that the server serves, kept up to date by watches of what defines them. Discovery is read at the start, after changes,
 * and twice more after the last change; never at an interval.
 */
export class DiscoveredResources implements AsyncDisposable {
  readonly #client: Client;
  readonly #parts: ClusterParts;
  readonly #informers: readonly SharedIndexInformer<PartialObjectMetadata>[];
  readonly #queue: RateLimitingQueue;
  readonly #listeners = new Set<(all: readonly ApiResource[]) => void>();
  readonly #known: Latch = new Latch('the resources of the server');
  readonly #stop = new AbortController();
  #all: readonly ApiResource[] = [];
  /** Times until further reads. */
  #afterwards: number[] = [];
  #changed = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(client: Client, parts: ClusterParts) {
    this.#client = client;
    this.#parts = parts;
    const { runtime, logger } = parts;
    this.#queue = new RateLimitingQueue({ name: 'served resources', runtime, logger });
    this.#informers = DEFINITIONS.map((definitions) => this.#informerOf(definitions));
  }

  start(): void {
    const { signal } = this.#stop;
    const { runtime, logger } = this.#parts;
    this.#queue.add(KEY);
    const loop = new ReconcileLoop({
      queue: this.#queue,
      reconcile: () => this.#read(),
      runtime,
      logger,
    });
    const informers = this.#informers.map((one) => one.run({ signal }));
    this.#running = Promise.allSettled([loop.run({ signal }), ...informers]);
  }

  /** Calls the listener with all resources at every change from now on. */
  onChange(listener: (all: readonly ApiResource[]) => void): void {
    this.#listeners.add(listener);
    if (this.#known.isOpen) listener(this.#all);
  }

  /** @throws {ListwatchError} code TIMEOUT when the server does not say what it serves; the signal's reason. */
  async whenKnown(timeoutMs: number, signal: AbortSignal): Promise<void> {
    const { runtime } = this.#parts;
    const describe = (): string => 'the discovery of the server to be read';
    await untilOpen(runtime, [this.#known], { timeoutMs, signal, describe });
  }

  /** All resources, read again if definitions have changed since the last read. */
  async fresh(): Promise<readonly ApiResource[]> {
    if (this.#changed || !this.#known.isOpen) await this.#refresh();
    return this.#all;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  #informerOf(
    definitions: (typeof DEFINITIONS)[number],
  ): SharedIndexInformer<PartialObjectMetadata> {
    const { runtime, logger } = this.#parts;
    const informer = new SharedIndexInformer<PartialObjectMetadata>({
      listerWatcher: this.#client.listerWatcher<PartialObjectMetadata>(definitions, {
        metadataOnly: true,
      }),
      name: `definitions ${definitions.resource}`,
      ...WITHIN_PROCESS,
      runtime,
      logger,
    });
    const onChange = (): void => {
      this.#changed = true;
      this.#afterwards = [...AFTERWARDS_MS];
      this.#queue.addAfter(KEY, GATHER_MS);
    };
    informer.addHandler({
      view: 'key',
      onAdd: onChange,
      onUpdate: onChange,
      onDelete: onChange,
    });
    return informer;
  }

  async #read(): Promise<ReconcileResult> {
    await this.#refresh();
    const requeueAfterMs = this.#afterwards.shift();
    return { requeueAfterMs };
  }

  async #refresh(): Promise<void> {
    const { signal } = this.#stop;
    this.#changed = false;
    try {
      this.#all = await this.#client.discovery.resources({ signal });
    } catch (error) {
      this.#changed = true;
      throw error;
    }
    this.#known.open();
    for (const listener of this.#listeners) listener(this.#all);
  }
}
