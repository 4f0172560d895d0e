import { expect } from 'chai';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { PORT_TAKEN, TakenPorts } from '../../../lib/kinds/services/node-ports.ts';
import {
  needsPorts,
  planNodePorts,
  PortTaker,
  ShownPorts,
} from '../../../lib/kinds/services/port-plan.ts';

const port = { port: 80 };

describe('the ports of a plan', () => {
  it('are known when they were taken, so that they can be given back', () => {
    const taker = new PortTaker(new TakenPorts(), new VirtualRuntime());
    expect(taker.take(31_000)).to.equal(undefined);
    expect(taker.take(31_000)).to.equal(PORT_TAKEN);
    const next = taker.takeNext();
    expect(taker.taken).to.deep.equal([31_000, next]);
    expect(next).to.be.within(30_086, 32_767);
  });

  it('of a dry run are beyond the range, each one more than the greatest before', () => {
    const shown = new ShownPorts(new TakenPorts());
    expect([shown.takeNext(), shown.takeNext()]).to.deep.equal([32_769, 32_770]);
    expect(shown.take(32_770)).to.equal(PORT_TAKEN);
    expect(shown.take(40_000)).to.equal(undefined);
    expect(shown.takeNext()).to.equal(40_001);
  });
});

describe('the plan of a range that is full', () => {
  const full = { take: (): string => PORT_TAKEN, takeNext: (): undefined => undefined };
  const refuse = ({
    field,
    message,
  }: {
    readonly field: string;
    readonly message: string;
  }): Error => new Error(`${field}: ${message}`);

  it('fails with what it could not get', () => {
    const node = { type: 'NodePort', ports: [port] };
    const checked = {
      type: 'LoadBalancer',
      allocateLoadBalancerNodePorts: false,
      externalTrafficPolicy: 'Local',
      ports: [port],
    };
    expect(() => planNodePorts(node, undefined, full, refuse)).to.throw(
      'failed to allocate a nodePort: range is full',
    );
    const more = { ...node, ports: [{ ...port, name: 'a' }] };
    expect(() => planNodePorts(more, { ...node, type: 'ClusterIP' }, full, refuse)).to.throw(
      'failed to allocate a nodePort: range is full',
    );
    expect(() => planNodePorts(checked, undefined, full, refuse)).to.throw(
      'failed to allocate a HealthCheck NodePort 0: range is full',
    );
    expect(() =>
      planNodePorts({ ...checked, healthCheckNodePort: 31_000 }, undefined, full, refuse),
    ).to.throw(`failed to allocate requested HealthCheck NodePort 31000: ${PORT_TAKEN}`);
    const asked = { ...node, ports: [{ ...port, nodePort: 31_000 }] };
    expect(() => planNodePorts(asked, undefined, full, refuse)).to.throw(
      `spec.ports[0].nodePort: Invalid value: 31000: ${PORT_TAKEN}`,
    );
  });
});

describe('needsPorts', () => {
  const balanced = {
    type: 'LoadBalancer',
    ports: [port],
    allocateLoadBalancerNodePorts: false,
  };
  const checked = { ...balanced, externalTrafficPolicy: 'Local' };

  it('is so for a new check of health', () => {
    expect(needsPorts(checked, undefined)).to.equal(true);
    expect(needsPorts(checked, balanced)).to.equal(true);
    expect(needsPorts(checked, checked)).to.equal(false);
    expect(needsPorts(balanced, undefined)).to.equal(false);
  });

  it('is so for a port without a node port, or with a new one', () => {
    const node = (nodePort?: number): Record<string, unknown> => ({
      type: 'NodePort',
      ports: [{ ...port, ...(nodePort === undefined ? {} : { nodePort }) }],
    });
    expect(needsPorts(node(), undefined)).to.equal(true);
    expect(needsPorts(node(31_000), undefined)).to.equal(true);
    expect(needsPorts(node(31_000), node(31_000))).to.equal(false);
    expect(needsPorts(node(31_001), node(31_000))).to.equal(true);
    expect(needsPorts({ type: 'ClusterIP', ports: [port] }, undefined)).to.equal(false);
  });
});
