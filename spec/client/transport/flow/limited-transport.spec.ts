import { expect } from 'chai';
import { RequestTiming } from '../../../../lib/client/transport/contract/request-timing.ts';
import type { Transport } from '../../../../lib/client/transport/contract/transport.ts';
import { LimitedTransport } from '../../../../lib/client/transport/flow/limited-transport.ts';
import { RetryingTransport } from '../../../../lib/client/transport/flow/retry.ts';
import { silentLogger, type Logger } from '../../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../../lib/kernel/time/wait.ts';
import { failureOf, rejectionOf, thrownBy } from '../../support/failure-of.ts';
import { RecordedMetrics } from '../../support/recorded-metrics.ts';
import { ScriptedTransport } from '../../support/scripted-transport.ts';
import { between, ThrottlingServer } from '../../support/throttling-server.ts';

const GET = { method: 'GET', path: '/api/v1/pods' } as const;
/** Recorded from kube-apiserver 1.36.3, whose API Priority and Fairness refused the request. */
const REFUSED = {
  status: 429,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'retry-after': '1' },
  body: 'Too many requests, please try again later.\n',
};

/** A client as `connect` makes it: tries again, and each try passes the limiter. */
function clientOf(transport: Transport, runtime: VirtualRuntime): Transport {
  return new RetryingTransport(new LimitedTransport(transport, { runtime }), {
    runtime,
    maxRetries: 1000,
    maxWaitMs: Infinity,
  });
}

/** Sends one request after the other over `workers` at a time, until `untilMs`. */
async function load(
  client: Transport,
  runtime: VirtualRuntime,
  { workers, untilMs }: { readonly workers: number; readonly untilMs: number },
): Promise<void> {
  const work = async (): Promise<void> => {
    while (runtime.monotonicMs() < untilMs) await client.send(GET);
  };
  await Promise.all(Array.from({ length: workers }, work));
}

/** Sends `rate` requests a second, whether they are answered or not, until `untilMs`. */
async function steady(
  client: Transport,
  runtime: VirtualRuntime,
  { rate, untilMs }: { readonly rate: number; readonly untilMs: number },
): Promise<void> {
  const sent: Promise<unknown>[] = [];
  while (runtime.monotonicMs() < untilMs) {
    sent.push(client.send(GET));
    await sleep(runtime, 1000 / rate);
  }
  await Promise.all(sent);
}

const HOUR = { limitMs: 10 * 3_600_000 };

describe('LimitedTransport', () => {
  describe('adaptive', () => {
    it('lets any number of requests go at once while the server accepts them', async () => {
      const runtime = new VirtualRuntime();
      const server = new ThrottlingServer({ runtime, rate: Infinity });
      const limited = new LimitedTransport(server.connect(), { runtime });
      await runtime.run(Promise.all(Array.from({ length: 5000 }, () => limited.send(GET))));
      expect(between(server.accepted, 0, 1)).to.equal(5000);
    });

    for (const { rate, burst, workers, seconds } of [
      { rate: 5, burst: 5, workers: 20, seconds: 200 },
      { rate: 20, burst: 1, workers: 50, seconds: 200 },
      { rate: 50, burst: 100, workers: 200, seconds: 100 },
      { rate: 300, burst: 300, workers: 400, seconds: 70 },
    ]) {
      it(`uses 70 to 100 % of the ${rate} requests a second that a server accepts, and is rarely refused`, async () => {
        const runtime = new VirtualRuntime();
        const server = new ThrottlingServer({ runtime, rate, burst });
        const client = clientOf(server.connect(), runtime);
        await runtime.run(load(client, runtime, { workers, untilMs: seconds * 1000 }), HOUR);
        const accepted = between(server.accepted, 20_000, seconds * 1000);
        const refused = between(server.refused, 20_000, seconds * 1000);
        const used = accepted / (rate * (seconds - 20));
        const share = refused / (accepted + refused);
        console.log(
          `      ${rate}/s, burst ${burst}: ${(used * 100).toFixed(1)} % used, ${(share * 100).toFixed(2)} % refused`,
        );
        expect(used).to.be.greaterThan(0.7);
        expect(accepted).to.be.at.most(rate * (seconds - 20) + burst);
        expect(share).to.be.lessThan(0.06);
      });
    }

    it('is refused far less often than without it', async () => {
      const outcomes: number[] = [];
      for (const limiter of ['adaptive', false] as const) {
        const runtime = new VirtualRuntime();
        const server = new ThrottlingServer({ runtime, rate: 20, burst: 20 });
        const transport = server.connect();
        const limits = { runtime, maxRetries: 1000, maxWaitMs: Infinity };
        const client =
          limiter === false
            ? new RetryingTransport(transport, limits)
            : clientOf(transport, runtime);
        await runtime.run(load(client, runtime, { workers: 100, untilMs: 60_000 }), HOUR);
        outcomes.push(server.refused.length);
      }
      const [adaptive = 0, without = 0] = outcomes;
      console.log(`      refusals in a minute: ${adaptive} instead of ${without}`);
      expect(adaptive).to.be.lessThan(without / 10);
    });

    it('follows a server whose limit falls, rises, and goes away', async () => {
      const runtime = new VirtualRuntime();
      const server = new ThrottlingServer({ runtime, rate: 100, burst: 10 });
      const client = clientOf(server.connect(), runtime);
      const change = async (): Promise<void> => {
        await sleep(runtime, 60_000);
        server.rate = 10;
        await sleep(runtime, 60_000);
        server.rate = 50;
        await sleep(runtime, 60_000);
        server.rate = Infinity;
      };
      const work = load(client, runtime, { workers: 20, untilMs: 310_000 });
      await runtime.run(Promise.all([work, change()]), HOUR);
      const perSecond = (fromMs: number, toMs: number): number =>
        (between(server.accepted, fromMs, toMs) * 1000) / (toMs - fromMs);
      expect(perSecond(20_000, 60_000)).to.be.within(70, 101);
      expect(perSecond(80_000, 120_000)).to.be.within(7, 10.1);
      expect(perSecond(150_000, 180_000)).to.be.within(35, 51);
      // Twenty workers with answers after 10 ms can send 2000.
      expect(perSecond(305_000, 310_000)).to.equal(2_000);
    });

    it('is not stopped by a server that accepts a fixed number in each second', async () => {
      const runtime = new VirtualRuntime();
      const counts = new Map<number, number>();
      let refused = 0;
      const transport = new ScriptedTransport(() => {
        const second = Math.floor(runtime.monotonicMs() / 1000);
        const count = (counts.get(second) ?? 0) + 1;
        if (count > 30) {
          refused += 1;
          return REFUSED;
        }
        counts.set(second, count);
        return {};
      });
      const slow: Transport = {
        server: 'http://windows',
        send: async (request) => {
          const response = await transport.send(request);
          await sleep(runtime, 5);
          return response;
        },
        close: () => Promise.resolve(),
      };
      const work = load(clientOf(slow, runtime), runtime, { workers: 60, untilMs: 120_000 });
      await runtime.run(work, HOUR);
      const accepted = [...counts.values()].reduce((sum, count) => sum + count, 0);
      expect(accepted / (30 * 120)).to.be.within(0.7, 1);
      expect(refused / accepted).to.be.lessThan(0.06);
    });

    it('shares a server fairly with other clients, also with one that comes later', async () => {
      const runtime = new VirtualRuntime();
      const server = new ThrottlingServer({ runtime, rate: 100, burst: 20 });
      const transports = Array.from({ length: 5 }, () => server.connect());
      const works = transports.map(async (transport, index) => {
        await sleep(runtime, index === 4 ? 30_000 : index * 700);
        await load(clientOf(transport, runtime), runtime, { workers: 40, untilMs: 300_000 });
      });
      await runtime.run(Promise.all(works), HOUR);
      const shares = transports.map(({ accepted }) => between(accepted, 150_000, 300_000) / 150);
      const total = shares.reduce((sum, share) => sum + share, 0);
      const squares = shares.reduce((sum, share) => sum + share * share, 0);
      const fairness = (total * total) / (shares.length * squares);
      const refused = between(server.refused, 150_000, 300_000) / 150;
      console.log(
        `      ${shares.map((share) => share.toFixed(1)).join(' ')} a second of ${total.toFixed(1)}; fairness ${fairness.toFixed(3)}; ${refused.toFixed(2)} refusals a second`,
      );
      expect(total).to.be.within(70, 101);
      expect(fairness).to.be.greaterThan(0.9);
      expect(Math.min(...shares)).to.be.greaterThan(10);
    });

    it('has no limit any more after half a minute without a wait and a refusal', async () => {
      const runtime = new VirtualRuntime();
      const metrics = new RecordedMetrics();
      const server = new ThrottlingServer({ runtime, rate: 50, burst: 50 });
      const limited = new LimitedTransport(server.connect(), { runtime, metrics });
      const rates = (): number[] => metrics.values('listwatch_client_limiter_rate');
      await runtime.run(Promise.all(Array.from({ length: 60 }, () => limited.send(GET))));
      expect(rates().at(-1)).to.be.within(1, 50);
      await runtime.run(steady(limited, runtime, { rate: 5, untilMs: 29_000 }));
      expect(rates().at(-1)).to.be.greaterThan(0);
      await runtime.run(steady(limited, runtime, { rate: 5, untilMs: 31_000 }));
      expect(rates().at(-1)).to.equal(0);
      expect(metrics.sum('listwatch_client_limiter_slowdowns_total')).to.equal(1);
    });

    it('finds the rate also while a queue drains and no request comes', async () => {
      const runtime = new VirtualRuntime();
      const server = new ThrottlingServer({ runtime, rate: 100, burst: 10 });
      const client = clientOf(server.connect(), runtime);
      const sent = Array.from({ length: 20 }, () => client.send(GET));
      await runtime.advance(20);
      sent.push(...Array.from({ length: 2000 }, () => client.send(GET)));
      await runtime.run(Promise.all(sent));
      // At the first limit of 8 a second it would take four minutes.
      expect(runtime.monotonicMs()).to.be.lessThan(40_000);
    });

    it('arms no timer while no request waits', async () => {
      const runtime = new VirtualRuntime();
      const server = new ThrottlingServer({ runtime, rate: 5 });
      const limited = new LimitedTransport(server.connect(), { runtime });
      await runtime.run(Promise.all(Array.from({ length: 50 }, () => limited.send(GET))));
      expect(server.refused).to.have.length(49);
      await runtime.run(Promise.all(Array.from({ length: 5 }, () => limited.send(GET))));
      expect(runtime.pending).to.equal(0);
    });

    it('falls once for many refusals of requests that were in flight together', async () => {
      const runtime = new VirtualRuntime();
      const metrics = new RecordedMetrics();
      const server = new ThrottlingServer({ runtime, rate: 40, burst: 40, latencyMs: 5_000 });
      const limited = new LimitedTransport(server.connect(), { runtime, metrics });
      await runtime.run(Promise.all(Array.from({ length: 100 }, () => limited.send(GET))));
      expect(server.refused).to.have.length(60);
      expect(metrics.sum('listwatch_client_limiter_slowdowns_total')).to.equal(1);
      expect(metrics.values('listwatch_client_limiter_rate').at(-1)).to.equal(32);
    });
  });

  describe('with a fixed limit', () => {
    it('sends the burst at once, and then so many a second, in the order in which they came', async () => {
      const runtime = new VirtualRuntime();
      const order: [string, number][] = [];
      const transport = new ScriptedTransport(({ path }) => {
        order.push([path, runtime.monotonicMs()]);
        return {};
      });
      const limited = new LimitedTransport(transport, {
        runtime,
        limiter: { queriesPerSecond: 10, burst: 3 },
      });
      const paths = Array.from({ length: 8 }, (_, index) => `/${index}`);
      await runtime.run(Promise.all(paths.map((path) => limited.send({ method: 'GET', path }))));
      expect(order.map(([path]) => path)).to.deep.equal(paths);
      const times = order.map(([, atMs]) => Math.round(atMs));
      expect(times).to.deep.equal([0, 0, 0, 100, 200, 300, 400, 500]);
    });

    it('takes the rate for the burst if none is given', async () => {
      const runtime = new VirtualRuntime();
      const limited = new LimitedTransport(new ScriptedTransport(() => ({})), {
        runtime,
        limiter: { queriesPerSecond: 4.5 },
      });
      await runtime.run(Promise.all(Array.from({ length: 4 }, () => limited.send(GET))));
      expect(runtime.monotonicMs()).to.equal(0);
      await runtime.run(limited.send(GET));
      expect(runtime.monotonicMs()).to.be.closeTo(1000 / 4.5, 0.001);
    });

    it('opens a watch ahead of other requests, but not at the expense of all of them', async () => {
      const runtime = new VirtualRuntime();
      const transport = new ScriptedTransport(() => ({}));
      const limiter = { queriesPerSecond: 10, burst: 1 };
      const limited = new LimitedTransport(transport, { runtime, limiter });
      const names = ['first', 'a', 'b', 'c', 'd'];
      const sent = names.map((name) => limited.send({ method: 'GET', path: name }));
      for (const path of ['w1', 'w2', 'w3']) {
        sent.push(limited.send({ method: 'GET', path, stream: true }));
      }
      const again = Object.assign(new RequestTiming(), { retries: 1 });
      sent.push(limited.send({ method: 'POST', path: 'again', timing: again }));
      await runtime.run(Promise.all(sent));
      const order = transport.requests.map(({ path }) => path);
      expect(order).to.deep.equal(['first', 'w1', 'a', 'w2', 'b', 'w3', 'c', 'again', 'd']);
    });

    it('records the wait of a request, and none for one that does not wait', async () => {
      const runtime = new VirtualRuntime();
      const limiter = { queriesPerSecond: 2, burst: 1 };
      const limited = new LimitedTransport(new ScriptedTransport(() => ({})), { runtime, limiter });
      const timings = [new RequestTiming(), new RequestTiming(), new RequestTiming()];
      await runtime.run(Promise.all(timings.map((timing) => limited.send({ ...GET, timing }))));
      expect(timings.map(({ waitedMs }) => waitedMs.limiter)).to.deep.equal([0, 500, 1000]);
    });

    it('does not count the wait as part of the time limits of a request', async () => {
      const runtime = new VirtualRuntime();
      const sentAtMs: number[] = [];
      const transport = new ScriptedTransport(() => {
        sentAtMs.push(runtime.monotonicMs());
        return {};
      });
      const limiter = { queriesPerSecond: 0.01, burst: 1 };
      const limited = new LimitedTransport(transport, { runtime, limiter });
      await runtime.run(Promise.all([limited.send(GET), limited.send(GET)]));
      // The layer below, which has the time limits, sees the request only now.
      expect(sentAtMs).to.deep.equal([0, 100_000]);
    });

    it('lets a request that aborts leave the queue at once, and the next one take its place', async () => {
      const runtime = new VirtualRuntime();
      const transport = new ScriptedTransport(() => ({}));
      const limiter = { queriesPerSecond: 1, burst: 1 };
      const limited = new LimitedTransport(transport, { runtime, limiter });
      await limited.send(GET);
      const controller = new AbortController();
      const timing = new RequestTiming();
      const first = rejectionOf(limited.send({ ...GET, signal: controller.signal, timing }));
      const second = limited.send({ method: 'GET', path: '/second' });
      await runtime.advance(400);
      const reason = new Error('enough');
      controller.abort(reason);
      expect(await first).to.equal(reason);
      expect(timing.waitedMs.limiter).to.equal(400);
      await runtime.run(second);
      expect(runtime.monotonicMs()).to.equal(1000);
      expect(transport.requests.map(({ path }) => path)).to.deep.equal([GET.path, '/second']);
    });

    it('does not queue a request whose signal has aborted already', async () => {
      const runtime = new VirtualRuntime();
      const limiter = { queriesPerSecond: 1, burst: 1 };
      const limited = new LimitedTransport(new ScriptedTransport(() => ({})), { runtime, limiter });
      await limited.send(GET);
      const reason = new Error('before');
      const signal = AbortSignal.abort(reason);
      expect(await rejectionOf(limited.send({ ...GET, signal }))).to.equal(reason);
      expect(runtime.pending).to.equal(0);
    });

    it('refuses a request beyond ten thousand that wait, and names the cause', async () => {
      const runtime = new VirtualRuntime();
      const transport = new ScriptedTransport(() => ({}));
      const limiter = { queriesPerSecond: 5, burst: 1 };
      const limited = new LimitedTransport(transport, { runtime, limiter });
      const waiting = Array.from({ length: 10_001 }, () => limited.send(GET).catch(() => {}));
      const error = await failureOf(limited.send(GET));
      expect(error.code).to.equal('BUFFER_FULL');
      expect(error.message).to.equal(
        '10000 requests wait for the option "limiter", which allows 5 a second; send fewer, or raise the limit',
      );
      void limited.close();
      await Promise.all(waiting);
    });

    it('ends all waits with CLOSED when it is closed', async () => {
      const runtime = new VirtualRuntime();
      const transport = new ScriptedTransport(() => ({}));
      const limiter = { queriesPerSecond: 1, burst: 1 };
      const limited = new LimitedTransport(transport, { runtime, limiter });
      await limited.send(GET);
      const waiting = [
        failureOf(limited.send(GET)),
        failureOf(limited.send({ ...GET, stream: true })),
      ];
      void limited.close();
      expect((await Promise.all(waiting)).map(({ code }) => code)).to.deep.equal([
        'CLOSED',
        'CLOSED',
      ]);
      expect(transport.closed).to.equal(true);
      expect(runtime.pending).to.equal(0);
      expect((await failureOf(limited.send(GET))).code).to.equal('CLOSED');
    });

    it('reports its rate and the length of its queue', async () => {
      const runtime = new VirtualRuntime();
      const metrics = new RecordedMetrics();
      const limiter = { queriesPerSecond: 10, burst: 1 };
      const transport = new ScriptedTransport(() => ({}));
      const limited = new LimitedTransport(transport, { runtime, limiter, metrics });
      await runtime.run(Promise.all([GET, GET, GET].map((request) => limited.send(request))));
      const lengths = metrics.values('listwatch_client_limiter_queue_length', { host: 'scripted' });
      expect(lengths).to.deep.equal([0, 1, 2, 1, 0]);
      expect(metrics.values('listwatch_client_limiter_rate').at(-1)).to.equal(10);
    });

    it('logs a wait of a second or more, at most one in ten seconds', async () => {
      const runtime = new VirtualRuntime();
      const lines: unknown[] = [];
      const logger: Logger = {
        ...silentLogger,
        info: (text, fields) => lines.push([runtime.monotonicMs(), text, fields]),
      };
      const line = (ms: number, waitedMs: number, waiting: number): unknown => [
        ms,
        'a request has waited for its turn',
        { server: 'http://scripted', waitedMs, requestsPerSecond: 1, waiting },
      ];
      const limiter = { queriesPerSecond: 1, burst: 1 };
      const transport = new ScriptedTransport(() => ({}));
      const limited = new LimitedTransport(transport, { runtime, limiter, logger });
      await limited.send(GET);
      await runtime.advance(1);
      await runtime.run(limited.send(GET));
      expect(lines).to.deep.equal([]);
      await runtime.run(Promise.all(Array.from({ length: 11 }, () => limited.send(GET))));
      expect(lines).to.deep.equal([line(2_000, 1_000, 10), line(12_000, 11_000, 0)]);
    });
  });

  it('says that the server refuses requests, and that it accepts all again', async () => {
    const runtime = new VirtualRuntime();
    const lines: unknown[] = [];
    const logger: Logger = { ...silentLogger, info: (text, fields) => lines.push([text, fields]) };
    const transport = new ScriptedTransport((_, index) => (index === 3 ? REFUSED : {}));
    const limited = new LimitedTransport(transport, { runtime, logger });
    for (let count = 0; count < 4; count += 1) await limited.send(GET);
    await runtime.advance(30_000);
    await limited.send(GET);
    const server = 'http://scripted';
    expect(lines).to.deep.equal([
      [
        'the server refuses requests because it gets too many; they wait for a turn',
        { server, requestsPerSecond: '2.4', waiting: 0 },
      ],
      ['the server accepts all requests again', { server }],
    ]);
  });

  it('refuses options that make no sense', () => {
    const transport = new ScriptedTransport(() => ({}));
    for (const [limiter, text] of [
      ['fast', 'must be \'adaptive\', false or { queriesPerSecond, burst }, not "fast"'],
      [{ queriesPerSecond: 0 }, 'queriesPerSecond'],
      [{ burst: 5 }, 'queriesPerSecond" is required'],
      [{ queriesPerSecond: 5, burst: 0 }, 'burst'],
      [{ qps: 5, queriesPerSecond: 5 }, '"limiter.qps"'],
    ] as const) {
      const options: object = { limiter };
      const error = thrownBy(() => new LimitedTransport(transport, options));
      expect(error.code).to.equal('INVALID_OPTION');
      expect(error.message).to.contain(text);
    }
  });
});
