import type { Container, NodeSpec, PersistentVolumeClaimSpec } from '../../../lib/types/index.ts';
import { scheduler } from './scheduling-place.ts';
import {
  CORDONED,
  HOST,
  named,
  near,
  REQUIRED,
  spread,
  using,
  withPort,
  ZONE,
} from './scheduling-shapes.ts';
import type { Scenario } from './scenario.ts';

/** The words of the scheduler about pods that it places, and about those that it does not. */
export const scheduling: readonly Scenario[] = [
  scheduler('there are no nodes', (at) => at.pod('a')),
  scheduler('the pod fits', async (at) => {
    await at.node('n1');
    await at.pod('a');
  }),
  scheduler('resources are short', async (at) => {
    await at.node('n1', { allocatable: { cpu: '1', memory: '1Gi' } });
    await at.node('n2', { allocatable: { cpu: '1' } });
    await at.pod('a', { requests: { cpu: '2', memory: '2Gi' } });
  }),
  scheduler('an extended resource is missing', async (at) => {
    await at.node('n1');
    const amount = { 'example.com/gpu': '1' };
    const resources = { requests: amount, limits: amount };
    await at.pod('a', { containers: [{ name: 'main', image: 'busybox', resources }] });
  }),
  scheduler('storage is short', async (at) => {
    await at.node('n1');
    await at.pod('a', { requests: { 'ephemeral-storage': '20Gi' } });
  }),
  scheduler('the pod as a whole asks for too much', async (at) => {
    await at.node('n1', { allocatable: { cpu: '1' } });
    await at.pod('a', { resources: { requests: { cpu: '2' } } });
  }),
  scheduler('a sidecar asks for too much', async (at) => {
    await at.node('n1', { allocatable: { cpu: '1500m' } });
    const resources = { requests: { cpu: '1' } };
    const sidecar: Container = {
      name: 'side',
      image: 'busybox',
      restartPolicy: 'Always',
      resources,
    };
    await at.pod('a', { initContainers: [sidecar], requests: { cpu: '1' } });
  }),
  scheduler('nodes are tainted', async (at) => {
    await at.node('n1', {
      spec: { taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }] },
    });
    await at.node('n2', CORDONED);
    await at.node('n3', { spec: { taints: [{ key: 'x', effect: 'NoExecute' }] } });
    await at.pod('a');
  }),
  scheduler('no node has the label', async (at) => {
    await at.node('n1');
    await at.pod('a', { nodeSelector: { x: 'y' } });
  }),
  scheduler('two names are asked for', async (at) => {
    await at.node('n1');
    await at.pod('a', named('n1', 'n2'));
  }),
  scheduler('the named node is missing', async (at) => {
    await at.node('n1');
    await at.node('n2');
    await at.pod('a', named('n3'));
  }),
  scheduler('the named node is cordoned', async (at) => {
    await at.node('n1', CORDONED);
    await at.node('n2');
    await at.pod('a', named('n1'));
  }),
  scheduler('a port is taken', async (at) => {
    await at.node('n1');
    await at.pod('a', withPort(80));
    await at.pod('b', withPort(80));
  }),
  scheduler('no wanted pod is there', async (at) => {
    await at.node('n1');
    await at.pod('a', { affinity: { podAffinity: { [REQUIRED]: [near()] } } });
  }),
  scheduler('the pod wants pods like itself', async (at) => {
    await at.node('n1');
    const affinity = { podAffinity: { [REQUIRED]: [near()] } };
    await at.pod('a', { labels: { app: 'web' }, affinity });
  }),
  scheduler('the node has no zone to be near in', async (at) => {
    await at.node('n1');
    const affinity = { podAffinity: { [REQUIRED]: [near(ZONE)] } };
    await at.pod('a', { labels: { app: 'web' }, affinity });
  }),
  scheduler('an unwanted pod is there', async (at) => {
    await at.node('n1');
    await at.pod('a', { labels: { app: 'web' } });
    await at.pod('b', { affinity: { podAntiAffinity: { [REQUIRED]: [near()] } } });
  }),
  scheduler('a pod that is there does not want it', async (at) => {
    await at.node('n1');
    await at.pod('a', { affinity: { podAntiAffinity: { [REQUIRED]: [near()] } } });
    await at.pod('b', { labels: { app: 'web' } });
  }),
  scheduler('the skew is reached', async (at) => {
    await at.node('n1', { labels: { [ZONE]: 'a' } });
    await at.node('n2', { labels: { [ZONE]: 'b' }, ...CORDONED });
    await at.node('n3');
    await at.pod('a', spread());
    await at.pod('b', spread());
  }),
  scheduler('tainted nodes do not count for the skew', async (at) => {
    await at.node('n1', { labels: { [ZONE]: 'a' } });
    const taints: NodeSpec['taints'] = [{ key: 'a', effect: 'NoSchedule' }];
    await at.node('n2', { labels: { [ZONE]: 'b' }, spec: { taints } });
    await at.pod('a', spread({ nodeTaintsPolicy: 'Honor' }));
    await at.pod('b', spread({ nodeTaintsPolicy: 'Honor' }));
  }),
  scheduler('there are too few domains', async (at) => {
    await at.node('n1');
    await at.pod('a', spread({ minDomains: 2, topologyKey: HOST }));
    await at.pod('b', spread({ minDomains: 2, topologyKey: HOST }));
  }),
  scheduler('the claim is missing', async (at) => {
    await at.node('n1');
    await at.pod('a', using('data'));
  }),
  scheduler('the claim is not bound', async (at) => {
    await at.node('n1');
    await at.claim('data', { storageClassName: '' });
    await at.pod('a', using('data'));
  }),
  scheduler('the claim of the pod itself is missing', async (at) => {
    await at.node('n1');
    const spec: PersistentVolumeClaimSpec = {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
    };
    const ephemeral = { volumeClaimTemplate: { spec } };
    await at.pod('a', { volumes: [{ name: 'data', ephemeral }] });
  }),
  scheduler('the claim is being deleted', async (at) => {
    await at.node('n1');
    await at.claim('data', { storageClassName: '' });
    await at.claims.patch('data', { metadata: { finalizers: ['example.com/wait'] } });
    await at.claims.delete('data');
    await at.pause();
    await at.pod('a', using('data'));
  }),
  scheduler('the claim has lost its volume', async (at) => {
    await at.node('n1');
    await at.claim('data', { storageClassName: '', volumeName: 'gone' });
    const annotations = { 'pv.kubernetes.io/bind-completed': 'yes' };
    await at.claims.patch('data', { metadata: { annotations } });
    await at.pause();
    await at.pod('a', using('data'));
  }),
  scheduler('no volume suits the claim', async (at) => {
    await at.node('n1');
    await at.lateClass('late', 'kubernetes.io/no-provisioner');
    await at.claim('data', { storageClassName: 'late' });
    await at.pod('a', using('data'));
  }),
  scheduler('the volume is being made', async (at) => {
    await at.node('n1');
    await at.lateClass('made', 'example.com/disks');
    await at.claim('data', { storageClassName: 'made' });
    await at.pod('a', using('data'));
  }),
  scheduler('a less important pod has to go', async (at) => {
    await at.priorities();
    await at.node('n1', { allocatable: { cpu: '1' } });
    await at.pod('a', { requests: { cpu: '1' }, terminationGracePeriodSeconds: 60 });
    await at.pod('b', { requests: { cpu: '1' }, priorityClassName: 'high' });
  }),
  scheduler('the pod may not make others go', async (at) => {
    await at.priorities();
    await at.node('n1', { allocatable: { cpu: '1' } });
    await at.pod('a', { requests: { cpu: '1' } });
    await at.pod('b', { requests: { cpu: '1' }, priorityClassName: 'patient' });
  }),
  scheduler('it does not help if others go', async (at) => {
    await at.priorities();
    await at.node('n1', { allocatable: { cpu: '2' } });
    await at.node('n2', { allocatable: { cpu: '1' } });
    const here = { nodeSelector: { [HOST]: 'n1' } };
    await at.pod('a', { requests: { cpu: '1' }, priorityClassName: 'high', ...here });
    await at.pod('c', { requests: { cpu: '500m' }, ...here });
    await at.pod('b', { requests: { cpu: '1500m' }, priorityClassName: 'middle' });
  }),
  scheduler('the node has enough pods', async (at) => {
    await at.node('n1', { allocatable: { pods: '1' } });
    await at.pod('a');
    await at.pod('b');
  }),
  scheduler('the pod is gated', async (at) => {
    await at.node('n1');
    await at.pod('a', { schedulingGates: [{ name: 'mine' }] });
  }),
  scheduler('the pod before it goes', async (at) => {
    await at.node('n1', { allocatable: { pods: '1' } });
    await at.pod('a');
    await at.pod('b');
    await at.pods.delete('a');
  }),
  scheduler('another node comes', async (at) => {
    await at.node('n1', CORDONED);
    await at.pod('a');
    await at.node('n2');
    // Whether it is tried once more while the new node still has its first taint is a matter of time.
    await at.placed('a');
    return await at.places();
  }),
];
