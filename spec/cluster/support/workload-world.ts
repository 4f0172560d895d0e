import { SharedInformerFactory } from '../../../lib/cache/informer/factory/shared-informer-factory.ts';
import type { Client } from '../../../lib/client/rest/client.ts';
import type { ClusterOptions } from '../../../lib/cluster/cluster.ts';
import type { ClusterPart } from '../../../lib/cluster/resources/cluster-parts.ts';
import type { WorkloadParts } from '../../../lib/cluster/resources/workload-parts.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import type { Runtime } from '../../../lib/kernel/time/runtime.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import type { Event, Pod } from '../../../lib/types/index.ts';
import { VirtualClusterWorld } from './virtual-cluster-world.ts';

const FIRST_PAUSE_MS = 10;
const LAST_PAUSE_MS = 500;
const GIVE_UP_AFTER_MS = 600_000;

export type StoredPod = Stored<Pod>;

/** A cluster in virtual time with the controllers under test, and a user who plays the missing ones. */
export class WorkloadWorld {
  readonly world: VirtualClusterWorld;
  readonly client: Client;

  private constructor(world: VirtualClusterWorld) {
    this.world = world;
    this.client = world.client;
  }

  static async run<R>(
    make: readonly ((parts: WorkloadParts) => ClusterPart)[],
    work: (world: WorkloadWorld) => Promise<R>,
    options: ClusterOptions = {},
    seed: number = 1,
  ): Promise<R> {
    return await VirtualClusterWorld.run(
      async (world) => {
        const stop = startWorkloads(world.client, world.runtime, make);
        try {
          return await work(new WorkloadWorld(world));
        } finally {
          await stop();
        }
      },
      options,
      seed,
    );
  }

  /** The pods with these labels, the oldest first. */
  async pods(labelSelector: string = ''): Promise<readonly StoredPod[]> {
    const { items } = await this.client
      .resource('v1', 'pods', { namespace: 'default' })
      .list({ labelSelector });
    return items.toSorted((one, other) => versionOf(one) - versionOf(other));
  }

  /** As a kubelet reports it. */
  async setPod(name: string, { phase, ready }: { phase: string; ready?: boolean }): Promise<void> {
    const lastTransitionTime = this.now;
    const status = ready === true ? 'True' : 'False';
    const conditions = [{ type: 'Ready', status, lastTransitionTime }];
    await this.client
      .resource('v1', 'pods', { namespace: 'default' })
      .patch(name, { status: { phase, conditions } }, { type: 'merge', subresource: 'status' });
  }

  /** Makes all pods ready that are not. */
  async readyAll(labelSelector: string = ''): Promise<void> {
    for (const { metadata, status } of await this.pods(labelSelector)) {
      const isReady = status?.conditions?.some(
        (one) => one.type === 'Ready' && one.status === 'True',
      );
      if (isReady === true || metadata.deletionTimestamp !== undefined) continue;
      await this.setPod(metadata.name, { phase: 'Running', ready: true });
    }
  }

  get now(): string {
    return new Date(this.world.runtime.wallMs()).toISOString().replace(/\.\d+Z$/, 'Z');
  }

  async events(reason: string): Promise<readonly Stored<Event>[]> {
    const { items } = await this.client.resource('v1', 'events', { namespace: 'default' }).list();
    return items.filter((event) => event.reason === reason);
  }

  /** Looks often at first, then less often. */
  async until(what: string, condition: () => Promise<boolean>): Promise<void> {
    const { runtime } = this.world;
    const giveUpAtMs = runtime.monotonicMs() + GIVE_UP_AFTER_MS;
    for (let pauseMs = FIRST_PAUSE_MS; !(await condition()); pauseMs *= 1.1) {
      if (runtime.monotonicMs() > giveUpAtMs) throw new Error(`never: ${what}`);
      await this.sleep(Math.min(pauseMs, LAST_PAUSE_MS));
    }
  }

  async sleep(ms: number): Promise<void> {
    await this.world.sleep(ms);
  }
}

function versionOf({ metadata }: StoredPod): number {
  return Number(metadata.resourceVersion);
}

/** Starts controllers with caches of their own; the result stops them. */
export function startWorkloads(
  client: Client,
  runtime: Runtime,
  make: readonly ((parts: WorkloadParts) => ClusterPart)[],
): () => Promise<void> {
  const logger = silentLogger;
  const informers = new SharedInformerFactory(client, { runtime, logger, firstList: 'newest' });
  informers.start();
  const started = make.map((one) => one({ client, runtime, logger, informers }));
  for (const part of started) part.start();
  return async () => {
    for (const part of started) await part[Symbol.asyncDispose]();
    await informers[Symbol.asyncDispose]();
  };
}
