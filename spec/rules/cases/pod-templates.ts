import type { RuleCases } from '../rule-cases.ts';

const ARMOR = 'container.apparmor.security.beta.kubernetes.io/a';
const FIRST = 'template.spec.containers[0]';

export const cases: readonly RuleCases[] = [
  {
    title: 'v1 PodTemplate',
    collection: '/api/v1/namespaces/{ns}/podtemplates',
    base: {
      apiVersion: 'v1',
      kind: 'PodTemplate',
      metadata: { name: 'base' },
      template: { spec: { containers: [{ name: 'a', image: 'i' }] } },
    },
    creates: [
      { template: undefined },
      { 'template.spec': undefined },
      { 'template.metadata.labels': { 'a b': 'c' } },
      { 'template.metadata.labels': { a: 'b c' } },
      { 'template.metadata.annotations': { 'a b': 'c' } },
      { 'template.metadata.annotations': { [ARMOR]: 'x' } },
      { 'template.metadata.annotations': { [ARMOR]: 'unconfined' } },
      { 'template.metadata.annotations': { 'kubernetes.io/config.mirror': 'x' } },
      { 'template.metadata.name': 'A_b' },
      { 'template.spec.containers': [] },
      { [`${FIRST}.image`]: ' i' },
      { [`${FIRST}.image`]: undefined },
      { [`${FIRST}.resources`]: { limits: { cpu: '1' } } },
      { [`${FIRST}.ports`]: [{ containerPort: 80 }], 'template.spec.hostNetwork': true },
      {
        [`${FIRST}.ports`]: [{ containerPort: 80, hostPort: 81 }],
        'template.spec.hostNetwork': true,
      },
      { [`${FIRST}.lifecycle`]: { stopSignal: 'SIGTERM' } },
      { 'template.spec.ephemeralContainers': [{ name: 'e', image: 'i' }] },
      { 'template.spec.terminationGracePeriodSeconds': -1 },
      { 'template.spec.restartPolicy': 'Wrong' },
      { 'template.spec.nodeName': 'n', 'template.spec.schedulingGates': [{ name: 'g' }] },
      { 'template.spec.priorityClassName': 'none' },
      { 'template.spec.runtimeClassName': 'none' },
      { 'template.spec.overhead': { cpu: '1' } },
      { 'template.spec.volumes': [{ name: 'v', image: {} }] },
      { 'template.spec.volumes': [{ name: 'v', gitRepo: { repository: 'r' } }] },
      {
        'template.spec.volumes': [
          { name: 'v', projected: { sources: [{ serviceAccountToken: { path: 'p' } }] } },
        ],
      },
      {
        'template.spec.topologySpreadConstraints': [
          { maxSkew: 1, topologyKey: 'k', whenUnsatisfiable: 'DoNotSchedule' },
        ],
      },
      { 'template.spec.resources': { limits: { cpu: '1' } } },
    ],
    updates: [
      { 'metadata.labels': { a: 'b' } },
      { [`${FIRST}.image`]: 'j' },
      { [`${FIRST}.name`]: 'b' },
      { [`${FIRST}.name`]: 'B' },
      { 'template.spec.nodeSelector': { 'beta.kubernetes.io/os': 'linux' } },
    ],
  },
];
