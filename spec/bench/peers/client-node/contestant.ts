/** The informer of `@kubernetes/client-node`; `variant` is the folder where it is installed. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  Arrivals,
  isMain,
  runContestant,
  type Contestant,
  type ContestantArgument,
} from '../../workload/contestant.ts';
import { KeyConsumer } from '../../workload/key-consumer.ts';

/** The used part of the package, which is not installed where types are checked. */
interface ClientNode {
  readonly KubeConfig: new () => KubeConfig;
  readonly CoreV1Api: new () => CoreV1Api;
  readonly makeInformer: (
    config: KubeConfig,
    path: string,
    list: () => Promise<unknown>,
  ) => Informer;
}

interface KubeConfig {
  loadFromOptions(options: object): void;
  makeApiClient(api: ClientNode['CoreV1Api']): CoreV1Api;
}

interface CoreV1Api {
  listPodForAllNamespaces(): Promise<unknown>;
}

interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly resourceVersion: string;
  };
  readonly spec: { readonly nodeName: string; readonly containers: readonly unknown[] };
  readonly status: { readonly phase: string };
}

interface Informer {
  on(event: 'add' | 'update', callback: (pod: Pod) => void): void;
  on(event: 'error', callback: (error: unknown) => void): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

async function load(folder: string): Promise<ClientNode> {
  const path = createRequire(join(folder, 'package.json')).resolve('@kubernetes/client-node');
  return (await import(pathToFileURL(path).href)) as ClientNode;
}

function informerOf(client: ClientNode, server: string): Informer {
  const config = new client.KubeConfig();
  config.loadFromOptions({
    clusters: [{ name: 'bench', server, skipTLSVerify: true }],
    users: [{ name: 'bench' }],
    contexts: [{ name: 'bench', cluster: 'bench', user: 'bench' }],
    currentContext: 'bench',
  });
  const core = config.makeApiClient(client.CoreV1Api);
  return client.makeInformer(config, '/api/v1/pods', () => core.listPodForAllNamespaces());
}

async function clientNode(argument: ContestantArgument): Promise<Contestant> {
  const { server, workload, variant, objects, handlers, reads } = argument;
  const arrivals = workload === 'latency' ? new Arrivals(argument) : undefined;
  const informer = informerOf(await load(variant), server);
  const consumers = Array.from({ length: handlers }, () => new KeyConsumer());
  const updates = consumers.map(() => 0);
  let checksum = 0;
  const hand = (pod: Pod, consumer: KeyConsumer): void => {
    if (reads === 'object') {
      checksum += pod.spec.nodeName.length + pod.status.phase.length + pod.spec.containers.length;
    }
    consumer.queue.add(`${pod.metadata.namespace}/${pod.metadata.name}`);
  };
  return {
    async sync() {
      let added = 0;
      await new Promise<void>((resolve, reject) => {
        for (const [index, consumer] of consumers.entries()) {
          informer.on('add', (pod) => {
            hand(pod, consumer);
            added += 1;
            if (added === objects * handlers) resolve();
          });
          informer.on('update', (pod) => {
            updates[index] = (updates[index] ?? 0) + 1;
            arrivals?.note(pod.metadata.resourceVersion);
            hand(pod, consumer);
          });
        }
        informer.on('error', reject);
        informer.start().catch(reject);
      });
    },
    arrivals,
    updates: () => Math.min(...updates),
    idle: () => consumers.every(({ idle }) => idle),
    checksum: () => checksum,
    async close() {
      await informer.stop();
      await Promise.all(consumers.map((consumer) => consumer.close()));
    },
  };
}

if (isMain(import.meta)) await runContestant(clientNode);
