import { expect } from 'chai';
import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { seededRandom } from '../../../lib/kernel/time/random.ts';
import type { Runtime } from '../../../lib/kernel/time/runtime.ts';
import { expired } from '../../../lib/meta/failure/failures.ts';
import { rig, thing, type Rig } from './reflector-support.ts';

const reset = (): Error => new ListwatchError('CONNECTION_FAILED', 'the connection was reset');

/** Share of the time since `fromMs` in which a watch was open, seen each 10 ms. */
async function shareWatching({ runtime, source }: Rig, durationMs: number): Promise<number> {
  let open = 0;
  for (let passedMs = 0; passedMs < durationMs; passedMs += 10) {
    await runtime.advance(10);
    if (source.openWatches > 0) open += 1;
  }
  return open / (durationMs / 10);
}

/** Breaks every watch after times that `gapMs` draws. */
function storm(runtime: Runtime, source: Rig['source'], gapMs: () => number): () => void {
  let timer = runtime.setTimer(0, () => {});
  const arm = (): void => {
    timer = runtime.setTimer(gapMs(), () => {
      source.dropConnections(reset());
      arm();
    });
  };
  arm();
  return () => {
    timer.cancel();
  };
}

/** Most requests in any one second. */
function mostASecond(times: readonly number[]): number {
  return Math.max(
    ...times.map((from) => times.filter((at) => at >= from && at < from + 1000).length),
  );
}

describe('Reflector in a storm of resets', () => {
  for (const everyMs of [1000, 1500]) {
    it(`watches at least 95 % of the time with a reset each ${everyMs} ms and no event`, async () => {
      const test = rig({ source: { latencyMs: 20 } });
      const end = storm(test.runtime, test.source, () => everyMs);
      expect(await shareWatching(test, 120_000)).to.be.at.least(0.95);
      end();
      expect(test.times('list')).to.have.length(1);
      await test.stop();
    });
  }

  it('watches at least 80 % of the time with a reset a second at random times', async () => {
    const random = seededRandom('storm');
    const test = rig({ source: { latencyMs: 20 } });
    const end = storm(test.runtime, test.source, () => -1000 * Math.log(1 - random()));
    expect(await shareWatching(test, 300_000)).to.be.at.least(0.8);
    end();
    expect(test.times('list')).to.have.length(1);
    await test.stop();
  });

  it('starts small after a storm that came behind an outage', async () => {
    const test = rig({ source: { latencyMs: 20 } });
    await test.runtime.advance(5000);
    test.source.failNext('watch', reset(), 3);
    test.source.dropConnections(reset());
    await test.runtime.advance(60_000);
    const end = storm(test.runtime, test.source, () => 1000);
    expect(await shareWatching(test, 60_000)).to.be.at.least(0.9);
    end();
    await test.stop();
  });

  it('asks a server that accepts each watch and ends it at once at most 5 times a second', async () => {
    const { runtime, source, times, stop } = rig();
    const end = storm(runtime, source, () => 1);
    await runtime.advance(60_000);
    end();
    expect(mostASecond(times('watch'))).to.be.at.most(5);
    expect(times('watch').length + times('list').length).to.be.at.most(20);
    await stop();
  });

  it('asks a server that ends each watch after one event at most 5 times a second', async () => {
    const { runtime, source, times, stop } = rig();
    for (let index = 0; index < 3000; index += 1) {
      source.modify(thing('a', String(index)));
      await runtime.advance(10);
      source.dropConnections(reset());
      await runtime.advance(10);
    }
    expect(mostASecond(times('watch'))).to.be.within(4, 5);
    expect(times('list')).to.deep.equal([0]);
    await stop();
  });
});

describe('Reflector after an outage', () => {
  it('goes on from its old version after any number of lost watches, and misses no deletion', async () => {
    const { runtime, source, sink, times, stop } = rig({ backoff: { capMs: 5000 } });
    await runtime.advance(2000);
    const refuse = reset();
    source.failNext('watch', refuse, 1000);
    source.failNext('list', refuse, 1000);
    source.dropConnections(refuse);
    await runtime.advance(600_000);
    source.delete({ name: 'a' });
    source.heal();
    await runtime.advance(30_000);
    expect(sink.calls).to.deep.equal(['replace a b @2', 'DELETED a @3']);
    expect(times('list').length, 'it asked whether the server answers').to.be.at.least(2);
    await stop();
  });

  it('lists when the server answers, but no watch, again and again', async () => {
    const { runtime, source, sink, stop } = rig({ backoff: { capMs: 5000 } });
    await runtime.advance(2000);
    source.failNext('watch', reset(), 1000);
    source.pause();
    source.dropConnections(reset());
    source.delete({ name: 'a' });
    await runtime.advance(120_000);
    expect(sink.calls.slice(0, 2)).to.deep.equal(['replace a b @2', 'replace b @3']);
    await stop();
  });

  it('lists when the history is gone', async () => {
    const { runtime, source, sink, stop } = rig({ backoff: { capMs: 5000 } });
    await runtime.advance(2000);
    source.failNext('watch', reset(), 5);
    source.dropConnections(expired('too old'));
    source.delete({ name: 'a' });
    source.compact();
    await runtime.advance(120_000);
    expect(sink.calls).to.deep.equal(['replace a b @2', 'replace b @3']);
    await stop();
  });
});
