/** Objects whose rows are worth a look: a resource path, the object, and the status that is written afterwards. */
export interface OddObject {
  /** `v1/pods` */
  readonly resource: string;
  readonly object: Record<string, unknown> & { readonly metadata: Record<string, unknown> };
  readonly status?: object | undefined;
}

const NAMESPACE = 'cells';
const containers = [
  { name: 'main', image: 'nginx' },
  { name: 'log', image: 'tail:2' },
];
const template = { metadata: { labels: { app: 'a' } }, spec: { containers } };
const workload = { selector: { matchLabels: { app: 'a' } }, template };
const jobTemplate = { spec: { template: { spec: { containers, restartPolicy: 'Never' } } } };

function odd(
  resource: string,
  name: string,
  object: object,
  status?: object,
  metadata: object = {},
): OddObject {
  return { resource, object: { ...object, metadata: { name, ...metadata } }, status };
}

function pod(name: string, status: object, spec: object = {}): OddObject {
  return odd('v1/pods', name, { spec: { containers, ...spec } }, status);
}

const running = { running: {} };
const init = { name: 'init', image: 'x' };
const sidecar = { name: 'side', image: 'x', restartPolicy: 'Always' };

const pods = [
  pod('p-pending', {}),
  pod('p-running', {
    phase: 'Running',
    podIP: '10.1.1.1',
    podIPs: [{ ip: '10.1.1.1' }],
    containerStatuses: [
      { name: 'main', ready: true, state: running, restartCount: 3, image: 'x', imageID: 'x' },
      {
        name: 'log',
        ready: false,
        state: { waiting: { reason: 'CrashLoopBackOff' } },
        restartCount: 2,
        image: 'x',
        imageID: 'x',
      },
    ],
  }),
  pod('p-failed', {
    phase: 'Failed',
    containerStatuses: [
      {
        name: 'main',
        state: { terminated: { exitCode: 0, reason: 'Completed' } },
        image: 'x',
        imageID: 'x',
        ready: false,
        restartCount: 0,
      },
      {
        name: 'log',
        state: { terminated: { exitCode: 7 } },
        image: 'x',
        imageID: 'x',
        ready: false,
        restartCount: 0,
      },
    ],
  }),
  pod('p-evicted', { phase: 'Failed', reason: 'Evicted' }),
  pod(
    'p-init',
    {
      phase: 'Pending',
      initContainerStatuses: [
        {
          name: 'side',
          state: running,
          started: true,
          ready: true,
          restartCount: 4,
          image: 'x',
          imageID: 'x',
        },
        {
          name: 'init',
          state: { terminated: { exitCode: 1, reason: 'Error' } },
          restartCount: 5,
          image: 'x',
          imageID: 'x',
          ready: false,
        },
      ],
    },
    { initContainers: [sidecar, init] },
  ),
  pod(
    'p-initialized',
    {
      phase: 'Running',
      conditions: [
        { type: 'Initialized', status: 'True' },
        { type: 'x/gate', status: 'True' },
      ],
      initContainerStatuses: [
        {
          name: 'side',
          state: running,
          started: true,
          ready: true,
          restartCount: 4,
          image: 'x',
          imageID: 'x',
        },
      ],
      containerStatuses: [
        { name: 'main', ready: true, state: running, restartCount: 1, image: 'x', imageID: 'x' },
      ],
    },
    {
      initContainers: [sidecar],
      readinessGates: [{ conditionType: 'x/gate' }, { conditionType: 'y' }],
    },
  ),
  pod('p-gated', {}, { schedulingGates: [{ name: 'x.example/gate' }] }),
];

const services = [
  odd('v1/services', 's-plain', {
    spec: { selector: { b: '1', 'a-b': '2', a: '3' }, ports: [{ port: 80 }] },
  }),
  odd('v1/services', 's-none', { spec: { clusterIP: 'None' } }),
  odd('v1/services', 's-name', { spec: { type: 'ExternalName', externalName: 'example.com' } }),
  odd('v1/services', 's-external', {
    spec: { externalIPs: ['192.0.2.1', '192.0.2.2'], ports: [{ port: 53, protocol: 'UDP' }] },
  }),
  odd(
    'v1/services',
    's-balancer',
    {
      spec: {
        type: 'LoadBalancer',
        ports: [{ port: 80, nodePort: 30_911 }],
        externalIPs: ['192.0.2.9'],
      },
    },
    {
      loadBalancer: {
        ingress: [{ ip: '203.0.113.9' }, { hostname: 'lb.example' }, { ip: '203.0.113.1' }],
      },
    },
  ),
  odd('v1/services', 's-waiting', {
    spec: { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, ports: [{ port: 80 }] },
  }),
];

const storage = [
  odd('v1/persistentvolumeclaims', 'c-pending', {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  }),
  odd(
    'v1/persistentvolumeclaims',
    'c-bound',
    {
      spec: {
        accessModes: ['ReadWriteMany', 'ReadOnlyMany'],
        volumeName: 'v',
        storageClassName: 'fast',
        resources: { requests: { storage: '1Gi' } },
      },
    },
    {
      phase: 'Bound',
      accessModes: ['ReadWriteMany', 'ReadOnlyMany'],
      capacity: { storage: '2048Mi' },
    },
  ),
  odd(
    'v1/persistentvolumes',
    'cells-v',
    {
      spec: {
        capacity: { storage: '1536Mi' },
        accessModes: ['ReadWriteOncePod'],
        hostPath: { path: '/x' },
        claimRef: { namespace: 'a', name: 'b' },
        storageClassName: 'slow',
      },
    },
    { phase: 'Failed', reason: 'Broken' },
  ),
  odd(
    'storage.k8s.io/v1/storageclasses',
    'cells-c',
    { provisioner: 'x.example/y', allowVolumeExpansion: true },
    undefined,
    {
      annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
    },
  ),
  odd('storage.k8s.io/v1/csidrivers', 'cells.example', {
    spec: {
      tokenRequests: [{ audience: 'a' }, { audience: 'b' }],
      volumeLifecycleModes: ['Persistent', 'Ephemeral'],
    },
  }),
  odd('storage.k8s.io/v1/csidrivers', 'cells2.example', { spec: {} }),
  odd('storage.k8s.io/v1/csinodes', 'cells-n', { spec: { drivers: [{ name: 'd', nodeID: 'n' }] } }),
  odd('storage.k8s.io/v1/volumeattachments', 'cells-a', {
    spec: { attacher: 'x.example', nodeName: 'n', source: { persistentVolumeName: 'v' } },
  }),
];

const condition = (type: string, status = 'True'): object => ({ type, status });
const jobs = [
  odd('batch/v1/jobs', 'j-running', { spec: { parallelism: 3, ...jobTemplate.spec } }),
  odd(
    'batch/v1/jobs',
    'j-suspended',
    { spec: { suspend: true, completions: 4, ...jobTemplate.spec } },
    {
      conditions: [condition('Suspended')],
    },
  ),
  odd(
    'batch/v1/cronjobs',
    'cj',
    { spec: { schedule: '0 * * * *', timeZone: 'Europe/Berlin', jobTemplate } },
    {
      lastScheduleTime: '2024-01-01T00:00:00Z',
      active: [{ name: 'x' }, { name: 'y' }],
    },
  ),
  odd('batch/v1/cronjobs', 'cj-new', { spec: { schedule: '@daily', suspend: true, jobTemplate } }),
];

const metric = (name: string, target: object): object => ({
  type: 'Resource',
  resource: { name, target },
});
const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };
const autoscalers = [
  odd('autoscaling/v2/horizontalpodautoscalers', 'h-default', {
    spec: { scaleTargetRef, maxReplicas: 3 },
  }),
  odd(
    'autoscaling/v2/horizontalpodautoscalers',
    'h-many',
    {
      spec: {
        scaleTargetRef,
        maxReplicas: 3,
        metrics: [
          metric('cpu', { type: 'Utilization', averageUtilization: 50 }),
          metric('memory', { type: 'AverageValue', averageValue: '1024Mi' }),
          {
            type: 'External',
            external: {
              metric: { name: 'q' },
              target: { type: 'AverageValue', averageValue: '30' },
            },
          },
        ],
      },
    },
    {
      currentReplicas: 2,
      desiredReplicas: 2,
      currentMetrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', current: { averageUtilization: 20, averageValue: '1m' } },
        },
      ],
    },
  ),
  odd('autoscaling/v2/horizontalpodautoscalers', 'h-pods', {
    spec: {
      scaleTargetRef,
      maxReplicas: 3,
      metrics: [
        {
          type: 'Pods',
          pods: { metric: { name: 'q' }, target: { type: 'AverageValue', averageValue: '1500m' } },
        },
        {
          type: 'Object',
          object: {
            metric: { name: 'q' },
            describedObject: scaleTargetRef,
            target: { type: 'Value', value: '2k' },
          },
        },
      ],
    },
  }),
];

const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
const subjects = [
  { kind: 'User', name: 'ann' },
  { kind: 'Group', name: 'dev' },
  { kind: 'ServiceAccount', name: 'bot', namespace: 'x' },
  { kind: 'User', name: 'bob' },
];
const others = [
  odd(
    'apps/v1/deployments',
    'd',
    { spec: { replicas: 3, ...workload } },
    {
      replicas: 3,
      readyReplicas: 2,
      updatedReplicas: 1,
      availableReplicas: 2,
    },
  ),
  odd('apps/v1/daemonsets', 'd', {
    spec: {
      ...workload,
      template: { ...template, spec: { containers, nodeSelector: { b: '1', a: '2' } } },
    },
  }),
  odd('apps/v1/statefulsets', 's', { spec: { serviceName: 's', ...workload } }),
  odd('apps/v1/replicasets', 'r', { spec: { ...workload, replicas: 0 } }),
  odd('apps/v1/controllerrevisions', 'cr', { revision: 3, data: {} }, undefined, {
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 's', uid: '1', controller: true },
    ],
  }),
  odd('v1/podtemplates', 't', { template }),
  odd('v1/replicationcontrollers', 'rc', { spec: { template } }),
  odd(
    'v1/resourcequotas',
    'q',
    { spec: { hard: { 'limits.cpu': '4', pods: '10' } } },
    {
      hard: { 'limits.cpu': '4000m', pods: '10', 'requests.cpu': '2' },
      used: { 'limits.cpu': '500m', pods: '3' },
    },
  ),
  odd('v1/endpoints', 'e', {
    subsets: [
      {
        addresses: [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }],
        ports: [
          { port: 80, name: 'a' },
          { port: 81, name: 'b' },
        ],
      },
      { addresses: [{ ip: '2001:db8::1' }], ports: [{ port: 80 }] },
    ],
  }),
  odd('v1/endpoints', 'e-none', {}),
  odd('v1/configmaps', 'm', { data: { a: '1' }, binaryData: { b: 'AA==' } }),
  odd('v1/secrets', 's', { stringData: { a: '1', b: '2' } }),
  odd(
    'v1/nodes',
    'cells-node',
    { spec: { unschedulable: true } },
    {
      conditions: [condition('Ready', 'Unknown')],
      addresses: [{ type: 'InternalIP', address: '10.2.2.2' }],
      nodeInfo: { kubeletVersion: 'v1.36.0', architecture: 'arm64', kernelVersion: '6.1' },
    },
    {
      labels: {
        'node-role.kubernetes.io/b': '',
        'node-role.kubernetes.io/a': '',
        'kubernetes.io/role': 'c',
      },
    },
  ),
  odd('policy/v1/poddisruptionbudgets', 'b', { spec: { maxUnavailable: '30%' } }),
  odd('networking.k8s.io/v1/ingresses', 'i', {
    spec: {
      ingressClassName: 'x',
      tls: [{ hosts: ['a'] }],
      rules: [
        { host: 'a.example' },
        { host: 'b.example' },
        { host: 'c.example' },
        { host: 'd.example' },
      ],
    },
  }),
  odd(
    'networking.k8s.io/v1/ingresses',
    'i-star',
    {
      spec: { defaultBackend: { service: { name: 'a', port: { number: 1 } } } },
    },
    { loadBalancer: { ingress: [{ ip: '203.0.113.9' }, { ip: '203.0.113.1' }] } },
  ),
  odd(
    'networking.k8s.io/v1/ingressclasses',
    'cells-i',
    {
      spec: {
        controller: 'x.example/y',
        parameters: { apiGroup: 'g.example', kind: 'K', name: 'n' },
      },
    },
    undefined,
    { annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
  ),
  odd('networking.k8s.io/v1/networkpolicies', 'n', {
    spec: {
      podSelector: {
        matchExpressions: [{ key: 'a', operator: 'In', values: ['y', 'x'] }],
        matchLabels: { b: '1' },
      },
    },
  }),
  odd('networking.k8s.io/v1/ipaddresses', '198.51.100.1', {
    spec: { parentRef: { resource: 'services', namespace: NAMESPACE, name: 's' } },
  }),
  odd('networking.k8s.io/v1/ipaddresses', '198.51.100.2', {
    spec: { parentRef: { group: 'gateway.networking.k8s.io', resource: 'Gateways', name: 'g' } },
  }),
  odd('networking.k8s.io/v1/networkpolicies', 'n-all', { spec: { podSelector: {} } }),
  odd('discovery.k8s.io/v1/endpointslices', 'sl', {
    addressType: 'IPv4',
    endpoints: [
      { addresses: ['192.0.2.1'] },
      { addresses: ['192.0.2.2'] },
      { addresses: ['192.0.2.3'] },
      { addresses: ['192.0.2.4'] },
    ],
    ports: [{ port: 80 }, { name: 'x' }],
  }),
  odd('rbac.authorization.k8s.io/v1/rolebindings', 'rb', { roleRef: role, subjects }),
  odd('scheduling.k8s.io/v1/priorityclasses', 'cells-p', { value: 7 }),
  odd('node.k8s.io/v1/runtimeclasses', 'cells-r', { handler: 'h' }),
  odd('coordination.k8s.io/v1/leases', 'l', { spec: { holderIdentity: 'me' } }),
  odd('v1/events', 'ev-old', {
    involvedObject: { kind: 'Pod', name: 'p', namespace: NAMESPACE, fieldPath: 'spec' },
    source: { component: 'kubelet', host: 'n1' },
    message: ' it began ',
    reason: 'Started',
    type: 'Normal',
    firstTimestamp: '2024-01-01T00:00:00Z',
    lastTimestamp: '2024-01-02T00:00:00Z',
    count: 5,
  }),
  odd('v1/events', 'ev-bare', { involvedObject: { kind: 'Pod', namespace: NAMESPACE } }),
  odd('admissionregistration.k8s.io/v1/validatingwebhookconfigurations', 'cells-w', {}),
  odd('admissionregistration.k8s.io/v1/validatingadmissionpolicybindings', 'cells-vb', {
    spec: {
      policyName: 'p',
      paramRef: { name: 'n', parameterNotFoundAction: 'Deny' },
      validationActions: ['Deny'],
    },
  }),
  odd('flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations', 'cells-l', {
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } },
  }),
  odd('flowcontrol.apiserver.k8s.io/v1/flowschemas', 'cells-f', {
    spec: {
      priorityLevelConfiguration: { name: 'global-default' },
      distinguisherMethod: { type: 'ByUser' },
    },
  }),
];

export const oddObjects: readonly OddObject[] = [
  ...pods,
  ...services,
  ...storage,
  ...jobs,
  ...autoscalers,
  ...others,
];
