import { expect } from 'chai';
import type {
  PodAffinityTerm,
  TopologySpreadConstraint,
} from '../../../lib/types/built-in/core-v1-kinds.ts';
import { SchedulingWorld } from './scheduling-world.ts';

const HOST = 'kubernetes.io/hostname';
const ZONE = 'topology.kubernetes.io/zone';

function near(app: string, topologyKey: string = HOST): PodAffinityTerm {
  return { topologyKey, labelSelector: { matchLabels: { app } } };
}

async function zones(cluster: SchedulingWorld): Promise<void> {
  await cluster.node('a-1', { labels: { [ZONE]: 'a' } });
  await cluster.node('a-2', { labels: { [ZONE]: 'a' } });
  await cluster.node('b-1', { labels: { [ZONE]: 'b' } });
}

describe('the rules of placement', () => {
  it('put a pod near another one, also the first of several that want to be together', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await zones(cluster);
      const affinity = {
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [near('web', ZONE)] },
      };
      await cluster.pod('first', { labels: { app: 'web' }, affinity });
      const [zone] = await cluster.placed('first');
      for (const name of ['second', 'third', 'fourth']) {
        await cluster.pod(name, { labels: { app: 'web' }, affinity });
        expect((await cluster.placed(name))[0]).to.equal(zone);
      }
    });
  });

  it('keep a pod pending until one comes that it wants near', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await cluster.node('one');
      const affinity = {
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [near('web')] },
      };
      await cluster.pod('guest', { affinity });
      expect(await cluster.message('guest')).to.contain(
        "1 node(s) didn't match pod affinity rules.",
      );
      await cluster.pod('web', { labels: { app: 'web' } });
      expect(await cluster.placed('guest')).to.equal('one');
    });
  });

  it('keep pods apart that do not want each other, whichever of them says so', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await cluster.node('one');
      const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [near('web')] };
      await cluster.pod('loner', { affinity: { podAntiAffinity } });
      await cluster.placed('loner');
      await cluster.pod('web', { labels: { app: 'web' } });
      expect(await cluster.message('web')).to.contain(
        "1 node(s) didn't satisfy existing pods anti-affinity rules.",
      );
      await cluster.node('two');
      expect(await cluster.placed('web')).to.equal('two');
      await cluster.pod('loner-2', {
        affinity: { podAntiAffinity },
        nodeSelector: { [HOST]: 'two' },
      });
      expect(await cluster.message('loner-2')).to.contain(
        "1 node(s) didn't match Pod's node affinity/selector, 1 node(s) didn't match pod anti-affinity rules.",
      );
      await cluster.pods().delete('web');
      expect(await cluster.placed('loner-2')).to.equal('two');
    });
  });

  it('look into the namespaces that a term selects by their labels', async () => {
    await SchedulingWorld.run(async (cluster) => {
      const namespaces = cluster.world.client.resource('v1', 'namespaces');
      const metadata = { name: 'shop', labels: { team: 'x' } };
      await namespaces.create({ apiVersion: 'v1', kind: 'Namespace', metadata });
      await cluster.world.sleep(1000);
      await cluster.node('one');
      await cluster.node('two');
      await cluster.pod('web', { namespace: 'shop', labels: { app: 'web' } });
      const node = await cluster.placed('web', 'shop');
      const namespaceSelector = { matchLabels: { team: 'x' } };
      const term = { ...near('web'), namespaceSelector };
      const podAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
      await cluster.pod('guest', { affinity: { podAffinity } });
      expect(await cluster.placed('guest')).to.equal(node);
      const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
      await cluster.pod('loner', { affinity: { podAntiAffinity } });
      expect(await cluster.placed('loner')).to.not.equal(node);
    });
  });

  it('prefer nodes near wanted pods', async () => {
    await SchedulingWorld.run(async (cluster) => {
      for (let index = 0; index < 6; index += 1) await cluster.node(`node-${index}`);
      await cluster.pod('web', { labels: { app: 'web' } });
      const node = await cluster.placed('web');
      const preferred = [{ weight: 100, podAffinityTerm: near('web') }];
      const podAffinity = { preferredDuringSchedulingIgnoredDuringExecution: preferred };
      await cluster.pod('guest', { affinity: { podAffinity } });
      expect(await cluster.placed('guest')).to.equal(node);
    });
  });

  it('spread pods within their skew, and count nodes without the label apart', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await zones(cluster);
      await cluster.node('none');
      const constraint: TopologySpreadConstraint = {
        maxSkew: 1,
        topologyKey: ZONE,
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'web' } },
      };
      const shape = { labels: { app: 'web' }, topologySpreadConstraints: [constraint] };
      const counts = { a: 0, b: 0 };
      for (let index = 0; index < 6; index += 1) {
        await cluster.pod(`web-${index}`, shape);
        const node = await cluster.placed(`web-${index}`);
        counts[node.startsWith('a') ? 'a' : 'b'] += 1;
      }
      expect(counts).to.deep.equal({ a: 3, b: 3 });
      const nodes = cluster.world.client.resource('v1', 'nodes');
      await nodes.patch('b-1', { spec: { unschedulable: true } });
      await cluster.pod('last-1', shape);
      await cluster.placed('last-1');
      await cluster.pod('last-2', shape);
      expect(await cluster.message('last-2')).to.match(
        /^0\/4 nodes are available: 1 node\(s\) didn't match pod topology spread constraints \(missing required label\), 1 node\(s\) were unschedulable, 2 node\(s\) didn't match pod topology spread constraints\. /,
      );
      await cluster.pods().delete('last-1');
      expect(await cluster.placed('last-2')).to.match(/^a/);
    });
  });

  it('treat too few domains as an empty one', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await cluster.node('one');
      const constraint: TopologySpreadConstraint = {
        maxSkew: 1,
        minDomains: 2,
        topologyKey: HOST,
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'web' } },
      };
      const shape = { labels: { app: 'web' }, topologySpreadConstraints: [constraint] };
      await cluster.pod('first', shape);
      await cluster.placed('first');
      await cluster.pod('second', shape);
      await cluster.pending('second');
      await cluster.node('two');
      expect(await cluster.placed('second')).to.equal('two');
    });
  });

  it('spread the pods of one owner without being asked', async () => {
    await SchedulingWorld.run(async (cluster) => {
      for (const name of ['one', 'two', 'three']) await cluster.node(name);
      // It fills one node in part, so that resources alone would leave it out.
      await cluster.pod('large', { requests: { cpu: '200m' }, nodeSelector: { [HOST]: 'one' } });
      await cluster.placed('large');
      const nodes = new Set<string>();
      const sets = cluster.world.client.resource('apps/v1', 'replicasets', {
        namespace: 'default',
      });
      const { metadata } = await sets.create({
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: { name: 'web' },
        spec: {
          selector: { matchLabels: { app: 'web' } },
          template: {
            metadata: { labels: { app: 'web' } },
            spec: { containers: [{ name: 'main', image: 'busybox' }] },
          },
        },
      });
      for (const name of ['a', 'b', 'c']) {
        const { uid } = metadata;
        const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid };
        await cluster.pods().create({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name, ownerReferences: [{ ...owner, controller: true }] },
          spec: { containers: [{ name: 'main', image: 'busybox' }] },
        });
        nodes.add(await cluster.placed(name));
      }
      expect([...nodes].toSorted()).to.deep.equal(['one', 'three', 'two']);
    });
  });

  it('give a port of a node to one pod', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await cluster.node('one');
      const web = (name: string, hostIP?: string): Parameters<SchedulingWorld['pod']>[1] => ({
        containers: [
          { name, image: 'busybox', ports: [{ containerPort: 80, hostPort: 80, hostIP }] },
        ],
      });
      await cluster.pod('first', web('first', '10.0.0.1'));
      await cluster.placed('first');
      await cluster.pod('other', web('other', '10.0.0.2'));
      await cluster.placed('other');
      await cluster.pod('second', web('second'));
      expect(await cluster.message('second')).to.contain(
        "1 node(s) didn't have free ports for the requested pod ports.",
      );
    });
  });

  it('let a pod of a DaemonSet ask for its node by name', async () => {
    await SchedulingWorld.run(async (cluster) => {
      for (const name of ['one', 'two']) await cluster.node(name);
      const term = (name: string) => ({
        nodeSelectorTerms: [
          { matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: [name] }] },
        ],
      });
      const affinity = (name: string) => ({
        nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: term(name) },
      });
      await cluster.pod('agent', { affinity: affinity('two') });
      expect(await cluster.placed('agent')).to.equal('two');
      await cluster.pod('lost', { affinity: affinity('three') });
      expect(await cluster.message('lost')).to.match(
        /^0\/2 nodes are available: 2 node\(s\) didn't satisfy plugin\(s\) \[NodeAffinity\]\. /,
      );
      await cluster.node('three');
      expect(await cluster.placed('lost')).to.equal('three');
    });
  });
});
