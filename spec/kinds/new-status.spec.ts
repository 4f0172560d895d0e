import { expect } from 'chai';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import { call } from '../server/api/support.ts';

const containers = [{ name: 'c', image: 'i' }];
const template = { metadata: { labels: { a: 'b' } }, spec: { containers } };
const selector = { matchLabels: { a: 'b' } };
const workload = { selector, template };
const NODE_INFO = {
  machineID: '',
  systemUUID: '',
  bootID: '',
  kernelVersion: '',
  osImage: '',
  containerRuntimeVersion: '',
  kubeletVersion: '',
  kubeProxyVersion: '',
  operatingSystem: '',
  architecture: '',
};
const DAEMON_ENDPOINTS = { kubeletEndpoint: { Port: 0 } };

/** Recorded: the status in the answer to a POST at kube-apiserver 1.36.3; undefined where there is none. */
const answers: readonly [path: string, object: object, status: object | undefined][] = [
  ['apis/apps/v1/namespaces/default/deployments', { spec: workload }, {}],
  ['apis/apps/v1/namespaces/default/deployments', { spec: workload, status: { replicas: 9 } }, {}],
  ['apis/apps/v1/namespaces/default/replicasets', { spec: workload }, { replicas: 0 }],
  [
    'apis/apps/v1/namespaces/default/statefulsets',
    { spec: { serviceName: 'x', ...workload } },
    { replicas: 0, availableReplicas: 0 },
  ],
  [
    'apis/apps/v1/namespaces/default/daemonsets',
    { spec: workload },
    { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
  ],
  [
    'apis/batch/v1/namespaces/default/jobs',
    { spec: { template: { spec: { restartPolicy: 'Never', containers } } } },
    {},
  ],
  ['api/v1/namespaces', {}, { phase: 'Active' }],
  ['api/v1/nodes', {}, { daemonEndpoints: DAEMON_ENDPOINTS, nodeInfo: NODE_INFO }],
  [
    'api/v1/namespaces/default/pods',
    { spec: { containers } },
    { phase: 'Pending', qosClass: 'BestEffort' },
  ],
  ['api/v1/namespaces/default/services', { spec: { ports: [{ port: 1 }] } }, { loadBalancer: {} }],
  ['api/v1/namespaces/default/configmaps', {}, undefined],
  ['api/v1/namespaces/default/secrets', {}, undefined],
  ['api/v1/namespaces/default/events', { involvedObject: { namespace: 'default' } }, undefined],
  ['apis/coordination.k8s.io/v1/namespaces/default/leases', {}, undefined],
];

describe('the status of a new object', () => {
  it('is that of kube-apiserver', async () => {
    await using server = new ApiServer();
    for (const [path, object, expected] of answers) {
      const body = { metadata: { name: 'f' }, ...object };
      const { status, text, json } = await call(server.handler, 'POST', `/${path}?dryRun=All`, {
        body,
      });
      expect(status, text).to.equal(201);
      expect(json()['status'], path).to.deep.equal(expected);
    }
  });

  it('of a node is completed if a kubelet sets a part of it', async () => {
    await using server = new ApiServer();
    const info = { ...NODE_INFO, kubeletVersion: 'v1.36.3' };
    const { json } = await call(server.handler, 'POST', '/api/v1/nodes', {
      body: {
        metadata: { name: 'n' },
        status: { nodeInfo: { kubeletVersion: 'v1.36.3' }, addresses: [] },
      },
    });
    expect(json()['status']).to.deep.include({ nodeInfo: info, daemonEndpoints: DAEMON_ENDPOINTS });
  });
});
