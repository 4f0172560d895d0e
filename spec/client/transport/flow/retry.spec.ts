import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { RetryingTransport, retryAfterMs } from '../../../../lib/client/transport/flow/retry.ts';
import { RequestTiming } from '../../../../lib/client/transport/contract/request-timing.ts';
import type { TransportRequest } from '../../../../lib/client/transport/contract/transport.ts';
import { TransportError } from '../../../../lib/client/transport/contract/transport-error.ts';
import { silentLogger, type Logger } from '../../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { failureOf, rejectionOf, thrownBy } from '../../support/failure-of.ts';
import { RecordedMetrics } from '../../support/recorded-metrics.ts';
import { ScriptedTransport } from '../../support/scripted-transport.ts';
import { statusOf } from '../../support/status-failures.ts';

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
    expect(runtime.monotonicMs()).to.be.within(4_000, 4_800);
    // The bodies of the refusals were read, so their connections can be used again.
    expect(script.finished).to.equal(2);
  });

  it('hands on the last answer after ten more tries', async () => {
    const runtime = new VirtualRuntime();
    const script = new ScriptedTransport(() => BUSY);
    const response = await runtime.run(new RetryingTransport(script, { runtime }).send(GET));
    expect(response.status).to.equal(429);
    expect(script.requests).to.have.length(11);
    expect(runtime.monotonicMs()).to.be.within(20_000, 24_000);
  });

  it('waits no longer than the limit, even if the server asks for more', async () => {
    const runtime = new VirtualRuntime();
    const headers = { 'retry-after': '86400' };
    const script = new ScriptedTransport((_, index) =>
      index === 0 ? { ...BUSY, headers } : { body: {} },
    );
    await runtime.run(new RetryingTransport(script, { runtime }).send(GET));
    expect(runtime.monotonicMs()).to.be.within(30_000, 36_000);
  });

  it('sends a request of any method again after 429, with the same body', async () => {
    const runtime = new VirtualRuntime();
    const script = new ScriptedTransport((_, index) => (index % 2 === 0 ? BUSY : { body: {} }));
    const transport = new RetryingTransport(script, { runtime });
    const body = Buffer.from('{"a":1}');
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      const before = script.requests.length;
      const response = await runtime.run(transport.send({ method, path: '/', body }));
      expect(response.status, method).to.equal(200);
      const sent = script.requests.slice(before).map((request) => request.body);
      expect(sent, method).to.deep.equal([body, body]);
    }
  });

  it('sends only idempotent requests again after 503', async () => {
    const runtime = new VirtualRuntime();
    const script = new ScriptedTransport((_, index) =>
      index === 0 ? { ...BUSY, status: 503 } : { ...BUSY, status: 500 },
    );
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      const one = new ScriptedTransport((request) =>
        one.requests.length === 1 ? { ...BUSY, status: 503 } : { body: request.method },
      );
      await runtime.run(new RetryingTransport(one, { runtime }).send({ method, path: '/' }));
      const tries = method === 'POST' || method === 'PATCH' ? 1 : 2;
      expect(one.requests, method).to.have.length(tries);
    }
    const response = await runtime.run(new RetryingTransport(script, { runtime }).send(GET));
    expect(response.status).to.equal(500);
  });

  it('sends other failures, and refusals without a time, once only', async () => {
    const script = new ScriptedTransport((request) =>
      request.path === '/500'
        ? { ...BUSY, status: 500 }
        : { status: Number(request.path.slice(1)) },
    );
    const transport = new RetryingTransport(script, { runtime: new VirtualRuntime() });
    for (const path of ['/500', '/503', '/429', '/404']) {
      const before = script.requests.length;
      await transport.send({ method: 'GET', path });
      expect(script.requests.length - before, path).to.equal(1);
    }
  });

  it('leaves an eviction that a disruption budget forbids to its caller, and sends one again that has to wait', async () => {
    const runtime = new VirtualRuntime();
    const eviction = { method: 'POST', path: '/api/v1/namespaces/a/pods/p/eviction' } as const;
    // Both answers were recorded from kube-apiserver 1.36.3.
    const script = new ScriptedTransport((_, index) =>
      index === 0
        ? { status: 429, headers: { 'retry-after': '10' }, body: statusOf('TooManyRequests', 429) }
        : { status: 429, body: statusOf('TooManyRequests', 429) },
    );
    const response = await runtime.run(new RetryingTransport(script, { runtime }).send(eviction));
    expect(response.status).to.equal(429);
    expect(script.requests).to.have.length(2);
    expect(runtime.monotonicMs()).to.be.within(10_000, 12_000);
  });

  it('opens a watch later when the server asks for it', async () => {
    const runtime = new VirtualRuntime();
    const script = new ScriptedTransport((_, index) => (index === 0 ? BUSY : { body: {} }));
    const watch = { ...GET, path: `${GET.path}?watch=true`, stream: true };
    await runtime.run(new RetryingTransport(script, { runtime }).send(watch));
    expect(script.requests.map(({ stream }) => stream)).to.deep.equal([true, true]);
  });

  it('adds up to a fifth to each wait, at least a few milliseconds, and never comes early', async () => {
    const waits: number[] = [];
    for (let seed = 0; seed < 200; seed += 1) {
      const runtime = new VirtualRuntime({ seed });
      const script = new ScriptedTransport((_, index) => (index === 0 ? BUSY : { body: {} }));
      await runtime.run(new RetryingTransport(script, { runtime }).send(GET));
      waits.push(runtime.monotonicMs());
    }
    expect(Math.min(...waits)).to.be.within(2_000, 2_020);
    expect(Math.max(...waits)).to.be.within(2_380, 2_400);
    expect(new Set(waits).size).to.equal(200);

    const runtime = new VirtualRuntime();
    const now = { status: 429, headers: { 'retry-after': '0' } };
    const script = new ScriptedTransport((_, index) => (index < 10 ? now : { body: {} }));
    await runtime.run(new RetryingTransport(script, { runtime }).send(GET));
    expect(runtime.monotonicMs()).to.be.within(20, 200);
  });

  it('does not begin a wait that would end after the time for all waits', async () => {
    const runtime = new VirtualRuntime();
    const script = new ScriptedTransport(() => BUSY);
    const transport = new RetryingTransport(script, { runtime, maxWaitMs: 5_000 });
    const response = await runtime.run(transport.send(GET));
    expect(response.status).to.equal(429);
    expect(script.requests).to.have.length(3);
    expect(runtime.monotonicMs()).to.be.within(4_000, 5_000);
  });

  it('begins a wait that ends with the time for all waits', async () => {
    for (const [maxWaitMs, tries] of [
      [4_000, 3],
      [3_999, 2],
    ] as const) {
      const runtime = new VirtualRuntime();
      runtime.random = () => 0;
      const script = new ScriptedTransport(() => BUSY);
      await runtime.run(new RetryingTransport(script, { runtime, maxWaitMs }).send(GET));
      expect(script.requests).to.have.length(tries);
      expect(runtime.monotonicMs()).to.equal((tries - 1) * 2_000);
    }
  });

  it('adds a share of a fifth of the wait, or of 20 ms if that is more', async () => {
    for (const [seconds, waitMs] of [
      ['0', 10],
      ['2', 2_200],
      ['40', 33_000],
    ] as const) {
      const runtime = new VirtualRuntime();
      runtime.random = () => 0.5;
      const headers = { 'retry-after': seconds };
      const script = new ScriptedTransport((_, index) => (index === 0 ? { ...BUSY, headers } : {}));
      await runtime.run(new RetryingTransport(script, { runtime }).send(GET));
      expect(runtime.monotonicMs()).to.be.closeTo(waitMs, 1e-6);
    }
  });

  it('leaves a refusal to a request with retry false to its caller', async () => {
    for (const status of [429, 503]) {
      const script = new ScriptedTransport(() => ({ ...BUSY, status }));
      const response = await new RetryingTransport(script).send({ ...GET, retry: false });
      expect([response.status, script.requests.length]).to.deep.equal([status, 1]);
      expect(script.finished).to.equal(0);
    }
  });

  it('reads 64 KiB of a refusal at most, and sends again when its body breaks', async () => {
    for (const [piece, read] of [
      [Buffer.alloc(32 * 1024), 2],
      [Buffer.alloc(32 * 1024 - 1), 3],
      [new Error('broken'), 1],
    ] as const) {
      const runtime = new VirtualRuntime();
      let pieces = 0;
      const script = new ScriptedTransport(() => ({ body: {} }));
      async function* body(): AsyncGenerator<Uint8Array> {
        for (;;) {
          pieces += 1;
          if (piece instanceof Error) throw piece;
          yield piece;
        }
      }
      const below = {
        server: 'http://scripted',
        send: (request: TransportRequest) =>
          pieces > 0
            ? script.send(request)
            : Promise.resolve({ status: 429, headers: { 'retry-after': '0' }, body: body() }),
        close: () => Promise.resolve(),
      };
      const response = await runtime.run(new RetryingTransport(below, { runtime }).send(GET));
      expect([response.status, pieces]).to.deep.equal([200, read]);
    }
  });

  it('marks a request that is sent again, also for a caller that measures nothing', async () => {
    const runtime = new VirtualRuntime();
    const script = new ScriptedTransport((_, index) => (index < 2 ? BUSY : {}));
    await runtime.run(new RetryingTransport(script, { runtime }).send(GET));
    const [first, second, third] = script.requests;
    expect(first).to.equal(GET);
    // One timing for all tries.
    expect(second?.timing?.retries).to.equal(2);
    expect(third?.timing).to.equal(second?.timing);
  });

  it('sends nothing again with maxRetries 0', async () => {
    const script = new ScriptedTransport(() => BUSY);
    const transport = new RetryingTransport(script, { maxRetries: 0 });
    expect((await transport.send(GET)).status).to.equal(429);
    expect(script.requests).to.have.length(1);
  });

  it('records the wait and the number of tries, and counts each by its cause', async () => {
    const runtime = new VirtualRuntime();
    const timing = new RequestTiming();
    const metrics = new RecordedMetrics();
    const script = new ScriptedTransport((_, index) => (index < 2 ? BUSY : { body: {} }));
    const transport = new RetryingTransport(script, { runtime, metrics });
    await runtime.run(transport.send({ ...GET, timing }));
    expect(timing.waitedMs.retry).to.equal(runtime.monotonicMs());
    expect(timing.retries).to.equal(2);
    expect(
      metrics.sum('rest_client_request_retries_total', { method: 'GET', code: '429' }),
    ).to.equal(2);
  });

  it('says what it waits for, without the query', async () => {
    const runtime = new VirtualRuntime();
    const lines: unknown[] = [];
    const logger: Logger = { ...silentLogger, info: (text, fields) => lines.push([text, fields]) };
    const script = new ScriptedTransport((_, index) => (index === 0 ? BUSY : { body: {} }));
    const transport = new RetryingTransport(script, { runtime, logger });
    await runtime.run(transport.send({ ...GET, path: '/api/v1/pods?labelSelector=canary' }));
    expect(lines).to.have.length(1);
    const [text, fields] = lines[0] as [string, { code: string; delayMs: number }];
    expect(text).to.equal('the server asks to try again later');
    expect(fields).to.include({ request: 'GET /api/v1/pods', code: '429', retry: 1 });
    expect(fields.delayMs).to.equal(Math.round(runtime.monotonicMs()));
  });

  describe('when the connection breaks before the answer', () => {
    const broken = (code: string = 'ECONNRESET'): TransportError => {
      const cause = Object.assign(new Error(code), { code });
      const target = { server: 'http://scripted', ...GET };
      return new TransportError('CONNECTION_FAILED', target, 'the connection broke', { cause });
    };
    /** Fails so many times before it answers. */
    const failing = (times: number, error: unknown): ScriptedTransport => {
      const script: ScriptedTransport = new ScriptedTransport(() => {
        if (script.requests.length <= times) throw error as Error;
        return { body: {} };
      });
      return script;
    };

    it('sends a GET once more after a short wait', async () => {
      const runtime = new VirtualRuntime();
      const metrics = new RecordedMetrics();
      const script = failing(1, broken());
      const transport = new RetryingTransport(script, { runtime, metrics });
      expect((await runtime.run(transport.send(GET))).status).to.equal(200);
      expect(script.requests).to.have.length(2);
      expect(runtime.monotonicMs()).to.be.within(100, 120);
      const code = 'CONNECTION_FAILED';
      expect(metrics.sum('rest_client_request_retries_total', { code })).to.equal(1);
    });

    it('fails with the second error, and tries no third time', async () => {
      const runtime = new VirtualRuntime();
      const script = failing(5, broken('EPIPE'));
      const sent = failureOf(new RetryingTransport(script, { runtime }).send(GET));
      expect((await runtime.run(sent)).code).to.equal('CONNECTION_FAILED');
      expect(script.requests).to.have.length(2);
    });

    it('leaves writes, streams, and readers that try again themselves alone', async () => {
      for (const request of [
        { ...GET, method: 'POST' },
        { ...GET, method: 'PUT' },
        { ...GET, method: 'DELETE' },
        { ...GET, stream: true },
        { ...GET, resend: false },
      ] as const) {
        const script = failing(1, broken());
        const sent = failureOf(new RetryingTransport(script).send(request));
        expect((await sent).code).to.equal('CONNECTION_FAILED');
        expect(script.requests, request.method).to.have.length(1);
      }
    });

    it('fails with the error of the connection when the request was aborted', async () => {
      const controller = new AbortController();
      const error = broken();
      const script = new ScriptedTransport(() => {
        controller.abort(new Error('enough'));
        throw error;
      });
      const sent = new RetryingTransport(script).send({ ...GET, signal: controller.signal });
      expect(await rejectionOf(sent)).to.equal(error);
      expect(script.requests).to.have.length(1);
    });

    it('does not try again where nothing listens, and after other errors', async () => {
      const refused = new TransportError('CONNECTION_REFUSED', { server: '', ...GET }, 'refused');
      for (const error of [refused, broken('ETIMEDOUT'), new Error('other')]) {
        const script = failing(1, error);
        expect(await rejectionOf(new RetryingTransport(script).send(GET))).to.equal(error);
        expect(script.requests).to.have.length(1);
      }
    });
  });

  it('ends its waits with CLOSED when it is closed, and sends nothing any more', async () => {
    const runtime = new VirtualRuntime();
    const script = new ScriptedTransport(() => BUSY);
    const transport = new RetryingTransport(script, { runtime });
    const sent = [failureOf(transport.send(GET)), failureOf(transport.send(GET))];
    await runtime.advance(500);
    await transport.close();
    const codes = (await Promise.all(sent)).map(({ code }) => code);
    expect(codes).to.deep.equal(['CLOSED', 'CLOSED']);
    expect(runtime.pending).to.equal(0);
    expect((await failureOf(transport.send(GET))).code).to.equal('CLOSED');
    expect(script.requests).to.have.length(2);
  });

  it('fails without a wait when it was closed while the request was answered', async () => {
    const runtime = new VirtualRuntime();
    const script = new ScriptedTransport(() => {
      void transport.close();
      return BUSY;
    });
    const transport: RetryingTransport = new RetryingTransport(script, { runtime });
    expect((await failureOf(transport.send(GET))).code).to.equal('CLOSED');
    expect([runtime.monotonicMs(), runtime.pending]).to.deep.equal([0, 0]);
  });

  it('leaves no listener at the signal of a request that was sent again', async () => {
    const runtime = new VirtualRuntime();
    const { signal } = new AbortController();
    const script = new ScriptedTransport((_, index) => (index < 2 ? BUSY : {}));
    await runtime.run(new RetryingTransport(script, { runtime }).send({ ...GET, signal }));
    expect(script.requests).to.have.length(3);
    expect(getEventListeners(signal, 'abort')).to.deep.equal([]);
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
    void new RetryingTransport(script).close();
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
