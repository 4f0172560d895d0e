import { expect } from 'chai';
import { flowTransport } from '../../../../lib/client/transport/flow/flow-transport.ts';
import { ObservingTransport } from '../../../../lib/client/transport/flow/observing-transport.ts';
import { RetryingTransport } from '../../../../lib/client/transport/flow/retry.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { thrownBy } from '../../support/failure-of.ts';
import { ScriptedTransport } from '../../support/scripted-transport.ts';

const GET = { method: 'GET', path: '/api/v1/pods' } as const;

describe('flowTransport', () => {
  it('has no observing layer if there is no metrics library and no hook', () => {
    const inner = new ScriptedTransport(() => ({}));
    expect(flowTransport(inner, {})).to.be.instanceOf(RetryingTransport);
    expect(flowTransport(inner, { onRequest: () => {} })).to.be.instanceOf(ObservingTransport);
  });

  it('measures nothing if nothing observes: a request has no timing', async () => {
    const inner = new ScriptedTransport(() => ({}));
    await flowTransport(inner, {}).send(GET);
    expect(inner.requests[0]).to.equal(GET);
    await flowTransport(inner, { onRequest: () => {} }).send(GET);
    expect(inner.requests[1]?.timing).not.to.equal(undefined);
  });

  it('lets each try of a request pass the limiter', async () => {
    const runtime = new VirtualRuntime();
    const inner = new ScriptedTransport((_, index) =>
      index < 3 ? { status: 429, headers: { 'retry-after': '0' } } : {},
    );
    const limiter = { queriesPerSecond: 1, burst: 1 };
    await runtime.run(flowTransport(inner, { runtime, limiter }).send(GET));
    expect(inner.requests).to.have.length(4);
    expect(runtime.monotonicMs()).to.be.closeTo(3_000, 1);
  });

  it('never limits with limiter false', async () => {
    const runtime = new VirtualRuntime();
    const inner = new ScriptedTransport(() => ({ status: 429 }));
    const transport = flowTransport(inner, { runtime, limiter: false });
    await runtime.run(Promise.all(Array.from({ length: 500 }, () => transport.send(GET))));
    await runtime.run(Promise.all(Array.from({ length: 500 }, () => transport.send(GET))));
    expect(runtime.monotonicMs()).to.equal(0);
  });

  it('passes the limits of tries on, and names a wrong one', async () => {
    const inner = new ScriptedTransport(() => ({ status: 429, headers: { 'retry-after': '1' } }));
    await flowTransport(inner, { retry: { maxRetries: 0 } }).send(GET);
    expect(inner.requests).to.have.length(1);
    const wrong: object = { retry: { tries: 3 } };
    expect(thrownBy(() => flowTransport(inner, wrong)).message).to.contain('"tries"');
  });

  it('closes all layers', () => {
    const inner = new ScriptedTransport(() => ({}));
    void flowTransport(inner, { onRequest: () => {} }).close();
    expect(inner.closed).to.equal(true);
  });
});
