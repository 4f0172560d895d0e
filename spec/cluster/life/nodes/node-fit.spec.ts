import { expect } from 'chai';
import { nodeRefusal, podRequests } from '../../../../lib/cluster/life/nodes/node-fit.ts';
import type { Container, Node, PodSpec } from '../../../../lib/types/built-in/core-v1-kinds.ts';

const requests = (cpu: string, restartPolicy?: 'Always'): Container => ({
  name: 'c',
  resources: { requests: { cpu } },
  ...(restartPolicy === undefined ? {} : { restartPolicy }),
});

describe('the requests of a pod', () => {
  const rows: readonly (readonly [string, PodSpec, number])[] = [
    ['are the sum of its containers', { containers: [requests('100m'), requests('1.5')] }, 1600],
    [
      'are those of the largest init container, if that is more',
      { initContainers: [requests('1'), requests('3')], containers: [requests('2')] },
      3000,
    ],
    [
      'have sidecars added',
      { initContainers: [requests('1', 'Always')], containers: [requests('2')] },
      3000,
    ],
    [
      'have sidecars added to the init containers after them',
      { initContainers: [requests('1', 'Always'), requests('4')], containers: [requests('2')] },
      5000,
    ],
    [
      'are those of the pod itself, if it has them',
      { containers: [requests('2')], resources: { requests: { cpu: '7' } } },
      7000,
    ],
    ['have its overhead added', { containers: [requests('2')], overhead: { cpu: '250m' } }, 2250],
  ];
  for (const [title, spec, cpu] of rows) {
    it(title, () => expect(podRequests(spec).get('cpu')).to.equal(cpu));
  }
});

describe('a node', () => {
  const node: Node = {
    metadata: { name: 'one', labels: { zone: 'a', size: '7' } },
    spec: {
      taints: [
        { key: 'gone', effect: 'NoExecute' },
        { key: 'full', effect: 'NoSchedule' },
      ],
    },
    status: { allocatable: { cpu: '2', memory: '1Gi', pods: '3', 'example.com/gpu': '1' } },
  };
  const tolerations = [{ operator: 'Exists' as const }];
  const containers = [{ name: 'c' }];
  const affinity = (expression: object): PodSpec['affinity'] => ({
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'], ...expression }] },
        ],
      },
    },
  });
  const port = (hostPort: number, hostIP?: string) => [
    { name: 'c', ports: [{ containerPort: 1, hostPort, hostIP }] },
  ];
  const rows: readonly (readonly [Partial<PodSpec>, string | undefined])[] = [
    [{}, undefined],
    [{ containers: [requests('3')] }, 'OutOfcpu'],
    [{ containers: [requests('1500m')] }, 'OutOfcpu'],
    [{ containers: [requests('1')] }, undefined],
    [
      { containers: [{ name: 'c', resources: { requests: { 'example.com/gpu': '2' } } }] },
      'OutOfexample.com/gpu',
    ],
    [
      { containers: [{ name: 'c', resources: { requests: { 'example.com/disk': '2' } } }] },
      undefined,
    ],
    [{ nodeSelector: { zone: 'b' } }, 'NodeAffinity'],
    [{ nodeSelector: { zone: 'a' } }, undefined],
    [{ affinity: affinity({}) }, undefined],
    [{ affinity: affinity({ operator: 'NotIn' }) }, 'NodeAffinity'],
    [{ affinity: affinity({ operator: 'Exists' }) }, undefined],
    [{ affinity: affinity({ operator: 'DoesNotExist' }) }, 'NodeAffinity'],
    [{ affinity: affinity({ key: 'size', operator: 'Gt', values: ['6'] }) }, undefined],
    [{ affinity: affinity({ key: 'size', operator: 'Lt', values: ['6'] }) }, 'NodeAffinity'],
    [{ containers: port(80) }, 'NodePorts'],
    [{ containers: port(81) }, undefined],
    [{ containers: port(90, '127.0.0.1') }, undefined],
    [{ containers: port(80, '127.0.0.1') }, 'NodePorts'],
    [{ containers: port(90) }, 'NodePorts'],
    [{ tolerations: [] }, 'TaintToleration'],
    [{ tolerations: [{ key: 'gone', operator: 'Exists', effect: 'NoExecute' }] }, undefined],
    [{ tolerations: [{ key: 'gone', operator: 'Equal', value: 'x' }] }, 'TaintToleration'],
    [{ os: { name: 'windows' } }, 'PodOSNotSupported'],
  ];
  const ports = new Set(['TCP 80 0.0.0.0', 'TCP 90 10.0.0.1']);
  const use = { pods: 1, used: new Map([['cpu', 1000]]), ports };
  for (const [spec, wanted] of rows) {
    it(`${wanted === undefined ? 'takes' : `refuses with ${wanted}`} a pod with ${JSON.stringify(spec)}`, () => {
      const refusal = nodeRefusal({ spec: { containers, tolerations, ...spec } }, node, use);
      expect(refusal?.reason).to.equal(wanted);
    });
  }

  it('says what is lacking in the words of a kubelet', () => {
    const spec = { containers: [requests('1500m')], tolerations };
    expect(nodeRefusal({ spec }, node, use)?.message).to.equal(
      "Node didn't have enough resource: cpu, requested: 1500, used: 1000, capacity: 2000",
    );
    expect(
      nodeRefusal({ spec: { containers, tolerations } }, node, { ...use, pods: 3 }),
    ).to.deep.equal({
      reason: 'OutOfpods',
      message: "Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3",
    });
  });
});
