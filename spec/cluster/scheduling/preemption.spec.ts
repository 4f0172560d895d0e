import { expect } from 'chai';
import { SchedulingWorld } from './scheduling-world.ts';

async function classes({ world }: SchedulingWorld): Promise<void> {
  const all = world.client.resource('scheduling.k8s.io/v1', 'priorityclasses');
  const kind = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' } as const;
  await all.create({ ...kind, metadata: { name: 'high' }, value: 1000 });
  await all.create({ ...kind, metadata: { name: 'middle' }, value: 500 });
  await all.create({
    ...kind,
    metadata: { name: 'patient' },
    value: 1000,
    preemptionPolicy: 'Never',
  });
}

describe('preemption', () => {
  it('deletes the least important pod, and reports it on both', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await classes(cluster);
      await cluster.node('one', { allocatable: { cpu: '2' } });
      await cluster.pod('middle', { requests: { cpu: '1' }, priorityClassName: 'middle' });
      const victim = await cluster.pod('low', {
        requests: { cpu: '1' },
        terminationGracePeriodSeconds: 30,
      });
      await cluster.placed('middle');
      await cluster.placed('low');
      const high = await cluster.pod('high', {
        requests: { cpu: '1' },
        priorityClassName: 'high',
      });
      expect(await cluster.message('high')).to.equal(
        '0/1 nodes are available: 1 Insufficient cpu. preemption: found a potential placement for pod on node one, preempting 1 victims',
      );
      await cluster.world.sleep(100);
      expect((await cluster.pods().get('high')).status?.nominatedNodeName).to.equal('one');
      const low = await cluster.pods().get('low');
      expect(low.metadata.deletionTimestamp).to.be.a('string');
      const target = low.status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
      expect(target).to.include({
        status: 'True',
        reason: 'PreemptionByScheduler',
        message: 'default-scheduler: preempting to accommodate a higher priority pod',
      });
      expect((await cluster.notes('low')).at(-1)).to.deep.equal([
        'Preempted',
        `Preempted by pod ${high.metadata.uid} on node one`,
      ]);
      // As a kubelet does, once the grace period is over.
      await cluster.pods().delete('low', {
        gracePeriodSeconds: 0,
        preconditions: { uid: victim.metadata.uid },
      });
      expect(await cluster.placed('high')).to.equal('one');
      expect((await cluster.pods().get('high')).status?.nominatedNodeName).to.equal(undefined);
      expect(await cluster.nodeOf('middle')).to.equal('one');
    });
  });

  it('does not delete another pod while a victim is ending', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await classes(cluster);
      await cluster.node('one', { allocatable: { pods: '2' } });
      for (const name of ['first', 'second']) {
        await cluster.pod(name, { terminationGracePeriodSeconds: 30 });
        await cluster.placed(name);
      }
      await cluster.pod('high', { priorityClassName: 'high' });
      await cluster.pending('high');
      await cluster.world.sleep(1000);
      // Another try: a node that is too small.
      await cluster.node('tiny', { allocatable: { pods: '0' } });
      await cluster.world.sleep(10_000);
      const { items } = await cluster.pods().list();
      const ending = items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
      expect(ending).to.have.lengthOf(1);
    });
  });

  it('keeps the room for the pod that made it', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await classes(cluster);
      await cluster.node('one', { allocatable: { pods: '1' } });
      await cluster.pod('low', { terminationGracePeriodSeconds: 30 });
      await cluster.placed('low');
      await cluster.pod('high', { priorityClassName: 'high' });
      await cluster.pending('high');
      await cluster.world.sleep(100);
      await cluster.pod('late');
      await cluster.pending('late');
      await cluster.pods().delete('low', { gracePeriodSeconds: 0 });
      expect(await cluster.placed('high')).to.equal('one');
      expect(await cluster.nodeOf('late')).to.equal('');
    });
  });

  it('leaves the room that is free already to the pod that makes more', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await classes(cluster);
      await cluster.node('one', { allocatable: { cpu: '2' } });
      await cluster.pod('low', { requests: { cpu: '1500m' }, terminationGracePeriodSeconds: 30 });
      await cluster.placed('low');
      await cluster.pod('high', { requests: { cpu: '2' }, priorityClassName: 'high' });
      await cluster.pending('high');
      await cluster.world.sleep(1000);
      await cluster.pod('late', { requests: { cpu: '500m' } });
      expect(await cluster.message('late')).to.contain('1 Insufficient cpu.');
      await cluster.pods().delete('low', { gracePeriodSeconds: 0 });
      expect(await cluster.placed('high')).to.equal('one');
      expect(await cluster.nodeOf('late')).to.equal('');
    });
  });

  it('gives the room to other pods when the pod that made it is deleted', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await classes(cluster);
      await cluster.node('one', { allocatable: { cpu: '2' } });
      await cluster.pod('low', { requests: { cpu: '1500m' }, terminationGracePeriodSeconds: 30 });
      await cluster.placed('low');
      await cluster.pod('high', { requests: { cpu: '2' }, priorityClassName: 'high' });
      await cluster.pending('high');
      await cluster.world.sleep(1000);
      await cluster.pod('late', { requests: { cpu: '500m' } });
      await cluster.pending('late');
      await cluster.world.sleep(1000);
      await cluster.pods().delete('high');
      // Not only once the victim has gone.
      await cluster.world.sleep(5000);
      expect(await cluster.nodeOf('late')).to.equal('one');
    });
  });

  it('takes a more important pod rather than one that a budget protects', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await classes(cluster);
      const { client } = cluster.world;
      const budgets = client.resource('policy/v1', 'poddisruptionbudgets', {
        namespace: 'default',
      });
      await budgets.create({
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'guard' },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'guarded' } } },
      });
      await cluster.node('one', { allocatable: { pods: '2' } });
      await cluster.pod('guarded', { labels: { app: 'guarded' } });
      await cluster.pod('open', { priorityClassName: 'middle' });
      await cluster.placed('guarded');
      await cluster.placed('open');
      await cluster.pod('high', { priorityClassName: 'high' });
      await cluster.placed('high');
      const { items } = await cluster.pods().list();
      expect(items.map(({ metadata }) => metadata.name)).to.deep.equal(['guarded', 'high']);
    });
  });

  it('says when it does not help, and when the pod may not do it', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await classes(cluster);
      await cluster.node('one', { allocatable: { pods: '1' } });
      await cluster.node('cordoned', { spec: { unschedulable: true } });
      await cluster.pod('first');
      await cluster.placed('first');
      await cluster.pod('second');
      expect(await cluster.message('second')).to.equal(
        '0/2 nodes are available: 1 Too many pods, 1 node(s) were unschedulable. preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.',
      );
      await cluster.pod('patient', { priorityClassName: 'patient' });
      expect(await cluster.message('patient')).to.equal(
        '0/2 nodes are available: 1 Too many pods, 1 node(s) were unschedulable. preemption: not eligible due to preemptionPolicy=Never.',
      );
      await cluster.world.sleep(1000);
      expect(await cluster.nodeOf('first')).to.equal('one');
    });
  });

  it('spares pods that a disruption budget protects', async () => {
    await SchedulingWorld.run(async (cluster) => {
      await classes(cluster);
      const { client } = cluster.world;
      const budgets = client.resource('policy/v1', 'poddisruptionbudgets', {
        namespace: 'default',
      });
      await budgets.create({
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'guard' },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'guarded' } } },
      });
      for (const [name, app] of [
        ['one', 'guarded'],
        ['two', 'open'],
      ] as const) {
        await cluster.node(name, { allocatable: { pods: '1' } });
        await cluster.pod(app, {
          labels: { app },
          nodeSelector: { 'kubernetes.io/hostname': name },
        });
        await cluster.placed(app);
      }
      await cluster.pod('high', { priorityClassName: 'high' });
      expect(await cluster.placed('high')).to.equal('two');
      expect(await cluster.nodeOf('guarded')).to.equal('one');
    });
  });
});
