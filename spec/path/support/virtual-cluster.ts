import { SharedInformerFactory } from '../../../lib/cache/informer/factory/shared-informer-factory.ts';
import type { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import { metadataIndexFunc } from '../../../lib/cache/store/indexers.ts';
import { Client } from '../../../lib/client/rest/client.ts';
import { ReconcileLoop } from '../../../lib/controller/runtime/reconcile-loop.ts';
import { RateLimitingQueue } from '../../../lib/controller/workqueue/rate-limiting-queue.ts';
import { deriveAbort } from '../../../lib/kernel/time/abort.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import {
  VirtualRuntime,
  type VirtualRuntimeOptions,
} from '../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import { isAlreadyExists, isNotFound } from '../../../lib/meta/failure/failures.ts';
import { objectKey, splitMetaNamespaceKey } from '../../../lib/meta/key.ts';
import { controllerOf, type KubernetesObject, type ObjectMeta } from '../../../lib/meta/object.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import type { ApiHandler } from '../../../lib/server/http/api-request.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';

interface Deployment extends KubernetesObject {
  readonly spec: {
    readonly replicas: number;
    readonly selector: object;
    readonly template: object;
  };
}

interface Pod extends KubernetesObject {
  readonly spec: object;
}

export interface VirtualClusterRun {
  /** All notifications and actions, each line with its virtual time. */
  readonly trace: readonly string[];
  /** All pods as the server gives them at the end, with uids, versions and timestamps. */
  readonly pods: readonly KubernetesObject[];
  readonly failures: number;
  readonly relists: number;
}

const LABELS = { app: 'web' };
const SPEC = { containers: [{ name: 'web', image: 'nginx:1.27' }] };
const CHANCE_OF_FAILURE = 0.3;
const SETTLED_AFTER_MS = 60_000;
const LONGEST_WATCH_MS = 5_000;

/** The pods that `runVirtualCluster` has to end with, whatever the seed. */
export const PODS_AT_THE_END: readonly string[] = [
  'blue/web-0',
  'blue/web-1',
  'blue/web-2',
  'blue/web-3',
  'green/web-0',
];

/**
 * A server whose watches are cut and whose history is compacted during an outage, a controller with two informers, an index, owner mapping and a rate-limited queue, and a
 * user who changes things: all of it in one virtual runtime, and so a function of its options.
 */
export async function runVirtualCluster(
  options: VirtualRuntimeOptions,
): Promise<VirtualClusterRun> {
  const runtime = new VirtualRuntime(options);
  return await runtime.run(async () => {
    await using server = new ApiServer({ runtime });
    const network = new Network(server.handler, runtime);
    await using client = new Client({ transport: inProcessTransport(network.handler), runtime });
    await using user = new Client({ transport: inProcessTransport(server.handler), runtime });
    const stop = new AbortController();
    const controller = new PodController(client, runtime);
    const running = controller.run(stop.signal);
    await changeThings({ server, user, network, runtime });
    await sleep(runtime, SETTLED_AFTER_MS);
    const { items } = await client.resource<Pod>('v1', 'pods').list();
    stop.abort();
    await running;
    const { trace, failures, relists } = controller;
    return { trace, pods: items, failures, relists };
  });
}

/** The way of the controller to the server: no watch lives long on it, and nothing passes while it is down. */
class Network {
  readonly #handler: ApiHandler;
  readonly #runtime: VirtualRuntime;
  readonly #watches = new Set<() => void>();
  #down = false;

  constructor(handler: ApiHandler, runtime: VirtualRuntime) {
    this.#handler = handler;
    this.#runtime = runtime;
  }

  readonly handler: ApiHandler = async (request) => {
    if (this.#down) throw new Error('the network is down');
    if (!request.url.includes('watch=')) return await this.#handler(request);
    const life = deriveAbort(request.signal);
    const cut = (): void => {
      this.#watches.delete(cut);
      life.abort();
    };
    this.#watches.add(cut);
    this.#runtime.setTimer(this.#runtime.random() * LONGEST_WATCH_MS, cut);
    return await this.#handler({ ...request, signal: life.signal });
  };

  down(): void {
    this.#down = true;
    for (const cut of this.#watches) cut();
  }

  up(): void {
    this.#down = false;
  }
}

interface Story {
  readonly server: ApiServer;
  /** Reaches the server when the controller does not. */
  readonly user: Client;
  readonly network: Network;
  readonly runtime: VirtualRuntime;
}

async function changeThings({ server, user, network, runtime }: Story): Promise<void> {
  const namespaces = user.resource('v1', 'namespaces');
  const deployments = (namespace: string) =>
    user.resource<Deployment>('apps/v1', 'deployments', { namespace });
  for (const namespace of ['blue', 'green', 'red']) {
    const metadata = { name: namespace };
    await namespaces.create({ apiVersion: 'v1', kind: 'Namespace', metadata });
    await deployments(namespace).create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: {
        replicas: 3,
        selector: { matchLabels: LABELS },
        template: { metadata: { labels: LABELS }, spec: SPEC },
      },
    });
  }
  await sleep(runtime, runtime.random() * 2_000);
  network.down();
  await deployments('blue').patch('web', { spec: { replicas: 4 } });
  await server.compact();
  await sleep(runtime, runtime.random() * 1_000);
  network.up();
  await deployments('green').patch('web', { spec: { replicas: 1 } });
  await sleep(runtime, runtime.random() * 20);
  await deployments('red').delete('web');
}

/** Keeps as many pods as each deployment wants, and fails now and then. */
class PodController {
  readonly trace: string[] = [];
  failures = 0;
  relists = 0;
  readonly #client: Client;
  readonly #runtime: VirtualRuntime;
  readonly #informers: SharedInformerFactory;
  readonly #deployments: SharedIndexInformer<Deployment>;
  readonly #pods: SharedIndexInformer<Pod>;
  readonly #loop: ReconcileLoop;

  constructor(client: Client, runtime: VirtualRuntime) {
    this.#client = client;
    this.#runtime = runtime;
    this.#informers = new SharedInformerFactory(client, { runtime, logger: silentLogger });
    this.#deployments = this.#informers.for<Deployment>('apps/v1', 'deployments');
    this.#pods = this.#informers.for<Pod>('v1', 'pods', {
      indexers: { owner: metadataIndexFunc((metadata) => ownerKeys(metadata)) },
    });
    const queue = new RateLimitingQueue({ runtime, name: 'deployments' });
    this.#notify(this.#deployments, ({ namespace = '', name = '' }) => {
      queue.add(objectKey({ namespace, name }));
    });
    this.#notify(this.#pods, (metadata) => {
      for (const key of ownerKeys(metadata)) queue.add(key);
    });
    this.#loop = new ReconcileLoop({
      queue,
      runtime,
      logger: silentLogger,
      concurrency: 3,
      reconcile: ({ key }, { signal }) => this.#reconcile(key, signal),
      onError: ({ message, retryInMs }) => {
        this.failures += 1;
        this.#note(`${message}; again in ${retryInMs} ms`);
      },
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    await using informers = this.#informers;
    informers.start();
    await informers.whenSynced({ timeoutMs: 10_000, signal });
    await this.#loop.run({ signal });
  }

  #note(what: string): void {
    this.trace.push(`${this.#runtime.monotonicMs()} ${what}`);
  }

  #notify<T extends KubernetesObject>(
    informer: SharedIndexInformer<T>,
    enqueue: (metadata: ObjectMeta) => void,
  ): void {
    const note = (what: string, key: string, metadata: ObjectMeta): void => {
      this.#note(`${what} ${informer.name} ${key} ${metadata.uid} ${metadata.resourceVersion}`);
      enqueue(metadata);
    };
    informer.addHandler({
      view: 'metadata',
      onAdd: ({ key, metadata }) => note('add', key, metadata),
      onUpdate: (_old, { key, metadata }) => note('update', key, metadata),
      onDelete: ({ key, metadata }) => note('delete', key, metadata),
    });
    informer.events.on('relist', () => (this.relists += 1));
    informer.events.on('transition', ({ from, to, resourceVersion }) => {
      this.#note(`${informer.name} ${from} -> ${to} at ${resourceVersion}`);
    });
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<void> {
    const { namespace, name } = splitMetaNamespaceKey(key);
    const deployment = this.#deployments.indexer.get(key);
    const wanted = Array.from(
      { length: deployment?.spec.replicas ?? 0 },
      (_, index) => `${name}-${index}`,
    );
    const present = this.#pods.indexer.byIndex('owner', key).map(({ metadata }) => metadata?.name);
    this.#note(`reconcile ${key}: ${present.length} of ${wanted.length}`);
    if (this.#runtime.random() < CHANCE_OF_FAILURE) throw new Error('no luck');
    const api = this.#client.resource<Pod>('v1', 'pods', { namespace });
    for (const pod of wanted.filter((one) => !present.includes(one))) {
      const metadata = { name: pod, ownerReferences: [ownedBy(deployment)] };
      await unless(
        isAlreadyExists,
        api.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec: SPEC }, { signal }),
      );
    }
    for (const pod of present) {
      if (pod === undefined || wanted.includes(pod)) continue;
      await unless(isNotFound, api.delete(pod, { gracePeriodSeconds: 0, signal }));
    }
  }
}

function ownerKeys(metadata: ObjectMeta): string[] {
  const owner = controllerOf({ metadata });
  if (owner === undefined) return [];
  return [objectKey({ namespace: metadata.namespace ?? '', name: owner.name })];
}

function ownedBy(deployment: Deployment | undefined): {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller: boolean;
} {
  const { name = '', uid = '' } = deployment?.metadata ?? {};
  return { apiVersion: 'apps/v1', kind: 'Deployment', name, uid, controller: true };
}

async function unless(
  isHarmless: (error: unknown) => boolean,
  work: Promise<unknown>,
): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isHarmless(error)) throw error;
  }
}
