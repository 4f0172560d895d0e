import { createHash } from 'node:crypto';
import { Client } from '../../../lib/client/rest/client.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import { startCluster } from '../../../lib/cluster/cluster.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { randomInteger, seededRandom } from '../../../lib/kernel/time/random.ts';
import type { Runtime } from '../../../lib/kernel/time/runtime.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';
import type { Deployment } from '../../../lib/types/built-in/apps-v1-kinds.ts';
import { LedgerRuntime } from '../../soak/ledger-runtime.ts';

/** The run of one seed. */
export interface NodeLoss {
  readonly nodes: number;
  readonly replicas: number;
  /** Every write: its time, whether it was a put or a delete, its key, and its bytes without certificates. */
  readonly trace: readonly string[];
  readonly digest: string;
  /** From the loss until the node is not ready, virtual milliseconds. */
  readonly lostAfterMs: number;
  /** From the loss until all pods run elsewhere, virtual milliseconds. */
  readonly replacedAfterMs: number;
  /** Timers, and writes, from the loss until then. */
  readonly timers: number;
  readonly writes: number;
}

const NAME = 'web';
/** Each run makes keys of its own for them. */
const CERTIFICATES = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/g;
const TIMEOUT_MS = 900_000;

/**
 * A Deployment whose node is lost, in virtual time. The seed draws how many nodes and pods there are, all that is random in the cluster,
 * and the order of what happens at the same time. `onLoss` and `onReplaced` are called at the begin and the end of what is measured.
 */
export async function runNodeLoss(
  seed: number,
  marks: { readonly onLoss?: () => void; readonly onReplaced?: () => void } = {},
): Promise<NodeLoss> {
  const virtual = new VirtualRuntime({ seed, order: 'random' });
  const runtime = new LedgerRuntime(virtual);
  const random = { random: seededRandom(`node loss ${seed}`) };
  const [nodes, replicas] = [randomInteger(random, 2, 4), randomInteger(random, 1, 6)];
  const trace: string[] = [];
  const earlierStore = tracedStore(runtime, trace);
  return await virtual.run(async () => {
    await using cluster = await startCluster({
      controllers: 'workloads',
      nodes,
      runtime,
      earlierStore,
      logger: silentLogger,
      randomBytes: (size) => Buffer.from(Array.from({ length: size }, () => random.random() * 256)),
    });
    const transport = inProcessTransport(cluster.server.handler);
    await using client = new Client({ transport, runtime, onWarning: () => {} });
    const deployments = client.resource('apps/v1', 'deployments', { namespace: 'default' });
    const until = async (condition: (one: Stored<Deployment>) => boolean): Promise<void> => {
      const wait = { timeoutMs: TIMEOUT_MS };
      await deployments.wait(NAME, (one) => one !== undefined && condition(one), wait);
    };
    const available = ({ status }: Stored<Deployment>): number => status?.availableReplicas ?? 0;
    await deployments.create(deployment(replicas));
    await until((one) => available(one) === replicas);
    await cluster.settled();
    const { items } = await client.resource('v1', 'pods', { namespace: 'default' }).list();
    const lost = items[randomInteger(random, 0, items.length - 1)]?.spec?.nodeName ?? '';
    const [startMs, timers, writes] = [runtime.monotonicMs(), runtime.fired, trace.length];
    marks.onLoss?.();
    await cluster.nodes.fail(lost);
    await until((one) => available(one) < replicas);
    const lostAfterMs = runtime.monotonicMs() - startMs;
    await until((one) => available(one) === replicas);
    const replacedAfterMs = runtime.monotonicMs() - startMs;
    marks.onReplaced?.();
    const counts = { timers: runtime.fired - timers, writes: trace.length - writes };
    const digest = createHash('sha256').update(trace.join('\n')).digest('hex');
    return { nodes, replicas, trace: [...trace], digest, lostAfterMs, replacedAfterMs, ...counts };
  });
}

function tracedStore(runtime: Runtime, trace: string[]): EmbeddedKeyValueStore {
  return new EmbeddedKeyValueStore({
    runtime,
    onCommit: (events) => {
      for (const { type, kv } of events) {
        const text = type === 'put' ? Buffer.from(kv.value).toString() : '';
        const value = text.replaceAll(CERTIFICATES, 'a certificate');
        trace.push(`${runtime.monotonicMs()} ${type} ${kv.key} ${value}`);
      }
    },
  });
}

function deployment(replicas: number) {
  const labels = { app: NAME };
  const containers = [{ name: 'main', image: 'registry.example.com/web:1' }];
  const template = { metadata: { labels }, spec: { containers } };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: NAME }, spec } as const;
}
