import { expect } from 'chai';
import {
  AdaptiveLimiter,
  type AdaptiveLimiterOptions,
} from '../../../../lib/client/transport/flow/adaptive-limiter.ts';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { rejectionOf, thrownBy } from '../../support/failure-of.ts';

describe('AdaptiveLimiter', () => {
  let runtime: VirtualRuntime;
  let limiter: AdaptiveLimiter;
  let reports: string[];
  let lines: unknown[];

  const start = (options: Partial<AdaptiveLimiterOptions> = {}): void => {
    runtime = new VirtualRuntime();
    reports = [];
    lines = [];
    limiter = new AdaptiveLimiter({
      runtime,
      server: 'http://a',
      logger: { ...silentLogger, info: (text, fields) => lines.push([text, fields]) },
      onChange: () => reports.push(`${limiter.rate.toFixed(1)} ${limiter.queued}`),
      onSlowdown: () => reports.push('slowdown'),
      ...options,
    });
  };
  const accept = (count: number): void => {
    for (let index = 0; index < count; index += 1) {
      limiter.answered(runtime.monotonicMs(), false);
    }
  };
  const refuse = (): void => limiter.answered(runtime.monotonicMs(), true);
  /** The number of requests of these that may go at once; the others wait. */
  const ask = (count: number): number => {
    let went = 0;
    for (let index = 0; index < count; index += 1) {
      const waiting = limiter.turn('regular', undefined);
      if (waiting === undefined) went += 1;
      else void waiting.catch(() => {});
    }
    return went;
  };

  beforeEach(() => start());

  it('lets all requests go and reports nothing before the first refusal', () => {
    expect(ask(1_000)).to.equal(1_000);
    accept(1_000);
    expect([limiter.rate, limiter.queued, reports, lines]).to.deep.equal([Infinity, 0, [], []]);
  });

  it('reports a refusal that lowers the rate, and then the rate', async () => {
    accept(100);
    refuse();
    refuse();
    expect(reports).to.deep.equal(['slowdown', '80.0 0']);
    const text = 'the server refuses requests because it gets too many; they wait for a turn';
    const server = 'http://a';
    expect(lines).to.deep.equal([[text, { server, requestsPerSecond: '80', waiting: 0 }]]);
    expect(ask(2)).to.equal(0);
    await runtime.advance(1_000);
    ask(1);
    refuse();
    expect(reports.slice(2)).to.deep.equal([
      '80.0 1',
      '80.0 2',
      '80.0 1',
      '80.0 0',
      'slowdown',
      '64.0 0',
    ]);
  });

  it('shows a rate below ten with a decimal', async () => {
    const shown = (): unknown => (lines as [string, { requestsPerSecond: string }][])[0]?.[1];
    accept(12);
    refuse();
    expect(shown()).to.include({ requestsPerSecond: '9.6' });
    start();
    accept(1);
    await runtime.advance(1_000);
    accept(12);
    await runtime.advance(500);
    // Four fifths of 12.5.
    refuse();
    expect(shown()).to.include({ requestsPerSecond: '10' });
  });

  it('lets the requests of 50 ms go at once after a pause, and one at least', async () => {
    for (const [accepted, burst] of [
      [100, 4],
      [50, 2],
      [10, 1],
    ] as const) {
      start();
      accept(accepted);
      refuse();
      await runtime.advance(10_000);
      expect(ask(10)).to.equal(burst);
      limiter.close(new Error('enough'));
    }
  });

  it('passes a higher rate on when it has grown by more than one per cent', async () => {
    accept(100);
    refuse();
    ask(20);
    reports = [];
    await runtime.advance(10);
    accept(1);
    expect(limiter.rate).to.be.closeTo(80.16, 1e-9);
    expect(reports).to.deep.equal([]);
    await runtime.advance(50);
    reports = [];
    accept(1);
    expect(limiter.rate).to.be.closeTo(80.9616, 1e-9);
    expect(reports).to.deep.equal([`81.0 ${limiter.queued}`]);
  });

  it('grows for an answer that comes while requests wait, however long ago they came', async () => {
    refuse();
    expect(limiter.rate).to.equal(1);
    ask(40);
    await runtime.advance(5_000);
    accept(1);
    expect(limiter.rate).to.be.closeTo(1.2, 1e-9);
    expect(reports.at(-1)).to.equal('1.2 35');
  });

  it('forgets the limit half a minute after the last refusal, when no request waits', async () => {
    accept(100);
    refuse();
    reports = [];
    await runtime.advance(29_999);
    expect(ask(1)).to.equal(1);
    expect(limiter.rate).to.equal(80);
    await runtime.advance(1);
    expect(ask(100)).to.equal(100);
    expect(limiter.rate).to.equal(Infinity);
    expect(reports).to.deep.equal(['Infinity 0']);
    expect(lines.at(-1)).to.deep.equal([
      'the server accepts all requests again',
      { server: 'http://a' },
    ]);
  });

  it('keeps the limit half a minute after a request had to wait, also if no answer came', async () => {
    refuse();
    await runtime.advance(20_000);
    expect(ask(2)).to.equal(1);
    await runtime.advance(29_999);
    expect(ask(1)).to.equal(1);
    expect(limiter.rate).to.equal(1);
    await runtime.advance(1);
    expect(ask(100)).to.equal(100);
  });

  it('keeps the limit while requests wait', async () => {
    refuse();
    ask(40);
    await runtime.advance(31_000);
    expect(ask(1)).to.equal(0);
    expect([limiter.rate, limiter.queued]).to.deep.equal([1, 10]);
  });

  it('refuses a request beyond those that may wait, and names the rate', () => {
    start({ maxQueued: 2 });
    refuse();
    ask(2);
    const error = thrownBy(() => limiter.turn('regular', undefined));
    expect(error.code).to.equal('BUFFER_FULL');
    expect(error.message).to.contain(
      '2 requests wait for http://a, which refuses requests (429) and accepts about 1.0 a second; send fewer at a time',
    );
  });

  it('fails those that wait when it is closed', async () => {
    refuse();
    const failed = rejectionOf(limiter.turn('ahead', undefined)!);
    const reason = new Error('closed');
    limiter.close(reason);
    expect(await failed).to.equal(reason);
    expect(runtime.pending).to.equal(0);
  });
});
