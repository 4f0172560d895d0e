import { expect } from 'chai';
import { SilenceProbe } from '../../../../lib/cache/reflector/watch/silence-probe.ts';
import { IdleWatchdog } from '../../../../lib/kernel/time/idle-watchdog.ts';
import { ListwatchError } from '../../../../lib/kernel/failure/errors.ts';
import { silentMetrics, type Metrics } from '../../../../lib/kernel/report/metrics.ts';
import type { Runtime, Timer } from '../../../../lib/kernel/time/runtime.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { failure } from '../../../../lib/meta/failure/api-error.ts';
import { expired, tooLargeResourceVersion } from '../../../../lib/meta/failure/failures.ts';
import {
  RecordingSink,
  RestoredSource,
  rig,
  thing,
  type Rig,
  type RigOptions,
  type Thing,
} from '../reflector-support.ts';

interface ProbedRig extends Rig {
  /** The results of the requests, in order. */
  readonly verdicts: string[];
  /** The errors' codes and when they came, seconds. */
  readonly ends: () => string[];
}

function probed(options: RigOptions = {}): ProbedRig {
  const verdicts: string[] = [];
  const metrics: Metrics = {
    ...silentMetrics,
    count: (name, _by, labels) => {
      if (name.includes('silence_probes')) verdicts.push(labels?.result ?? '');
    },
  };
  const ended: string[] = [];
  const test = rig({
    silenceProbeMs: 30_000,
    minWatchTimeoutMs: 3_000_000,
    backoff: { baseMs: 100, jitter: 0 },
    metrics,
    ...options,
    onError: (error) => {
      ended.push(`${(error as ListwatchError).code} at ${test.runtime.monotonicMs() / 1000}`);
    },
  });
  return { ...test, verdicts, ends: () => ended };
}

const refused = (): Error => new ListwatchError('CONNECTION_REFUSED', 'missing');

describe('SilenceProbe', () => {
  it('asks a quiet server whether there were changes, and keeps the watch', async () => {
    const { runtime, requests, verdicts, ends, stop } = probed();
    await runtime.advance(600_000);
    expect(verdicts).to.deep.equal(Array.from({ length: 20 }, () => 'quiet'));
    expect(new Set(requests().slice(2))).to.deep.equal(
      new Set(['list limit=1 resourceVersion=2 resourceVersionMatch=NotOlderThan']),
    );
    expect(ends()).to.deep.equal([]);
    await stop();
    expect(runtime.pending).to.equal(0);
  });

  it('costs two requests a minute beside a busy server with bookmarks, and leaves the watch alone', async () => {
    const { runtime, source, requests, verdicts, ends, stop } = probed();
    for (let second = 0; second < 600; second += 1) {
      source.skipVersions(5);
      if (second % 60 === 59) source.bookmark();
      await runtime.advance(1000);
    }
    expect(new Set(verdicts)).to.deep.equal(new Set(['quiet']));
    expect(ends()).to.deep.equal([]);
    const asked = requests().slice(2);
    expect(asked.length).to.be.within(18, 22);
    expect(asked[1]).to.match(/^watch allowWatchBookmarks=true resourceVersion=7$/);
    expect(source.requests.at(-1)?.request.timeoutSeconds).to.equal(1);
    expect(source.openWatches).to.equal(1);
    await stop();
  });

  it('asks nothing while the watch brings something', async () => {
    const { runtime, source, verdicts, stop } = probed();
    for (let second = 0; second < 300; second += 20) {
      await runtime.advance(20_000);
      source.bookmark();
    }
    expect(verdicts).to.deep.equal([]);
    await stop();
  });

  it('resumes a watch whose connection died, within 35 s of its last sign of life, without a list', async () => {
    const { runtime, source, sink, verdicts, ends, requests, stop } = probed();
    await runtime.advance(10_000);
    source.add(thing('c'));
    await runtime.advance(1000);
    source.pause();
    source.add(thing('d'));
    await runtime.advance(34_000);
    expect(verdicts).to.deep.equal(['dead']);
    expect(ends()).to.deep.equal(['STREAM_IDLE at 42']);
    expect(sink.calls).to.deep.equal(['replace a b @2', 'ADDED c @3', 'ADDED d @4']);
    expect(requests().filter((request) => request === 'list resourceVersion=3')).to.deep.equal([]);
    expect(requests().at(-1)).to.equal('watch allowWatchBookmarks=true resourceVersion=3');
    await stop();
    expect(runtime.pending).to.equal(0);
    expect(source.openWatches).to.equal(0);
  });

  it('says in words what it found', async () => {
    const messages: string[] = [];
    const { runtime, source, stop } = rig({
      silenceProbeMs: 30_000,
      onError: (_error, { message }) => messages.push(message),
    });
    await runtime.settle();
    source.pause();
    source.add(thing('c'));
    await runtime.advance(40_000);
    expect(messages).to.deep.equal([
      'reflector things: the watch of things carried nothing for 32 s, though there are changes after resource version 2: ' +
        'the connection counts as dead; it reopens the watch from resource version 2 at once.',
    ]);
    await stop();
  });

  it('leaves a watch alone that brings the change a little later than another', async () => {
    const { runtime, source, verdicts, ends, stop } = probed();
    await runtime.advance(29_000);
    source.pause();
    source.add(thing('c'));
    await runtime.advance(2900);
    source.resume();
    await runtime.advance(20_000);
    expect(verdicts).to.deep.equal(['quiet']);
    expect(ends()).to.deep.equal([]);
    await stop();
  });

  for (const watchList of [false, true]) {
    it(`follows a server that was restored from a backup, with ${watchList ? 'streaming' : 'plain'} lists`, async () => {
      const restored = new RestoredSource();
      const { runtime, sink, ends, verdicts, reflector, stop } = probed({
        listerWatcher: restored,
        watchList,
        prepare: (source) => {
          restored.current = source;
          source.skipVersions(100);
          source.add(thing('late'));
        },
      });
      await runtime.advance(5000);
      const backup = restored.restore(runtime, [thing('a')]);
      backup.latencyMs = 10;
      await runtime.advance(30_000);
      expect(verdicts).to.deep.equal(['went-back']);
      expect(ends()[0]).to.equal('GATEWAY_TIMEOUT at 30.02');
      expect(sink.calls).to.deep.equal(['replace a b late @103', 'replace a @1']);
      expect(reflector.lastSyncResourceVersion).to.equal('1');
      backup.add(thing('new'));
      await runtime.advance(1000);
      expect(sink.calls.at(-1)).to.equal('ADDED new @2');
      await stop();
    });
  }

  it('takes a server that answers with an older state for one that went back', async () => {
    const { runtime, source, verdicts, ends, stop } = probed();
    await runtime.settle();
    source.list = () => Promise.resolve({ items: [], resourceVersion: '1' });
    await runtime.advance(31_000);
    expect(verdicts).to.deep.equal(['went-back']);
    expect(ends()[0]).to.equal('RESOURCE_VERSION_WENT_BACK at 30');
    await stop();
  });

  it('does not take a replica that lags behind for a server that went back', async () => {
    const { runtime, source, requests, verdicts, ends, stop } = probed();
    await runtime.settle();
    source.failNext('list', tooLargeResourceVersion('2', '1'));
    await runtime.advance(31_000);
    expect(requests().slice(-2)).to.deep.equal([
      'list limit=1 resourceVersion=2 resourceVersionMatch=NotOlderThan',
      'list limit=1',
    ]);
    expect(verdicts).to.deep.equal(['quiet']);
    expect(ends()).to.deep.equal([]);
    await stop();
  });

  it('learns nothing from a server that cannot answer, and leaves the watch alone', async () => {
    const { runtime, source, verdicts, ends, stop } = probed();
    await runtime.settle();
    source.failNext('list', failure('ServiceUnavailable', 'not ready'), 4);
    await runtime.advance(125_000);
    source.skipVersions(1);
    source.failNext('watch', expired('too old'), 1);
    await runtime.advance(30_000);
    expect(verdicts).to.deep.equal(Array.from({ length: 5 }, () => 'inconclusive'));
    expect(ends()).to.deep.equal([]);
    await stop();
  });

  it('takes the network for dead when two questions in a row find no connection', async () => {
    const { runtime, source, times, verdicts, ends, stop } = probed();
    await runtime.settle();
    source.failNext('list', refused(), 2);
    await runtime.advance(35_000);
    expect(verdicts).to.deep.equal(['unanswered', 'unanswered']);
    expect(ends()).to.deep.equal(['STREAM_IDLE at 32']);
    expect(times('watch')).to.deep.equal([0, 32_000]);
    await stop();
  });

  it('does so within 35 s when nothing answers at all', async () => {
    const { runtime, source, ends, stop } = probed();
    await runtime.settle();
    source.hangNext('list', 2);
    await runtime.advance(60_000);
    expect(ends()).to.deep.equal(['STREAM_IDLE at 34.5']);
    await stop();
    expect(runtime.pending).to.equal(0);
  });

  it('accepts an event during a probe as a sign of life, and begins to count again', async () => {
    const { runtime, source, verdicts, ends, stop } = probed();
    await runtime.settle();
    source.hangNext('list', 2);
    await runtime.advance(34_000);
    source.add(thing('c'));
    await runtime.advance(20_000);
    expect(verdicts).to.deep.equal(['unanswered']);
    source.hangNext('list');
    await runtime.advance(15_000);
    expect(verdicts, 'a second question was answered').to.deep.equal(['unanswered', 'quiet']);
    expect(ends()).to.deep.equal([]);
    await stop();
  });

  it('gives a short watch up that is never answered', async () => {
    const { runtime, source, verdicts, stop } = probed();
    await runtime.settle();
    source.skipVersions(1);
    source.hangNext('watch');
    await runtime.advance(34_499);
    expect(verdicts).to.deep.equal([]);
    await runtime.advance(1);
    expect(verdicts).to.deep.equal(['unanswered']);
    await stop();
    expect(runtime.pending).to.equal(0);
  });

  it('leaves the watch alone after one question without an answer between others', async () => {
    const { runtime, source, verdicts, ends, stop } = probed();
    await runtime.settle();
    for (let round = 0; round < 3; round += 1) {
      source.failNext('list', refused());
      await runtime.advance(35_000);
    }
    expect(verdicts).to.deep.equal(Array.from({ length: 3 }, () => ['unanswered', 'quiet']).flat());
    expect(ends()).to.deep.equal([]);
    await stop();
  });

  it('is not asked again while a question is open, and ends with the watch', async () => {
    const { runtime, source, requests, verdicts, stop } = probed();
    await runtime.settle();
    source.hangNext('list', 2);
    await runtime.advance(31_999);
    expect(requests()).to.have.length(3);
    await runtime.advance(2000);
    expect(requests(), 'one beside it').to.have.length(4);
    source.closeWatches();
    await runtime.advance(29_000);
    expect(requests().at(-1), 'the next silence has begun').to.match(/^watch/);
    expect(verdicts).to.deep.equal([]);
    await stop();
    expect(runtime.pending).to.equal(0);
  });

  it('leaves no timer behind', () => {
    const armed = new Set<() => void>();
    const runtime = new VirtualRuntime();
    const counting = Object.assign(Object.create(runtime) as Runtime, {
      monotonicMs: () => 0,
      setTimer: (_delayMs: number, callback: () => void): Timer => {
        armed.add(callback);
        return { cancel: () => armed.delete(callback) };
      },
    });
    const idle = new IdleWatchdog(counting);
    idle.expect();
    const probe = new SilenceProbe({
      runtime: counting,
      listerWatcher: new RestoredSource(),
      metrics: silentMetrics,
      name: 'things',
      silenceProbeMs: 30_000,
      reader: { idle, interrupt: () => {} },
      resourceVersion: () => '1',
    });
    expect(armed.size).to.equal(1);
    probe.close();
    expect(armed.size).to.equal(0);
  });

  it('does not take a full sink for a silent server', async () => {
    let makeRoom = (): void => {};
    const sink = new RecordingSink();
    const { runtime, source, verdicts, stop } = probed({ sink });
    await runtime.settle();
    Object.assign(sink, {
      waitForRoom: () =>
        new Promise<void>((resolve) => {
          makeRoom = resolve;
        }),
    });
    source.add(thing('c'));
    await runtime.advance(300_000);
    expect(verdicts).to.deep.equal([]);
    makeRoom();
    await stop();
  });

  it('has nothing to ask before the first state is complete, or without versions', async () => {
    const { runtime, source, verdicts, stop } = probed({
      watchList: true,
      watchListTimeoutMs: 200_000,
      prepare: (scripted) => {
        scripted.withholdInitialEventsEnd = true;
      },
    });
    const trickle = async (): Promise<void> => {
      for (let passedMs = 0; passedMs < 150_000; passedMs += 5_000) {
        source.bookmark();
        await runtime.advance(5_000);
      }
    };
    await trickle();
    expect(verdicts).to.deep.equal([]);
    source.withholdInitialEventsEnd = false;
    source.closeWatches();
    await runtime.advance(60_000);
    const asked = verdicts.length;
    source.withholdInitialEventsEnd = true;
    source.dropConnections(expired('too old'));
    await trickle();
    expect(verdicts.length, 'nor before it is complete again').to.equal(asked);
    expect(source.openWatches).to.equal(1);
    await stop();
    const empty = probed({ source: { objects: [] as Thing[] } });
    await empty.runtime.advance(150_000);
    expect(empty.verdicts).to.deep.equal([]);
    await empty.stop();
  });

  it('is off unless asked for', async () => {
    const { runtime, requests, stop } = rig({ minWatchTimeoutMs: 3_000_000 });
    await runtime.advance(600_000);
    expect(requests()).to.have.length(2);
    await stop();
  });
});
