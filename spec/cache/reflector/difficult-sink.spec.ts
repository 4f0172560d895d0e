import { expect } from 'chai';
import { expired } from '../../../lib/meta/failure/failures.ts';
import { RecordingSink, rig, thing } from './reflector-support.ts';
import { lineLogger } from '../../support/line-logger.ts';

describe('Reflector with a difficult sink', () => {
  it('lists again after a sink that throws at a change, and does not count the change as seen', async () => {
    const sink = new RecordingSink();
    const { runtime, source, reflector, requests, errors, stop } = rig({ sink });
    await runtime.advance(2000);
    sink.apply = (): void => {
      throw new Error('full disk');
    };
    source.add(thing('c'));
    await runtime.settle();
    expect(reflector.lastSyncResourceVersion).to.equal('2');
    expect(source.openWatches).to.equal(0);
    Reflect.deleteProperty(sink, 'apply');
    await runtime.advance(2000);
    expect(requests().slice(2)).to.deep.equal([
      'list resourceVersion=2',
      'watch allowWatchBookmarks=true resourceVersion=3',
    ]);
    expect(sink.calls).to.deep.equal(['replace a b @2', 'replace a b c @3']);
    expect(errors[0]?.context.message).to.include('full disk; it lists');
    await stop();
  });

  it('keeps the old version after a sink that throws at a replace', async () => {
    const sink = new RecordingSink();
    let failures = 0;
    sink.replace = (...list): void => {
      failures += 1;
      if (failures < 3) throw new Error('not now');
      RecordingSink.prototype.replace.apply(sink, list);
    };
    const { runtime, reflector, times, stop } = rig({ sink, backoff: { baseMs: 100, jitter: 0 } });
    await runtime.settle();
    expect(reflector.lastSyncResourceVersion).to.equal('');
    await runtime.advance(1000);
    expect(times('list')).to.deep.equal([0, 100, 300]);
    expect(sink.calls).to.deep.equal(['replace a b @2']);
    await stop();
  });

  it('reads on only when there is room, and gives up the wait on abort', async () => {
    const sink = new RecordingSink();
    let makeRoom = (): void => {};
    let full = false;
    const warnings: string[] = [];
    const limited = Object.assign(sink, {
      waitForRoom: (): Promise<void> | undefined =>
        full
          ? new Promise<void>((resolve) => {
              makeRoom = resolve;
            })
          : undefined,
    });
    const { runtime, source, stop } = rig({
      sink: limited,
      logger: lineLogger((line) => warnings.push(line), ['warn']),
    });
    await runtime.settle();
    full = true;
    source.add(thing('c'));
    await runtime.settle();
    source.add(thing('d'));
    await runtime.advance(70_000);
    expect(sink.calls).to.deep.equal(['replace a b @2', 'ADDED c @3']);
    expect(warnings[1]).to.equal(
      'the sink is full; reading waits (reflector=things waitedMs=60000)',
    );
    full = false;
    makeRoom();
    await runtime.settle();
    expect(sink.calls.at(-1)).to.equal('ADDED d @4');
    full = true;
    source.add(thing('e'));
    await runtime.settle();
    await stop();
    expect(runtime.pending).to.equal(0);
  });

  it('resyncs at its interval through relists, while asked to', async () => {
    let resyncs = 0;
    let wanted = true;
    const sink = Object.assign(new RecordingSink(), {
      resync: (): void => {
        resyncs += 1;
      },
    });
    const { runtime, source, stop } = rig({
      sink,
      resyncIntervalMs: 1000,
      shouldResync: () => wanted,
    });
    for (let second = 0; second < 10; second += 1) {
      await runtime.advance(700);
      source.dropConnections(expired('again'));
    }
    expect(resyncs).to.equal(7);
    wanted = false;
    await runtime.advance(5000);
    expect(resyncs).to.equal(7);
    await stop();
  });

  it('does not hold the process for the next resync', async () => {
    const sink = Object.assign(new RecordingSink(), { resync: (): void => {} });
    const without = rig();
    const test = rig({ sink, resyncIntervalMs: 1000 });
    await without.runtime.advance(500);
    await test.runtime.advance(500);
    expect(test.runtime.pending).to.equal(without.runtime.pending);
    await without.runtime.advance(1000);
    await test.runtime.advance(1000);
    expect(test.runtime.pending).to.equal(without.runtime.pending);
    await without.stop();
    await test.stop();
  });

  it('lists again after a resync that throws', async () => {
    let throws = 1;
    const sink = Object.assign(new RecordingSink(), {
      resync: (): void => {
        throws -= 1;
        if (throws >= 0) throw new Error('resync failed');
      },
    });
    const { runtime, errors, times, source, stop } = rig({
      sink,
      resyncIntervalMs: 1000,
      backoff: { baseMs: 100, jitter: 0 },
    });
    await runtime.advance(3000);
    expect(times('list')).to.deep.equal([0, 1100]);
    expect(errors.map(({ context }) => context.message)).to.deep.equal([
      'reflector things: resync failed; it lists from resource version 2 in 100 ms.',
    ]);
    expect(source.openWatches).to.equal(1);
    await stop();
  });
});
