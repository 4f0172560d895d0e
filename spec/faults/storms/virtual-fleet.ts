import { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import { Client } from '../../../lib/client/rest/client.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import { StormTransport } from './storm-transport.ts';

export interface FleetOptions {
  /** @defaultValue 1 */
  readonly informers?: number | undefined;
  readonly seed?: number | string | undefined;
}

const NAMESPACE = 'default';
const SYNC_LIMIT_MS = 60_000;

/** An API server, and informers of one client with default options, in virtual time; between them lies the weather. */
export class VirtualFleet implements AsyncDisposable {
  readonly runtime: VirtualRuntime;
  readonly transport: StormTransport;
  readonly informers: readonly SharedIndexInformer<KubernetesObject>[];
  /** Of informers that were lost for a while and knew only that objects had gone. */
  unknownDeletions = 0;
  relists = 0;
  /** Time that reflectors spent backing off, all together, milliseconds. */
  backingOffMs = 0;
  readonly #server: ApiServer;
  readonly #client: Client;
  /** Past the weather. */
  readonly #writer: Client;
  readonly #running: readonly Promise<void>[];
  readonly #names = new Set<string>();

  /** Call it, and everything of it, inside `runtime.run`. */
  constructor(runtime: VirtualRuntime, { informers = 1 }: FleetOptions) {
    this.runtime = runtime;
    this.#server = new ApiServer({ runtime });
    this.transport = new StormTransport(inProcessTransport(this.#server.handler), runtime);
    this.#client = new Client({ transport: this.transport, runtime });
    this.#writer = new Client({ transport: inProcessTransport(this.#server.handler), runtime });
    this.informers = Array.from({ length: informers }, () => this.#newInformer());
    this.#running = this.informers.map((informer) => informer.run());
  }

  async synced(): Promise<void> {
    for (const informer of this.informers) await informer.whenSynced({ timeoutMs: SYNC_LIMIT_MS });
  }

  /** Whether all watch and agree with the server. */
  get consistent(): boolean {
    const names = [...this.#names].toSorted().join();
    return this.informers.every(
      (informer) => informer.inspect().connected && keysOf(informer) === names,
    );
  }

  async create(name: string): Promise<void> {
    await this.#writer.resource('v1', 'configmaps', { namespace: NAMESPACE }).create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name },
    });
    this.#names.add(`${NAMESPACE}/${name}`);
  }

  async delete(name: string): Promise<void> {
    await this.#writer.resource('v1', 'configmaps', { namespace: NAMESPACE }).delete(name);
    this.#names.delete(`${NAMESPACE}/${name}`);
  }

  /** Waits until the condition holds, looking each 10 ms; returns how long that took, milliseconds. */
  async until(condition: () => boolean, limitMs: number = 600_000): Promise<number> {
    const sinceMs = this.runtime.monotonicMs();
    while (!condition()) {
      await sleep(this.runtime, 10);
      if (this.runtime.monotonicMs() - sinceMs > limitMs)
        throw new Error(`it never came to that: ${JSON.stringify(this.informers[0]?.inspect())}`);
    }
    return this.runtime.monotonicMs() - sinceMs;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const informer of this.informers) await informer.close();
    await Promise.all(this.#running);
    await this.#client.close();
    await this.#writer.close();
    await this.#server.close();
  }

  #newInformer(): SharedIndexInformer<KubernetesObject> {
    const informer = new SharedIndexInformer<KubernetesObject>({
      // The storms are of many watches.
      share: false,
      listerWatcher: this.#client.listerWatcher<KubernetesObject>(
        { apiVersion: 'v1', resource: 'configmaps' },
        { namespace: NAMESPACE },
      ),
      runtime: this.runtime,
      logger: silentLogger,
    });
    informer.events.on('relist', () => (this.relists += 1));
    informer.events.on('transition', ({ from, durationMs }) => {
      if (from === 'backing-off') this.backingOffMs += durationMs;
    });
    informer.addHandler({
      view: 'key',
      onDelete: ({ finalStateUnknown }) => {
        if (finalStateUnknown) this.unknownDeletions += 1;
      },
    });
    return informer;
  }
}

function keysOf(informer: SharedIndexInformer<KubernetesObject>): string {
  return [...informer.indexer.keys()].toSorted().join();
}

/** Runs work with a fleet in virtual time. */
export async function withFleet<R>(
  options: FleetOptions,
  work: (fleet: VirtualFleet) => Promise<R>,
): Promise<R> {
  const runtime = new VirtualRuntime({ seed: options.seed ?? 1 });
  return await runtime.run(
    async () => {
      await using fleet = new VirtualFleet(runtime, options);
      await fleet.synced();
      return await work(fleet);
    },
    { limitMs: 36_000_000 },
  );
}
