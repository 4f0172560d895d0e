import { expect } from 'chai';
import { Client } from '../../../lib/client/rest/client.ts';
import { TransportLayer } from '../../../lib/client/transport/contract/transport-layer.ts';
import type {
  TransportRequest,
  TransportResponse,
} from '../../../lib/client/transport/contract/transport.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import { deployments } from '../../../lib/cluster/deployments/deployment-controller.ts';
import { replicaSets } from '../../../lib/cluster/replicas/replica-controller.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { startWorkloads, WorkloadWorld } from '../support/workload-world.ts';
import { Rollouts } from './deployment-world.ts';

/** Lets somebody else write just before a ReplicaSet is scaled. */
class Overtaken extends TransportLayer {
  /** The states of the answers to the scalings. */
  readonly statuses: number[] = [];
  overtake: (() => Promise<unknown>) | undefined;

  async send(request: TransportRequest): Promise<TransportResponse> {
    const isScaling =
      request.method === 'PATCH' && /\/replicasets\/[^/]+(?:\?|$)/.test(request.path);
    const { overtake } = this;
    if (!isScaling || overtake === undefined) return await this.below.send(request);
    if (this.statuses.length === 0) await overtake();
    const response = await this.below.send(request);
    this.statuses.push(response.status);
    return response;
  }
}

describe('the controller of Deployments with a cache that is behind', () => {
  it('scales no ReplicaSet that has changed meanwhile, and goes on from what it is now', async () => {
    await WorkloadWorld.run([], async (world) => {
      const { runtime, cluster } = world.world;
      const transport = new Overtaken(inProcessTransport(cluster.server.handler));
      await using client = new Client({ transport, runtime, logger: silentLogger });
      const stop = startWorkloads(client, runtime, [replicaSets, deployments]);
      const all = new Rollouts(world);
      await all.rolledOut('web:1');
      const name = (await all.set('web:1'))?.metadata.name ?? '';
      transport.overtake = () =>
        all.sets.patch(name, { metadata: { annotations: { note: 'new' } } });
      await all.deployments.patch('web', { spec: { replicas: 2 } });
      await all.untilStatus({ replicas: 2 });
      expect(transport.statuses).to.deep.equal([409, 200]);
      await stop();
    });
  });
});
