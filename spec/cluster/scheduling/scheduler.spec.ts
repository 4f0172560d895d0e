import { expect } from 'chai';
import { SchedulingWorld } from './scheduling-world.ts';

describe('Scheduler', () => {
  it('binds a pod to a node that has room, and reports it', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await cluster.node('small', { allocatable: { cpu: '1' } });
      await cluster.node('large');
      await cluster.pod('web', { requests: { cpu: '2' } });
      expect(await cluster.placed('web')).to.equal('large');
      await cluster.world.sleep(100);
      const pod = await cluster.pods().get('web');
      expect(pod.status?.conditions?.map(({ type, status }) => [type, status])).to.deep.equal([
        ['PodScheduled', 'True'],
      ]);
      expect(await cluster.notes('web')).to.deep.equal([
        ['Scheduled', 'Successfully assigned default/web to large'],
      ]);
    });
  });

  it('reports its events as kube-scheduler does', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await cluster.node('one');
      await cluster.pod('web');
      await cluster.placed('web');
      await cluster.world.sleep(100);
      const events = cluster.world.client.resource('events.k8s.io/v1', 'events', {
        namespace: 'default',
      });
      const [event] = (await events.list()).items;
      expect(event?.reportingController).to.equal('default-scheduler');
      expect(event?.reportingInstance).to.match(/^default-scheduler-/);
      expect(event?.action).to.equal('Binding');
      expect(event?.type).to.equal('Normal');
    });
  });

  it('says that there are no nodes, and places the pod on the first one that comes', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await cluster.pod('web');
      const { reason, message, observedGeneration } = await cluster.pending('web');
      expect([reason, message]).to.deep.equal([
        'Unschedulable',
        'no nodes available to schedule pods',
      ]);
      expect(observedGeneration).to.equal(1);
      await cluster.node('one');
      expect(await cluster.placed('web')).to.equal('one');
      await cluster.world.sleep(100);
      expect(await cluster.notes('web')).to.deep.equal([
        ['FailedScheduling', 'no nodes available to schedule pods'],
        ['Scheduled', 'Successfully assigned default/web to one'],
      ]);
    });
  });

  it('leaves pods of other schedulers, and pods with a node, alone', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await cluster.node('one');
      await cluster.pod('other', { schedulerName: 'mine' });
      await cluster.pod('fixed', { nodeName: 'nowhere' });
      await cluster.pod('web');
      await cluster.placed('web');
      await cluster.world.sleep(60_000);
      expect(await cluster.nodeOf('other')).to.equal('');
      expect(await cluster.nodeOf('fixed')).to.equal('nowhere');
    });
  });

  it('waits for scheduling gates, and changes nothing of a pod that has some', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await cluster.node('one');
      const { metadata } = await cluster.pod('web', { schedulingGates: [{ name: 'mine' }] });
      await cluster.world.sleep(60_000);
      const pod = await cluster.pods().get('web');
      expect(pod.metadata.resourceVersion).to.equal(metadata.resourceVersion);
      expect((await cluster.pending('web')).reason).to.equal('SchedulingGated');
      expect(cluster.scheduler.inspect()).to.include({ gated: 1, unschedulable: 0 });
      await cluster.pods().patch('web', { spec: { schedulingGates: [] } });
      expect(await cluster.placed('web')).to.equal('one');
    });
  });

  it('counts why each node cannot take the pod', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await cluster.node('tainted', {
        spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] },
      });
      await cluster.node('cordoned', { spec: { unschedulable: true } });
      await cluster.node('small', { allocatable: { cpu: '1', memory: '1Gi' } });
      await cluster.node('tiny', { allocatable: { cpu: '1' } });
      await cluster.pod('web', { requests: { cpu: '2', memory: '2Gi' } });
      expect(await cluster.message('web')).to.match(
        /^0\/4 nodes are available: 1 Insufficient memory, 1 node\(s\) had untolerated taint\(s\), 1 node\(s\) were unschedulable, 2 Insufficient cpu\./,
      );
    });
  });

  it('places a pod when the node is no longer cordoned', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await cluster.node('one', { spec: { unschedulable: true } });
      await cluster.pod('web');
      await cluster.pending('web');
      const nodes = cluster.world.client.resource('v1', 'nodes');
      await nodes.patch('one', { spec: { unschedulable: null } });
      expect(await cluster.placed('web')).to.equal('one');
    });
  });

  it('places a pod when another one is gone, or has ended', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await cluster.node('one', { allocatable: { pods: '1' } });
      await cluster.pod('first');
      await cluster.placed('first');
      await cluster.pod('second');
      expect(await cluster.message('second')).to.contain('1 Too many pods');
      await cluster
        .pods()
        .patch('first', { status: { phase: 'Succeeded' } }, { subresource: 'status' });
      expect(await cluster.placed('second')).to.equal('one');
      await cluster.pod('third');
      await cluster.pending('third');
      await cluster.pods().delete('second');
      expect(await cluster.placed('third')).to.equal('one');
    });
  });

  it('does nothing while nothing changes that may help', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await cluster.node('one', { labels: { disk: 'slow' } });
      await cluster.pod('web', { nodeSelector: { disk: 'fast' } });
      await cluster.pending('web');
      const { metadata } = await cluster.pods().get('web');
      const nodes = cluster.world.client.resource('v1', 'nodes');
      for (let beat = 0; beat < 5; beat += 1) {
        const status = { conditions: [{ type: 'Ready', status: 'True', reason: `${beat}` }] };
        await nodes.patch('one', { status }, { subresource: 'status' });
        await cluster.pod(`other-${beat}`);
      }
      await cluster.world.sleep(600_000);
      const pod = await cluster.pods().get('web');
      expect(pod.metadata.resourceVersion).to.equal(metadata.resourceVersion);
      expect(await cluster.notes('web')).to.have.lengthOf(1);
      await nodes.patch('one', { metadata: { labels: { disk: 'fast' } } });
      expect(await cluster.placed('web')).to.equal('one');
    });
  });

  it('takes pods of a higher priority first', async () => {
    await SchedulingWorld.run(async (cluster) => {
      const classes = cluster.world.client.resource('scheduling.k8s.io/v1', 'priorityclasses');
      const kind = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' } as const;
      await classes.create({ ...kind, metadata: { name: 'high' }, value: 1000 });
      await cluster.pod('low');
      await cluster.pod('high', { priorityClassName: 'high' });
      await cluster.pending('low');
      await cluster.pending('high');
      await cluster.node('one', { allocatable: { pods: '1' } });
      expect(await cluster.placed('high')).to.equal('one');
      expect(await cluster.nodeOf('low')).to.equal('');
    });
  });

  it('places many pods evenly, and never too many on a node', async () => {
    await SchedulingWorld.run(async (cluster) => {
      for (let index = 0; index < 5; index += 1) await cluster.node(`node-${index}`);
      const names = Array.from({ length: 40 }, (_, index) => `pod-${index}`);
      await Promise.all(names.map((name) => cluster.pod(name, { requests: { cpu: '500m' } })));
      const nodes = await Promise.all(names.map((name) => cluster.placed(name)));
      const counts = new Map<string, number>();
      for (const node of nodes) counts.set(node, (counts.get(node) ?? 0) + 1);
      expect([...counts.values()]).to.deep.equal([8, 8, 8, 8, 8]);
    });
  });
});
