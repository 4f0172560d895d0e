import { expect } from 'chai';
import {
  allocatableOf,
  amountOf,
  podRequests,
} from '../../../lib/cluster/scheduling/model/amounts.ts';
import type { Container, Pod, PodSpec } from '../../../lib/types/built-in/core-v1-kinds.ts';

function container(requests: Record<string, string>, more: Partial<Container> = {}): Container {
  return { name: 'main', resources: { requests }, ...more };
}

function pod(spec: Partial<PodSpec>, status: Pod['status'] = {}): Pod {
  return { metadata: { name: 'web' }, spec: { containers: [], ...spec }, status };
}

describe('amounts', () => {
  const quantities: [name: string, text: string, amount: number][] = [
    ['cpu', '100m', 100],
    ['cpu', '2', 2000],
    ['cpu', '0.5', 500],
    ['cpu', '1u', 1],
    ['cpu', '1.0005', 1001],
    ['memory', '64Mi', 64 * 1024 * 1024],
    ['memory', '1.5Gi', 1.5 * 1024 ** 3],
    ['memory', '100m', 1],
    ['memory', '12e3', 12_000],
    ['memory', '2T', 2e12],
    ['example.com/gpu', '3', 3],
  ];
  for (const [name, text, amount] of quantities) {
    it(`read ${text} of ${name} as ${amount}`, () => {
      expect(amountOf(name, text)).to.equal(amount);
    });
  }

  it('are the sum of the containers, or an init container that asks for more', () => {
    const { cpu, memory } = podRequests(
      pod({
        containers: [container({ cpu: '1', memory: '1Gi' }), container({ cpu: '1' })],
        initContainers: [container({ cpu: '3' }), container({ memory: '1Mi' })],
      }),
    );
    expect([cpu, memory]).to.deep.equal([3000, 1024 ** 3]);
  });

  it('count sidecars with the containers, and with the init containers after them', () => {
    const sidecar = container({ cpu: '1' }, { restartPolicy: 'Always' });
    const requests = podRequests(
      pod({
        containers: [container({ cpu: '1' })],
        initContainers: [container({ cpu: '2' }), sidecar, container({ cpu: '2' })],
      }),
    );
    expect(requests.cpu).to.equal(3000);
  });

  it('prefer what is said for the pod as a whole, and add the overhead', () => {
    const { cpu, memory, storage } = podRequests(
      pod({
        containers: [container({ cpu: '1', memory: '1Mi', 'ephemeral-storage': '5' })],
        resources: { requests: { cpu: '4' } },
        overhead: { cpu: '1', memory: '1Mi' },
      }),
    );
    expect([cpu, memory, storage]).to.deep.equal([5000, 2 * 1024 ** 2, 5]);
  });

  it('are the most of what a container wants, was given and has while it is resized', () => {
    const given = pod(
      { containers: [container({ cpu: '1' })] },
      {
        containerStatuses: [
          {
            name: 'main',
            ready: true,
            restartCount: 0,
            image: '',
            imageID: '',
            allocatedResources: { cpu: '2' },
            resources: { requests: { cpu: '3' } },
          },
        ],
      },
    );
    expect(podRequests(given).cpu).to.equal(3000);
  });

  it('stand in for containers that state nothing', () => {
    const silent = pod({ containers: [container({}), container({ cpu: '1' })] });
    const { cpu, memory } = podRequests(silent, { cpu: '100m', memory: '200Mi' });
    expect([cpu, memory]).to.deep.equal([1100, 400 * 1024 ** 2]);
  });

  it('have extended resources and huge pages, and no other names', () => {
    const asked = { 'example.com/gpu': '1', 'hugepages-2Mi': '4Mi', storage: '1' };
    const { others } = podRequests(pod({ containers: [container(asked)] }));
    expect([...others]).to.deep.equal([
      ['example.com/gpu', 1],
      ['hugepages-2Mi', 4 * 1024 ** 2],
    ]);
  });

  it('of a node are those that it has for pods', () => {
    const node = {
      status: { capacity: { cpu: '9' }, allocatable: { cpu: '4', memory: '1Gi', pods: '10' } },
    };
    expect(allocatableOf(node)).to.deep.include({ cpu: 4000, memory: 1024 ** 3, pods: 10 });
  });
});
