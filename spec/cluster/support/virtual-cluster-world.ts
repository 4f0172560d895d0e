import { Client } from '../../../lib/client/rest/client.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import { startCluster, type Cluster, type ClusterOptions } from '../../../lib/cluster/cluster.ts';
import { ClusterControllers } from '../../../lib/cluster/cluster-controllers.ts';
import type { ClusterController } from '../../../lib/cluster/cluster-controller-names.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import { isNotFound } from '../../../lib/meta/failure/failures.ts';
import type { ObjectMeta, OwnerReference, UnstructuredObject } from '../../../lib/meta/object.ts';
import type { Stored } from '../../../lib/meta/stored.ts';

export type Thing = Stored<UnstructuredObject>;

const LOOK_EVERY_MS = 20;
const GIVE_UP_AFTER_MS = 600_000;

/** A cluster and a user of it, in virtual time. */
export class VirtualClusterWorld {
  readonly cluster: Cluster;
  readonly client: Client;
  readonly runtime: VirtualRuntime;

  private constructor(cluster: Cluster, client: Client, runtime: VirtualRuntime) {
    this.cluster = cluster;
    this.client = client;
    this.runtime = runtime;
  }

  /** Runs `work` in a cluster of its own, and returns what it returns. */
  static async run<R>(
    work: (world: VirtualClusterWorld) => Promise<R>,
    options: ClusterOptions = {},
    seed: number = 1,
  ): Promise<R> {
    const runtime = new VirtualRuntime({ seed });
    return await runtime.run(async () => {
      await using cluster = await startCluster({ ...options, runtime });
      const transport = inProcessTransport(cluster.server.handler);
      await using client = new Client({ transport, runtime, onWarning: () => {} });
      return await work(new VirtualClusterWorld(cluster, client, runtime));
    });
  }

  maps(namespace: string = 'default'): ReturnType<typeof this.client.resource<UnstructuredObject>> {
    return this.client.resource<UnstructuredObject>('v1', 'configmaps', { namespace });
  }

  /** Creates a config map with these owners. */
  async map(
    name: string,
    owners: readonly OwnerReference[] = [],
    more: ObjectMeta = {},
  ): Promise<Thing> {
    const metadata = { name, ownerReferences: owners, ...more };
    return await this.maps(more.namespace).create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata,
    });
  }

  /** The names of the config maps that are not of the cluster itself. */
  async names(namespace: string = 'default'): Promise<string[]> {
    const { items } = await this.maps(namespace).list();
    const names = items.map(({ metadata }) => metadata.name);
    return names.filter((name) => name !== 'kube-root-ca.crt').toSorted();
  }

  /** Controllers beside those of the cluster; the result stops them. */
  async startControllers(names: readonly ClusterController[]): Promise<() => Promise<void>> {
    const { cluster, runtime } = this;
    const controllers = new ClusterControllers({
      server: cluster.server,
      controllers: new Set(names),
      runtime,
      logger: silentLogger,
    });
    await controllers.start();
    return () => controllers[Symbol.asyncDispose]();
  }

  async sleep(ms: number): Promise<void> {
    await sleep(this.runtime, ms);
  }

  /** Waits in virtual time. */
  async until(what: string, condition: () => Promise<boolean>): Promise<void> {
    const giveUpAtMs = this.runtime.monotonicMs() + GIVE_UP_AFTER_MS;
    while (!(await condition())) {
      if (this.runtime.monotonicMs() > giveUpAtMs) throw new Error(`never: ${what}`);
      await this.sleep(LOOK_EVERY_MS);
    }
  }

  async untilGone(name: string): Promise<void> {
    await this.until(`${name} is gone`, async () => !(await this.names()).includes(name));
  }
}

/** A reference to an object as its owner. */
export function ownedBy(
  { apiVersion, kind, metadata }: Thing,
  more: Partial<OwnerReference> = {},
): OwnerReference {
  const { name, uid } = metadata;
  return { apiVersion, kind, name, uid, ...more };
}

export async function missing(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return false;
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}

/** The error of a call that must fail. */
export async function caught(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error('the call did not fail');
}
