import type { RuleCases } from '../rule-cases.ts';

const collection = '/api/v1/namespaces/{ns}/pods';
const meta = (more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'base', ...more },
});
const container = { name: 'a', image: 'i' };
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const expression = (key: string): object => ({ key, operator: 'Exists' });
const AFFINITY = 'spec.affinity.nodeAffinity';
const TERMS = `${AFFINITY}.${REQUIRED}.nodeSelectorTerms`;
const COST = 'controller.kubernetes.io/pod-deletion-cost';
const ARMOR = 'container.apparmor.security.beta.kubernetes.io/a';

const running = { running: { startedAt: '2026-01-01T00:00:00Z' } };
const ended = (exitCode: number): object => ({ terminated: { exitCode } });
const status = (name: string, state: object, more: object = {}): object => ({
  name,
  state,
  image: 'i',
  imageID: '',
  ready: false,
  restartCount: 0,
  ...more,
});

export const cases: readonly RuleCases[] = [
  {
    title: 'v1 Pod, updated',
    collection,
    base: {
      ...meta({ labels: { a: 'b' } }),
      spec: {
        nodeName: 'n',
        activeDeadlineSeconds: 10,
        tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
        initContainers: [{ name: 'b', image: 'i' }],
        containers: [{ ...container, resources: { requests: { cpu: '1' } } }],
        volumes: [{ name: 'v', emptyDir: {} }],
      },
    },
    updates: [
      { 'metadata.labels.a': 'c' },
      { [`metadata.annotations`]: { [COST]: '5' } },
      { [`metadata.annotations`]: { [COST]: 'x' } },
      { [`metadata.annotations`]: { [ARMOR]: 'unconfined' } },
      { [`metadata.annotations`]: { 'kubernetes.io/config.mirror': 'x' } },
      { 'spec.containers[0].image': 'j' },
      { 'spec.containers[0].image': '' },
      { 'spec.containers[0].image': ' j' },
      { 'spec.initContainers[0].image': 'j' },
      { 'spec.containers[-]': { name: 'c', image: 'i' } },
      { 'spec.initContainers': undefined },
      { 'spec.containers[0].name': 'c' },
      { 'spec.containers[0].resources.requests.cpu': '2' },
      { 'spec.containers[0].resources.requests.cpu': '1000m' },
      { 'spec.containers[0].command': ['x', '<&>'] },
      { 'spec.containers[0].env': [{ name: 'A', value: 'b' }] },
      { 'spec.containers[0].ports': [{ containerPort: 80 }] },
      { 'spec.containers[0].livenessProbe': { httpGet: { port: 80 } } },
      { 'spec.containers[0].imagePullPolicy': 'Never' },
      { 'spec.containers[0].securityContext': { privileged: false } },
      { 'spec.activeDeadlineSeconds': 9 },
      { 'spec.activeDeadlineSeconds': 11 },
      { 'spec.activeDeadlineSeconds': 0 },
      { 'spec.activeDeadlineSeconds': -1 },
      { 'spec.activeDeadlineSeconds': undefined },
      { 'spec.terminationGracePeriodSeconds': 1 },
      { 'spec.terminationGracePeriodSeconds': -1 },
      { 'spec.tolerations[0].tolerationSeconds': 6 },
      { 'spec.tolerations[0].key': 'l' },
      { 'spec.tolerations[0]': undefined },
      { 'spec.tolerations[-]': { key: 'x', operator: 'Exists' } },
      { 'spec.tolerations[-]': { key: 'x', operator: 'Wrong' } },
      { 'spec.schedulingGates': [{ name: 'g' }] },
      { 'spec.nodeName': 'm' },
      { 'spec.nodeName': undefined },
      { 'spec.nodeSelector': { a: 'b' } },
      { 'spec.hostname': 'h' },
      { 'spec.restartPolicy': 'Never' },
      { 'spec.restartPolicy': 'Wrong' },
      { 'spec.dnsPolicy': 'Default' },
      { 'spec.serviceAccountName': 's' },
      { 'spec.hostNetwork': true },
      { 'spec.securityContext': { runAsUser: 1 } },
      { 'spec.priority': 5 },
      { 'spec.priority': undefined },
      { 'spec.volumes[-]': { name: 'w', hostPath: { path: '/x' } } },
      { 'spec.volumes[0]': { name: 'v', secret: { secretName: 's' } } },
      { 'spec.volumes': undefined },
      { 'spec.affinity': { podAffinity: {} } },
      {
        'spec.topologySpreadConstraints': [
          { maxSkew: 1, topologyKey: 'k', whenUnsatisfiable: 'DoNotSchedule' },
        ],
      },
      { 'spec.ephemeralContainers': [{ name: 'e', image: 'i' }] },
      { 'spec.readinessGates': [{ conditionType: 'a' }] },
      { 'spec.enableServiceLinks': false },
      { 'spec.overhead': { cpu: '1' } },
      { 'spec.resources': { limits: { cpu: '2' } } },
      { 'spec.os': { name: 'linux' } },
      { 'spec.hostAliases': [{ ip: '1.2.3.4', hostnames: ['h'] }] },
      { 'spec.dnsConfig': { nameservers: ['1.2.3.4'] } },
      { 'spec.setHostnameAsFQDN': true },
      { 'spec.preemptionPolicy': undefined },
      { 'status.phase': 'Running' },
    ],
    statuses: [
      { 'metadata.labels.a': 'c' },
      { 'metadata.ownerReferences': [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' }] },
      { 'spec.nodeName': 'm' },
      { 'status.phase': 'Running' },
      { 'status.phase': 'Wrong' },
      { 'status.qosClass': 'Guaranteed' },
      { 'status.qosClass': undefined },
      { 'status.conditions': [{ type: 'Ready', status: 'True' }] },
      { 'status.conditions': [{ type: 'a b', status: 'True' }] },
      { 'status.conditions': [{ type: 'Ready', status: 'True', observedGeneration: -1 }] },
      { 'status.conditions': [{ type: 'Ready', status: 'True', observedGeneration: 1 }] },
      { 'status.observedGeneration': -1 },
      { 'status.observedGeneration': 1 },
      { 'status.nominatedNodeName': 'm' },
      { 'status.nominatedNodeName': 'A_b' },
      { 'status.podIP': '1.2.3.4' },
      { 'status.podIPs': [{ ip: 'x' }] },
      { 'status.podIPs': [{ ip: '01.2.3.4' }] },
      { 'status.podIPs': [{ ip: 'FE80::1' }] },
      { 'status.podIPs': [{ ip: '1.2.3.4' }, { ip: '1.2.3.5' }] },
      { 'status.podIPs': [{ ip: '1.2.3.4' }, { ip: '::1' }] },
      { 'status.podIPs': [{ ip: '1.2.3.4' }, { ip: '::1' }, { ip: '::2' }] },
      { 'status.hostIP': '1.2.3.4' },
      { 'status.hostIPs': [{ ip: '1.2.3.4' }] },
      { 'status.hostIP': '1.2.3.4', 'status.hostIPs': [{ ip: '1.2.3.4' }, { ip: '1.2.3.5' }] },
      { 'status.hostIP': 'x', 'status.hostIPs': [{ ip: 'x' }] },
      { 'status.resourceClaimStatuses': [{ name: 'x' }] },
      { 'status.extendedResourceClaimStatus': {} },
      {
        'status.extendedResourceClaimStatus': {
          resourceClaimName: 'X_',
          requestMappings: [{ containerName: 'z', resourceName: 'r', requestName: 'Q' }],
        },
      },
      {
        'status.extendedResourceClaimStatus': {
          resourceClaimName: 'x',
          requestMappings: [{ containerName: 'a', resourceName: 'r', requestName: 'q' }],
        },
      },
      {
        'status.extendedResourceClaimStatus': {
          resourceClaimName: 'x',
          requestMappings: [
            { containerName: 'a', resourceName: 'cpu', requestName: 'q' },
            { containerName: 'a', resourceName: 'cpu', requestName: 'q' },
          ],
        },
      },
      { 'status.nodeAllocatableResourceClaimStatuses': [{ resourceClaimName: 'x' }] },
      { 'status.containerStatuses': [status('a', running)] },
      {
        'status.containerStatuses': [
          status('a', running, { user: { linux: { uid: -1, gid: 0 } } }),
        ],
      },
      {
        'status.containerStatuses': [
          status('a', running, { user: { linux: { uid: 0, gid: -1, supplementalGroups: [-1] } } }),
        ],
      },
      {
        'status.containerStatuses': [
          status('a', running, { allocatedResourcesStatus: [{ name: 'cpu' }] }),
        ],
      },
      {
        'status.containerStatuses': [
          status('a', running, { allocatedResourcesStatus: [{ name: 'x' }] }),
        ],
      },
      {
        'status.containerStatuses': [
          status('a', running, { allocatedResourcesStatus: [{ name: 'claim:x' }] }),
        ],
      },
      {
        'status.containerStatuses': [
          status('a', running, {
            allocatedResourcesStatus: [
              { name: 'cpu', resources: [{ resourceID: 'r', health: 'Wrong' }] },
            ],
          }),
        ],
      },
      {
        'status.containerStatuses': [
          status('a', running, {
            allocatedResourcesStatus: [
              {
                name: 'cpu',
                resources: [
                  { resourceID: 'r', health: 'Healthy' },
                  { resourceID: 'r', health: 'Healthy' },
                ],
              },
            ],
          }),
        ],
      },
      {
        'status.containerStatuses': [
          status('a', running, {
            allocatedResourcesStatus: [
              { name: 'cpu', resources: [{ resourceID: 'r', health: 'Healthy', message: '' }] },
            ],
          }),
        ],
      },
      {
        'status.ephemeralContainerStatuses': [
          status('e', running, { allocatedResourcesStatus: [{ name: 'cpu' }] }),
        ],
      },
      {
        'status.containerStatuses': [
          status('a', running, { volumeMounts: [{ name: 'v', mountPath: '/v' }] }),
        ],
      },
      { 'status.resize': 'InProgress' },
      { 'status.resources': { requests: { cpu: '1' } } },
    ],
  },
  {
    title: 'v1 Pod, with scheduling gates',
    collection,
    differs: {
      'update spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions = []':
        'an empty list is read like none, and shown as null',
    },
    base: {
      ...meta(),
      spec: {
        containers: [container],
        schedulingGates: [{ name: 'g' }, { name: 'h' }],
        nodeSelector: { a: 'b' },
        affinity: {
          nodeAffinity: {
            [REQUIRED]: {
              nodeSelectorTerms: [{ matchExpressions: [expression('x')] }, {}],
            },
          },
        },
      },
    },
    updates: [
      { 'spec.schedulingGates[0]': undefined },
      { 'spec.schedulingGates': undefined },
      { 'spec.schedulingGates[-]': { name: 'i' } },
      { 'spec.schedulingGates[0]': { name: 'i' } },
      { 'spec.nodeSelector.c': 'd' },
      { 'spec.nodeSelector.a': 'd' },
      { 'spec.nodeSelector': undefined },
      { [`${TERMS}[0].matchExpressions[-]`]: expression('y') },
      { [`${TERMS}[0].matchExpressions[0]`]: expression('y') },
      { [`${TERMS}[0].matchExpressions`]: [] },
      { [`${TERMS}[0].matchFields`]: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] },
      { [`${TERMS}[1].matchExpressions`]: [expression('y')] },
      { [`${TERMS}[-]`]: { matchExpressions: [expression('y')] } },
      { [AFFINITY]: undefined },
      { 'spec.affinity': undefined },
      {
        [`${AFFINITY}.preferredDuringSchedulingIgnoredDuringExecution`]: [
          { weight: 1, preference: { matchExpressions: [expression('y')] } },
        ],
      },
      { 'spec.affinity.podAffinity': { [REQUIRED]: [{ topologyKey: 'k' }] } },
      { 'spec.nodeName': 'n' },
      { 'spec.hostname': 'h' },
    ],
  },
  {
    title: 'v1 Pod, with a scheduling gate only',
    collection,
    base: { ...meta(), spec: { containers: [container], schedulingGates: [{ name: 'g' }] } },
    updates: [
      { 'spec.nodeSelector': { a: 'b' } },
      {
        'spec.affinity': {
          nodeAffinity: {
            [REQUIRED]: { nodeSelectorTerms: [{ matchExpressions: [expression('x')] }] },
          },
        },
      },
      {
        'spec.affinity': {
          nodeAffinity: {
            [REQUIRED]: { nodeSelectorTerms: [{ matchExpressions: [expression('x')] }] },
          },
        },
        'spec.hostname': 'h',
      },
      {
        'spec.affinity': {
          nodeAffinity: {
            [REQUIRED]: { nodeSelectorTerms: [{ matchExpressions: [expression('x')] }] },
          },
          podAffinity: { [REQUIRED]: [{ topologyKey: 'k' }] },
        },
      },
    ],
  },
  {
    title: 'v1 Pod, that does not restart',
    collection,
    base: {
      ...meta(),
      spec: {
        restartPolicy: 'Never',
        initContainers: [
          { name: 'b', image: 'i' },
          { name: 's', image: 'i', restartPolicy: 'Always' },
        ],
        containers: [
          container,
          {
            name: 'r',
            image: 'i',
            restartPolicy: 'Never',
            restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [3] } }],
          },
        ],
      },
    },
    statuses: [
      { 'status.containerStatuses': [status('a', running)] },
      { 'status.containerStatuses': [status('a', ended(1)), status('z', ended(0))] },
      { 'status.initContainerStatuses': [status('b', ended(0)), status('s', ended(1))] },
    ],
  },
];
