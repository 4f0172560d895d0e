import { kind, withSpec, type ApplyKind } from './apply-kind.ts';
import { customKind } from './custom-kind.ts';
import { always, object, oneOf, someOf, texts, type Values } from './values.ts';

const env = (name: string): Values => object({ name: oneOf(name) }, { value: oneOf('x', 'y') });
const port = (number: number): Values =>
  object(
    { containerPort: oneOf(number) },
    { name: oneOf('web', 'alt'), protocol: oneOf('TCP', 'UDP') },
  );
const quantities = object({}, { cpu: oneOf('1', '1000m', '100m'), memory: oneOf('1Gi', '1024Mi') });
const container = (name: string): Values =>
  object(
    { name: oneOf(name), image: oneOf('app:1', 'app:2') },
    {
      args: oneOf(['a'], ['a', 'b'], []),
      env: someOf(env('A'), env('B'), env('C')),
      ports: someOf(port(80), port(81), port(82)),
      resources: object({}, { requests: quantities }),
      volumeMounts: someOf(
        object({ name: oneOf('v'), mountPath: oneOf('/a') }, { readOnly: oneOf(true, false) }),
        object({ name: oneOf('v'), mountPath: oneOf('/b') }),
      ),
      securityContext: object({}, { runAsUser: oneOf(0, 5), privileged: oneOf(false) }),
    },
  );
const podSpec: Values = object(
  {
    containers: always(container('main'), container('side'), container('third')),
    volumes: oneOf([{ name: 'v', emptyDir: {} }]),
  },
  {
    nodeSelector: texts('disk', 'zone'),
    tolerations: oneOf([{ operator: 'Exists' }], [{ key: 'a', operator: 'Exists' }]),
    hostAliases: someOf(
      object({ ip: oneOf('192.0.2.1') }, { hostnames: oneOf(['a.b'], ['c.d', 'a.b']) }),
      object({ ip: oneOf('192.0.2.2') }, { hostnames: oneOf(['a.b']) }),
    ),
    imagePullSecrets: someOf(object({ name: oneOf('a') }), object({ name: oneOf('b') })),
    terminationGracePeriodSeconds: oneOf(5, 30),
    serviceAccountName: oneOf('one', 'two'),
    affinity: oneOf({ nodeAffinity: {} }, {}),
  },
);
const labels = { app: 'demo' };
const template: Values = object({
  metadata: object({ labels: oneOf(labels, { ...labels, tier: 'x' }) }),
  spec: podSpec,
});
const selector = oneOf({ matchLabels: labels });
const condition = (type: string): Values =>
  object(
    { type: oneOf(type), status: oneOf('True', 'False') },
    { reason: oneOf('Because'), message: oneOf('m', 'n') },
  );
const conditions = someOf(condition('Ready'), condition('Progressing'));
const strategy = oneOf(
  { type: 'Recreate' },
  { type: 'RollingUpdate', rollingUpdate: { maxSurge: 2 } },
  { type: 'RollingUpdate' },
);
const backend = (name: string): object => ({ service: { name, port: { number: 80 } } });
const peers = oneOf([{ podSelector: {} }], [{ namespaceSelector: { matchLabels: labels } }]);

/** The built-in kinds and a custom one. */
export const applyKinds: readonly ApplyKind[] = [
  kind(
    'v1',
    'ConfigMap',
    'configmaps',
    object(
      {},
      { data: texts('a', 'b', 'c', 'd.e'), binaryData: oneOf({ z: 'AA==' }, { z: 'AQ==', y: '' }) },
    ),
  ),
  kind(
    'v1',
    'Secret',
    'secrets',
    object(
      {},
      { data: oneOf({ a: 'YQ==' }, { b: 'YQ==' }), stringData: oneOf({ a: 'x' }, { c: 'y' }) },
    ),
  ),
  kind(
    'v1',
    'ServiceAccount',
    'serviceaccounts',
    object(
      {},
      {
        secrets: someOf(oneOf({ name: 'a' }), oneOf({ name: 'b' })),
        imagePullSecrets: someOf(oneOf({ name: 'a' }), oneOf({ name: 'b' })),
        automountServiceAccountToken: oneOf(true, false),
      },
    ),
  ),
  kind('v1', 'Pod', 'pods', object({ spec: podSpec }), {
    status: object(
      {},
      { phase: oneOf('Running', 'Pending'), conditions, message: oneOf('a', 'b') },
    ),
  }),
  kind(
    'v1',
    'Service',
    'services',
    withSpec(
      {
        ports: always(
          object({ port: oneOf(80), name: oneOf('a') }, { targetPort: oneOf(8080, 'web') }),
          object({ port: oneOf(81), name: oneOf('b') }, { protocol: oneOf('TCP', 'UDP') }),
          object({ port: oneOf(80), name: oneOf('c'), protocol: oneOf('UDP') }),
        ),
      },
      {
        selector: oneOf(labels, { app: 'other' }, { ...labels, tier: 'x' }),
        sessionAffinity: oneOf('None', 'ClientIP'),
        type: oneOf('ClusterIP', 'NodePort', 'LoadBalancer'),
        externalIPs: oneOf(['192.0.2.7'], ['192.0.2.7', '192.0.2.8']),
      },
    ),
    {
      status: object(
        {},
        {
          conditions: someOf(
            oneOf({
              type: 'A',
              status: 'True',
              reason: 'R',
              message: '',
              lastTransitionTime: '2024-05-01T10:00:00Z',
            }),
          ),
          loadBalancer: oneOf({ ingress: [{ ip: '192.0.2.9' }] }, {}),
        },
      ),
    },
  ),
  kind(
    'apps/v1',
    'Deployment',
    'deployments',
    withSpec(
      { selector, template },
      {
        replicas: oneOf(1, 2, 3),
        strategy,
        paused: oneOf(true, false),
        minReadySeconds: oneOf(0, 5),
      },
    ),
    {
      scale: true,
      status: object({}, { replicas: oneOf(1, 2), conditions, observedGeneration: oneOf(1) }),
    },
  ),
  kind(
    'apps/v1',
    'StatefulSet',
    'statefulsets',
    withSpec(
      { selector, template, serviceName: oneOf('demo') },
      {
        replicas: oneOf(1, 2),
        updateStrategy: oneOf({ type: 'OnDelete' }, { type: 'RollingUpdate' }),
        minReadySeconds: oneOf(1),
      },
    ),
    { scale: true, status: object({ replicas: oneOf(1, 2) }, { conditions }) },
  ),
  kind(
    'apps/v1',
    'DaemonSet',
    'daemonsets',
    withSpec({ selector, template }, { revisionHistoryLimit: oneOf(3, 10) }),
  ),
  kind(
    'batch/v1',
    'CronJob',
    'cronjobs',
    withSpec(
      {
        schedule: oneOf('*/5 * * * *', '0 * * * *'),
        jobTemplate: oneOf({
          spec: {
            template: { spec: { containers: [{ name: 'a', image: 'b' }], restartPolicy: 'Never' } },
          },
        }),
      },
      { suspend: oneOf(true, false), concurrencyPolicy: oneOf('Allow', 'Forbid') },
    ),
  ),
  kind(
    'networking.k8s.io/v1',
    'Ingress',
    'ingresses',
    withSpec(
      { defaultBackend: oneOf(backend('a'), backend('b')) },
      {
        ingressClassName: oneOf('x', 'y'),
        tls: oneOf([{ hosts: ['a.b'] }], [{ secretName: 's' }]),
        rules: oneOf(
          [
            {
              host: 'a.b',
              http: { paths: [{ path: '/', pathType: 'Prefix', backend: backend('c') }] },
            },
          ],
          [{ host: 'c.d' }],
        ),
      },
    ),
    { status: oneOf({ loadBalancer: { ingress: [{ ip: '192.0.2.3' }] } }, {}) },
  ),
  kind(
    'networking.k8s.io/v1',
    'NetworkPolicy',
    'networkpolicies',
    withSpec(
      { podSelector: oneOf({}, { matchLabels: labels }) },
      {
        ingress: oneOf([{ ports: [{ port: 80 }] }], [{}]),
        egress: (draw) => [{ to: peers(draw) }],
        policyTypes: oneOf(['Ingress'], ['Ingress', 'Egress']),
      },
    ),
  ),
  kind(
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
    'horizontalpodautoscalers',
    withSpec(
      {
        scaleTargetRef: oneOf(
          { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
          { apiVersion: 'apps/v1', kind: 'Deployment', name: 'b' },
        ),
        maxReplicas: oneOf(3, 4),
      },
      {
        minReplicas: oneOf(1, 2),
        metrics: oneOf([
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
          },
        ]),
        behavior: oneOf({ scaleDown: { stabilizationWindowSeconds: 60 } }),
      },
    ),
    {
      status: object({ desiredReplicas: oneOf(1, 2), currentMetrics: oneOf(null) }, { conditions }),
    },
  ),
  kind(
    'policy/v1',
    'PodDisruptionBudget',
    'poddisruptionbudgets',
    withSpec(
      { minAvailable: oneOf(1, '50%') },
      { selector, unhealthyPodEvictionPolicy: oneOf('AlwaysAllow') },
    ),
  ),
  kind(
    'rbac.authorization.k8s.io/v1',
    'Role',
    'roles',
    object(
      {},
      {
        rules: oneOf(
          [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
          [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }],
        ),
      },
    ),
  ),
  kind(
    'coordination.k8s.io/v1',
    'Lease',
    'leases',
    withSpec(
      {},
      {
        holderIdentity: oneOf('a', 'b'),
        leaseDurationSeconds: oneOf(5, 6),
        renewTime: oneOf('2024-05-01T10:00:00.000000Z', '2024-05-01T10:00:01.000000Z'),
      },
    ),
  ),
  customKind,
];
