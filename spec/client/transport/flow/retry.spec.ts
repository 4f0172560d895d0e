import { expect } from 'chai';
import { RetryingTransport, retryAfterMs } from '../../../../lib/client/transport/flow/retry.ts';
import { VirtualRuntime } from '../../../../lib/kernel/virtual-runtime.ts';
import { rejectionOf, thrownBy } from '../../support/failure-of.ts';
import { ScriptedTransport } from '../../support/scripted-transport.ts';

const GET = { method: 'GET', path: '/api/v1/pods' } as const;
const BUSY = { status: 429, headers: { 'retry-after': '2' }, body: 'later' };

describe('RetryingTransport', () => {
  it('waits as long as the server asks, and hands on the answer of a later try', async () => {
    const runtime = new VirtualRuntime();
    const script = new ScriptedTransport((_, index) =>
      index === 0 ? BUSY : index === 1 ? { ...BUSY, status: 503 } : { body: {} },
    );
    const transport = new RetryingTransport(script, { runtime });
    const response = await runtime.run(transport.send(GET));
    expect(response.status).to.equal(200);
    expect(script.requests).to.have.length(3);
    expect(runtime.monotonicMs()).to.equal(4_000);
    // The bodies of the refusals were read, so their connections can be used again.
    expect(script.finished).to.equal(2);
  });

  it('hands on the last answer after ten more tries', async () => {
    const runtime = new VirtualRuntime();
    const script = new ScriptedTransport(() => BUSY);
    const response = await runtime.run(new RetryingTransport(script, { runtime }).send(GET));
    expect(response.status).to.equal(429);
    expect(script.requests).to.have.length(11);
    expect(runtime.monotonicMs()).to.equal(20_000);
  });

  it('waits no longer than the limit, even if the server asks for more', async () => {
    const runtime = new VirtualRuntime();
    const headers = { 'retry-after': '86400' };
    const script = new ScriptedTransport((_, index) =>
      index === 0 ? { ...BUSY, headers } : { body: {} },
    );
    await runtime.run(new RetryingTransport(script, { runtime }).send(GET));
    expect(runtime.monotonicMs()).to.equal(30_000);
  });

  it('sends POST and PATCH, other failures, and refusals without a time once only', async () => {
    const script = new ScriptedTransport((request) =>
      request.path === '/500'
        ? { ...BUSY, status: 500 }
        : request.path === '/no'
          ? { status: 503 }
          : BUSY,
    );
    const transport = new RetryingTransport(script, { runtime: new VirtualRuntime() });
    for (const request of [
      { method: 'POST', path: '/' },
      { method: 'PATCH', path: '/' },
      { method: 'GET', path: '/500' },
      { method: 'GET', path: '/no' },
    ] as const) {
      const before = script.requests.length;
      await transport.send(request);
      expect(script.requests.length - before, `${request.method} ${request.path}`).to.equal(1);
    }
  });

  it('stops waiting when the signal aborts', async () => {
    const runtime = new VirtualRuntime();
    const script = new ScriptedTransport(() => BUSY);
    const controller = new AbortController();
    const sent = rejectionOf(
      new RetryingTransport(script, { runtime }).send({ ...GET, signal: controller.signal }),
    );
    await runtime.advance(1_000);
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await sent).to.equal(reason);
    expect(script.requests).to.have.length(1);
    expect(runtime.pending).to.equal(0);
  });

  it('closes the transport behind it, and refuses senseless options', () => {
    const script = new ScriptedTransport(() => ({}));
    new RetryingTransport(script).close();
    expect(script.closed).to.equal(true);
    expect(thrownBy(() => new RetryingTransport(script, { maxRetries: -1 })).message).to.contain(
      'maxRetries',
    );
  });
});

describe('retryAfterMs', () => {
  const nowMs = Date.UTC(2026, 0, 1, 12, 0, 0);

  it('reads seconds and all three forms of an HTTP date', () => {
    expect(retryAfterMs('120', nowMs)).to.equal(120_000);
    expect(retryAfterMs(' 0 ', nowMs)).to.equal(0);
    expect(retryAfterMs('Thu, 01 Jan 2026 12:00:05 GMT', nowMs)).to.equal(5_000);
    expect(retryAfterMs('Thursday, 01-Jan-26 12:00:05 GMT', nowMs)).to.equal(5_000);
    expect(retryAfterMs('Thu Jan  1 12:00:05 2026 GMT', nowMs)).to.equal(5_000);
  });

  it('takes a date in the past for now', () => {
    expect(retryAfterMs('Thu, 01 Jan 2026 11:00:00 GMT', nowMs)).to.equal(0);
  });

  it('ignores what is neither', () => {
    for (const header of [undefined, '', 'soon', '-1', '1.5', '1e9', 'Thu, whenever']) {
      expect(retryAfterMs(header, nowMs), String(header)).to.equal(undefined);
    }
  });
});
