import { expect } from 'chai';
import { AbsentOwners } from '../../../lib/cluster/garbage/absent-owners.ts';
import { attemptToDelete } from '../../../lib/cluster/garbage/delete-attempt.ts';
import type { GraphNode } from '../../../lib/cluster/garbage/graph-node.ts';
import { ObjectCalls } from '../../../lib/cluster/garbage/object-calls.ts';
import { OwnerGraph } from '../../../lib/cluster/garbage/owner-graph.ts';
import { ownedBy, VirtualClusterWorld, type Thing } from '../support/virtual-cluster-world.ts';

const MAP = { apiVersion: 'v1', kind: 'ConfigMap' };

describe('attemptToDelete', () => {
  /** A graph that informers do not fill, and a server without controllers. */
  async function run(work: (world: VirtualClusterWorld, parts: Parts) => Promise<void>) {
    await VirtualClusterWorld.run(
      async (world) => {
        const absent = new AbsentOwners();
        const none = (): void => {};
        const graph = new OwnerGraph(absent, {
          attemptToDelete: none,
          attemptToOrphan: none,
          wrongNamespace: none,
        });
        const calls = new ObjectCalls(world.client, new AbortController().signal);
        await work(world, { graph, absent, calls, attemptToDelete: none });
      },
      { controllers: 'none' },
    );
  }

  function nodeOf({ graph }: Parts, { metadata }: Thing): GraphNode {
    graph.present(MAP, metadata, undefined);
    return graph.node(metadata.uid) as GraphNode;
  }

  it('leaves alone another object of the same name, and takes the old one out of the graph', async () => {
    await run(async (world, parts) => {
      const owner = await world.map('owner');
      const old = await world.map('owned', [ownedBy(owner)]);
      const node = nodeOf(parts, old);
      await world.maps().delete('owner');
      await world.maps().delete('owned');
      await world.map('owned');
      expect(await attemptToDelete(parts, node)).to.equal('done');
      expect(await world.names()).to.deep.equal(['owned']);
      expect(parts.graph.node(old.metadata.uid)).to.equal(undefined);
    });
  });

  it('takes another object of the name of an owner for no owner', async () => {
    await run(async (world, parts) => {
      const owner = await world.map('owner');
      const node = nodeOf(parts, await world.map('owned', [ownedBy(owner)]));
      await world.maps().delete('owner');
      await world.map('owner');
      expect(await attemptToDelete(parts, node)).to.equal('done');
      expect(await world.names()).to.deep.equal(['owner']);
    });
  });

  it('keeps an object whose owner exists', async () => {
    await run(async (world, parts) => {
      const owner = await world.map('owner');
      const node = nodeOf(parts, await world.map('owned', [ownedBy(owner)]));
      expect(await attemptToDelete(parts, node)).to.equal('done');
      expect(await world.names()).to.deep.equal(['owned', 'owner']);
    });
  });
});

type Parts = Parameters<typeof attemptToDelete>[0];
