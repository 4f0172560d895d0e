import { expect } from 'chai';
import type { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { silentMetrics } from '../../../lib/kernel/report/metrics.ts';
import { failure } from '../../../lib/meta/failure/api-error.ts';
import { expired, internalError } from '../../../lib/meta/failure/failures.ts';
import {
  bookmark,
  bringNext,
  event,
  RestoredSource,
  rig,
  thing,
  type Rig,
  type RigOptions,
} from './reflector-support.ts';

const codes = ({ errors }: Rig): string[] =>
  errors.map(({ error }) => (error as ListwatchError).code);

describe('Reflector of a server that repeats itself', () => {
  it('drops events that came before, counts them, and says so once a stream', async () => {
    const counted: [string, number][] = [];
    const test = rig({
      metrics: {
        ...silentMetrics,
        count: (name, by = 1) => {
          if (name.includes('stale')) counted.push([name, by]);
        },
      },
      prepare: (source) => {
        bringNext(source, [
          [event('MODIFIED', 'a', '3'), event('ADDED', 'c', '4')],
          [event('MODIFIED', 'a', '3'), event('ADDED', 'c', '4'), event('DELETED', 'b', '5')],
          [event('MODIFIED', 'a', '2'), event('MODIFIED', 'c', '6')],
        ]);
      },
    });
    await test.runtime.settle();
    expect(test.sink.calls).to.deep.equal([
      'replace a b @2',
      'MODIFIED a @3',
      'ADDED c @4',
      'DELETED b @5',
      'MODIFIED c @6',
    ]);
    expect(test.reflector.lastSyncResourceVersion).to.equal('6');
    expect(counted).to.deep.equal([
      ['listwatch_reflector_stale_events_total', 2],
      ['listwatch_reflector_stale_events_total', 1],
    ]);
    expect(test.reflector.staleEvents).to.equal(3);
    expect(codes(test)).to.deep.equal(['STALE_EVENT']);
    expect(test.errors[0]?.context).to.include({
      during: 'watching',
      next: 'continue',
      delayMs: 0,
      expected: true,
    });
    expect(test.errors[0]?.context.message).to.equal(
      'reflector things: the watch of things sent events that are not newer than resource version 5, which it had reached; ' +
        'it drops such events and reads on.',
    );
    await test.stop();
  });

  it('drops what a reopened watch sends of the time before', async () => {
    const { runtime, source, sink, stop } = rig();
    await runtime.advance(2000);
    source.add(thing('c'));
    await runtime.settle();
    bringNext(source, [
      [event('ADDED', 'a', '1'), event('ADDED', 'c', '3'), event('ADDED', 'd', '4')],
    ]);
    source.closeWatches();
    await runtime.settle();
    expect(sink.calls).to.deep.equal(['replace a b @2', 'ADDED c @3', 'ADDED d @4']);
    await stop();
  });

  it('drops what comes behind the end of a streaming list and is part of it', async () => {
    const { runtime, sink, stop } = rig({
      watchList: true,
      prepare: (source) => {
        bringNext(source, [
          [event('ADDED', 'a', '9'), bookmark('10', true), event('ADDED', 'a', '9')],
          [event('MODIFIED', 'a', '10'), event('MODIFIED', 'a', '11')],
        ]);
      },
    });
    await runtime.settle();
    expect(sink.calls).to.deep.equal(['replace a @10', 'MODIFIED a @11']);
    await stop();
  });

  it('lists again at a bookmark that goes back, after what came before it', async () => {
    const test = rig({
      backoff: { baseMs: 100, jitter: 0 },
      prepare: (source) => {
        source.skipVersions(10);
        bringNext(source, [
          [event('MODIFIED', 'a', '15'), bookmark('14'), event('MODIFIED', 'a', '16')],
        ]);
      },
    });
    const { runtime, sink, requests, source, reflector, stop } = test;
    await runtime.settle();
    expect(sink.calls).to.deep.equal(['replace a b @12', 'MODIFIED a @15']);
    expect(codes(test)).to.deep.equal(['RESOURCE_VERSION_WENT_BACK']);
    expect(reflector.lastSyncResourceVersion).to.equal('15');
    source.skipVersions(10);
    await runtime.advance(100);
    expect(requests()[1]).to.equal('list resourceVersion=15');
    expect(sink.calls.at(-1)).to.equal('replace a b @22');
    await stop();
  });
});

describe('Reflector of a server that was restored from a backup', () => {
  const restoredRig = async (options: RigOptions): Promise<[Rig, RestoredSource]> => {
    const restored = new RestoredSource();
    const test = rig({
      listerWatcher: restored,
      backoff: { baseMs: 100, jitter: 0 },
      ...options,
      prepare: (source) => {
        restored.current = source;
        source.skipVersions(100);
        source.add(thing('late'));
      },
    });
    await test.runtime.advance(2000);
    return [test, restored];
  };

  for (const watchList of [false, true]) {
    const kind = watchList ? 'streaming' : 'plain';
    it(`accepts its older state once the version it saw was refused, with ${kind} lists`, async () => {
      const [test, restored] = await restoredRig({ watchList });
      const { runtime, source, sink, reflector, stop } = test;
      restored.restore(runtime, [thing('a')]);
      source.dropConnections(expired('the server starts'));
      await runtime.advance(1000);
      expect(sink.calls).to.deep.equal(['replace a b late @103', 'replace a @1']);
      expect(reflector.lastSyncResourceVersion).to.equal('1');
      expect(codes(test)).to.deep.equal(['EXPIRED', 'GATEWAY_TIMEOUT']);
      await stop();
    });
  }

  it('asks for its most recent state when it lists an older one without a word, and then accepts that', async () => {
    const [test, restored] = await restoredRig({});
    const { runtime, source, sink, requests, transitions, stop } = test;
    const backup = restored.restore(runtime, [thing('a')]);
    const list = backup.list.bind(backup);
    const asked: (string | undefined)[] = [];
    backup.list = ({ resourceVersion, ...request }) => {
      asked.push(resourceVersion);
      return list(request);
    };
    source.dropConnections(expired('the server starts'));
    await runtime.advance(1000);
    expect(asked).to.deep.equal(['103', undefined]);
    expect(sink.calls).to.deep.equal(['replace a b late @103', 'replace a @1']);
    expect(codes(test)).to.deep.equal(['EXPIRED', 'RESOURCE_VERSION_WENT_BACK']);
    expect(transitions.at(-1)?.reason).to.equal('listed, back from 103');
    expect(requests()).to.have.length(2);
    await stop();
  });

  it('does the same with the end of a streaming list, in a new stream', async () => {
    const [test, restored] = await restoredRig({ watchList: true });
    const { runtime, source, sink, stop } = test;
    const backup = restored.restore(runtime, [thing('a')]);
    bringNext(backup, [[event('ADDED', 'a', '1'), bookmark('1', true), event('ADDED', 'b', '2')]]);
    source.dropConnections(expired('the server starts'));
    await runtime.advance(1000);
    expect(sink.calls).to.deep.equal(['replace a b late @103', 'replace a @1']);
    expect(codes(test)).to.deep.equal(['EXPIRED', 'RESOURCE_VERSION_WENT_BACK']);
    expect(backup.openWatches).to.equal(1);
    await stop();
  });
});

describe('Reflector of a server that fails', () => {
  it('gives it the time it is allowed before it lists again, with waits between', async () => {
    const { runtime, source, times, stop } = rig({
      internalErrorRetryMs: 5000,
      backoff: { baseMs: 1000, factor: 1, jitter: 0 },
      prepare: (scripted) => scripted.failNext('watch', internalError('boom'), 7),
    });
    await runtime.advance(6999);
    expect(times('watch')).to.deep.equal([0, 1000, 2000, 3000, 4000, 5000, 6000]);
    expect(times('list')).to.deep.equal([0]);
    await runtime.advance(60_000);
    expect(times('list')).to.deep.equal([0, 7000]);
    source.dropConnections(internalError('boom'));
    await runtime.advance(1000);
    expect(times('list'), 'a new time begins').to.deep.equal([0, 7000]);
    await stop();
  });

  it('reopens the watch when a server that is not ready says it will be, and does not list', async () => {
    const { runtime, source, times, stop } = rig();
    await runtime.advance(2000);
    const notReady = failure('ServiceUnavailable', 'starting', {
      details: { retryAfterSeconds: 10 },
    });
    source.failNext('watch', notReady, 6);
    source.dropConnections(notReady);
    await runtime.advance(200_000);
    const [, second = 0, third = 0] = times('watch');
    expect(second).to.equal(12_000);
    expect(third - second).to.be.at.least(10_000);
    expect(times('watch')).to.have.length(8);
    expect(times('list')).to.deep.equal([0]);
    await stop();
  });

  it('lists after three attempts at a watch that a server without a word cannot serve', async () => {
    const { runtime, source, times, stop } = rig({
      backoff: { baseMs: 100, factor: 1, jitter: 0 },
    });
    await runtime.advance(2000);
    source.failNext('watch', failure('Timeout', 'slow'), 4);
    source.closeWatches();
    await runtime.advance(1000);
    expect(times('watch')).to.deep.equal([0, 2000, 2100, 2200, 2300, 2400]);
    expect(times('list')).to.deep.equal([0, 2400]);
    await stop();
  });
});
