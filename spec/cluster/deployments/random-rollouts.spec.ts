import { expect } from 'chai';
import { Client } from '../../../lib/client/rest/client.ts';
import { TransportError } from '../../../lib/client/transport/contract/transport-error.ts';
import { TransportLayer } from '../../../lib/client/transport/contract/transport-layer.ts';
import type {
  TransportRequest,
  TransportResponse,
} from '../../../lib/client/transport/contract/transport.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import { deployments } from '../../../lib/cluster/deployments/deployment-controller.ts';
import { replicaSets } from '../../../lib/cluster/replicas/replica-controller.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { seededRandom } from '../../../lib/kernel/time/random.ts';
import { controllerOf } from '../../../lib/meta/object.ts';
import { startWorkloads, WorkloadWorld } from '../support/workload-world.ts';
import { deployment, Rollouts } from './deployment-world.ts';

const STEPS = 25;
const LOSS = 0.15;

/** Loses writes, or their answers. */
class LossyTransport extends TransportLayer {
  random: () => number = () => 1;

  async send(request: TransportRequest): Promise<TransportResponse> {
    const isWrite = request.method !== 'GET';
    if (isWrite && this.random() < LOSS) throw this.#lost(request);
    const response = await this.below.send(request);
    if (isWrite && this.random() < LOSS) throw this.#lost(request);
    return response;
  }

  #lost({ method, path }: TransportRequest): TransportError {
    const target = { server: this.server, method, path };
    return new TransportError('CONNECTION_FAILED', target, 'the connection is lost');
  }
}

type Act = (all: Rollouts, pick: (count: number) => number) => Promise<unknown>;

/** The changes that users and nodes make. */
const ACTS: readonly Act[] = [
  (all, pick) => all.setImage(`web:${pick(4)}`),
  (all, pick) => all.deployments.patch('web', { spec: { replicas: pick(8) } }),
  (all, pick) => all.deployments.patch('web', { spec: { paused: pick(3) === 0 } }),
  (all, pick) => {
    const rollingUpdate = { maxSurge: pick(3), maxUnavailable: 1 + pick(2) };
    return all.deployments.patch('web', { spec: { strategy: { rollingUpdate } } });
  },
  async (all, pick) => {
    const pods = await all.world.pods();
    const pod = pods[pick(pods.length)];
    const name = pod?.metadata.name ?? '';
    const client = all.world.client.resource('v1', 'pods', { namespace: 'default' });
    if (pod === undefined) return;
    if (pick(3) === 0) await client.delete(name);
    else if (pick(2) === 0) await all.world.setPod(name, { phase: 'Failed' });
    else await client.patch(name, { metadata: { labels: { app: `other-${pick(2)}` } } });
  },
  async (all, pick) => {
    const { items } = await all.sets.list();
    const set = items[pick(items.length)];
    if (set === undefined) return;
    if (pick(2) === 0) await all.sets.delete(set.metadata.name);
    else await all.sets.patch(set.metadata.name, { spec: { replicas: pick(5) } });
  },
  (all) => all.world.readyAll(),
  (all) => all.world.readyAll(),
];

describe('random rollouts', () => {
  for (let seed = 1; seed <= 6; seed += 1) {
    it(`end in what the Deployment says, with lost answers and restarts: seed ${seed}`, async () => {
      await WorkloadWorld.run(
        [],
        async (world) => {
          const { runtime, cluster } = world.world;
          const random = seededRandom(seed);
          const pick = (count: number): number => Math.floor(random() * count);
          const transport = new LossyTransport(inProcessTransport(cluster.server.handler));
          await using client = new Client({ transport, runtime, logger: silentLogger });
          const start = (): (() => Promise<void>) =>
            startWorkloads(client, runtime, [replicaSets, deployments]);
          transport.random = random;
          let stop = start();
          const all = new Rollouts(world);
          await all.deployments.create(deployment('web:0'));
          for (let step = 0; step < STEPS; step += 1) {
            await ACTS[pick(ACTS.length)]?.(all, pick).catch(() => {});
            await world.sleep(pick(4) === 0 ? 2000 : pick(100));
            if (pick(8) > 0) continue;
            await stop();
            stop = start();
          }
          transport.random = () => 1;
          await all.deployments.patch('web', { spec: { paused: false } });
          // A ReplicaSet may have been deleted just now.
          await world.sleep(5000);
          await all.untilDone();
          await world.sleep(30_000);
          await check(all);
          await stop();
        },
        {},
        seed,
      );
    });
  }
});

async function check(all: Rollouts): Promise<void> {
  const { spec, metadata, status } = await all.get();
  const image = spec.template.spec?.containers[0]?.image ?? '';
  const { items: sets } = await all.sets.list();
  const own = sets.filter((set) => controllerOf(set)?.uid === metadata.uid);
  const newest = await all.set(image);
  for (const set of own) {
    const wanted = set.metadata.uid === newest?.metadata.uid ? spec.replicas : 0;
    expect(set.spec.replicas, set.metadata.name).to.equal(wanted);
    expect(set.status?.replicas, set.metadata.name).to.equal(wanted);
  }
  const pods = (await all.world.pods()).filter((pod) => controllerOf(pod) !== undefined);
  const running = pods.filter((pod) => pod.status?.phase === 'Running');
  expect(running).to.have.length(spec.replicas ?? 0);
  expect(newest?.metadata.annotations?.['deployment.kubernetes.io/revision']).to.equal(
    metadata.annotations?.['deployment.kubernetes.io/revision'],
  );
  expect(status?.conditions?.find(({ type }) => type === 'Progressing')?.reason).to.equal(
    'NewReplicaSetAvailable',
  );
}
