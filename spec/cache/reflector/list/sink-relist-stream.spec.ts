import { expect } from 'chai';
import { ListwatchError } from '../../../../lib/kernel/failure/errors.ts';
import { expired, internalError } from '../../../../lib/meta/failure/failures.ts';
import { bookmark, bringNext, event } from '../reflector-support.ts';
import { BREAKDOWNS, end, fullSink, streamingRig, transitionsOf } from './relist-support.ts';

describe('Reflector with a sink that takes streaming lists piece by piece', () => {
  it('hands over the events, and what stands behind the end bookmark as changes', async () => {
    const test = streamingRig({
      prepare: (source) =>
        bringNext(source, [
          [event('ADDED', 'a', '1'), bookmark('1'), event('ADDED', 'b', '2')],
          [event('DELETED', 'a', '3'), bookmark('5', true), event('MODIFIED', 'b', '6')],
        ]),
    });
    await test.runtime.settle();
    expect(test.sink.relists[0]?.calls).to.deep.equal([
      'apply ADDED a ADDED b',
      'apply DELETED a',
      'commit @5',
    ]);
    expect(test.sink.calls).to.deep.equal(['replace b @5', 'MODIFIED b @6']);
    expect(transitionsOf(test)).to.deep.equal(['the streaming list is complete: 1']);
    await end(test);
  });

  const failures: readonly (readonly [string, Error])[] = [
    ['breaks', new ListwatchError('CONNECTION_FAILED', 'reset')],
    ['expires', expired('too old')],
    ['fails', internalError('boom')],
  ];
  for (const [what, error] of failures) {
    it(`discards a stream that ${what}`, async () => {
      const test = streamingRig({
        prepare: (source) => bringNext(source, [[event('ADDED', 'x', '1')]], error),
      });
      await test.runtime.advance(2000);
      expect(test.sink.ends).to.deep.equal(['discarded', 'committed']);
      expect(test.sink.calls).to.deep.equal(['replace a b c d e @5']);
      await end(test);
    });
  }

  it('discards a stream that ends, or does not end in time, before it lists', async () => {
    for (const how of ['end', 'deadline', 'silence'] as const) {
      const test = streamingRig({
        watchListTimeoutMs: how === 'deadline' ? 5000 : 60_000,
        prepare: (source) => {
          source.withholdInitialEventsEnd = true;
        },
      });
      for (let attempt = 0; attempt < 3 && how === 'end'; attempt += 1) {
        await test.runtime.advance(1000);
        test.source.closeWatches();
      }
      await test.runtime.advance(11_000);
      expect(test.sink.ends.filter((ended) => ended === 'committed')).to.have.length(1);
      expect(test.sink.ends.at(-1)).to.equal('committed');
      expect(test.sink.relists.at(-1)?.calls[0]).to.equal('add a b');
      await end(test);
    }
  });

  it('discards a stream that is older than what was seen', async () => {
    const test = streamingRig();
    await test.runtime.advance(2000);
    bringNext(test.source, [[event('ADDED', 'old', '1'), bookmark('1', true)]]);
    test.source.dropConnections(expired('too old'));
    await test.runtime.advance(2000);
    expect(test.sink.ends).to.deep.equal(['committed', 'discarded', 'committed']);
    await end(test);
  });

  it('waits between two batches, and none of its time passes', async () => {
    const test = streamingRig({
      watchListTimeoutMs: 1000,
      prepare: (source) =>
        bringNext(source, [
          [event('ADDED', 'a', '1')],
          [event('ADDED', 'b', '2')],
          [bookmark('5', true)],
        ]),
    });
    const full = fullSink(test);
    await test.runtime.advance(30_000);
    expect(test.sink.relists[0]?.calls).to.deep.equal(['apply ADDED a']);
    full.makeRoom();
    await test.runtime.advance(30_000);
    full.makeRoom();
    await test.runtime.settle();
    expect(test.sink.calls).to.deep.equal(['replace a b @5']);
    expect(test.errors).to.deep.equal([]);
    await end(test);
  });

  for (const [when, fail] of BREAKDOWNS) {
    it(`asks again after a sink that fails ${when}`, async () => {
      const test = streamingRig();
      fail(test.sink);
      await test.runtime.settle();
      expect(test.transitions.at(-1)?.reason).to.equal('the sink failed: disk full');
      expect(test.sink.open).to.equal(0);
      expect(test.source.openWatches).to.equal(0);
      await test.runtime.advance(1000);
      expect(test.times('watch-list')).to.deep.equal([0, 100]);
      expect(test.sink.calls).to.deep.equal(['replace a b c d e @5']);
      await end(test);
    });
  }
});
