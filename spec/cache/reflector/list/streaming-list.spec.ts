import { expect } from 'chai';
import type { ListwatchError } from '../../../../lib/kernel/failure/errors.ts';
import { expired, internalError, tooManyRequests } from '../../../../lib/meta/failure/failures.ts';
import type { WatchEvent } from '../../../../lib/meta/watch-event.ts';
import {
  bookmark,
  bringNext,
  event,
  rig,
  thing,
  type Rig,
  type RigOptions,
  type View,
} from '../reflector-support.ts';

const streamingRig = (options: RigOptions = {}): Rig =>
  rig({ watchList: true, backoff: { baseMs: 100, jitter: 0 }, ...options });

/** A rig whose first watch brings these batches and then stays open. */
const scripted = (batches: readonly WatchEvent<View>[][], options: RigOptions = {}): Rig =>
  streamingRig({ ...options, prepare: (source) => bringNext(source, batches) });

const codes = ({ errors }: Rig): string[] =>
  errors.map(({ error }) => (error as ListwatchError).code);

describe('Reflector with streaming lists', () => {
  it('makes one request, replaces once at the end bookmark, and watches on in the same stream', async () => {
    const { runtime, source, sink, requests, reflector, stop } = streamingRig();
    await runtime.settle();
    source.add(thing('c'));
    await runtime.settle();
    expect(sink.calls).to.deep.equal(['replace a b @2', 'ADDED c @3']);
    expect(requests()).to.deep.equal([
      'watch-list allowWatchBookmarks=true resourceVersionMatch=NotOlderThan sendInitialEvents=true',
    ]);
    expect(reflector.lastSyncResourceVersion).to.equal('3');
    await stop();
  });

  it('lists when the source says that it does not know streaming lists', async () => {
    const { runtime, requests, stop } = streamingRig({
      watchList: undefined,
      source: { supportsWatchList: false },
    });
    await runtime.settle();
    expect(requests()[0]).to.equal('list limit=500 resourceVersion=0');
    await stop();
  });

  it('takes events behind the end bookmark in its batch for changes', async () => {
    const { runtime, sink, reflector, stop } = scripted([
      [event('ADDED', 'a', '9')],
      [
        event('ADDED', 'b', '3'),
        bookmark('10', true),
        event('MODIFIED', 'a', '11'),
        bookmark('12', false),
        event('DELETED', 'b', '13'),
      ],
    ]);
    await runtime.settle();
    expect(sink.calls).to.deep.equal([
      'replace a b @10',
      'MODIFIED a @11',
      'bookmark @12',
      'DELETED b @13',
    ]);
    expect(reflector.lastSyncResourceVersion).to.equal('13');
    await stop();
  });

  it('lets objects change and vanish before the end bookmark, and takes no other bookmark for it', async () => {
    const { runtime, sink, stop } = scripted([
      [event('ADDED', 'a', '1'), event('ADDED', 'b', '2'), bookmark('2', false)],
      [event('MODIFIED', 'a', '3'), event('DELETED', 'b', '4'), event('MODIFIED', 'c', '5')],
      [bookmark('5', true)],
    ]);
    await runtime.settle();
    expect(sink.calls).to.deep.equal(['replace a c @5']);
    expect(sink.objects.get('a')?.metadata.resourceVersion).to.equal('3');
    await stop();
  });

  it('records no version while only initial objects came', async () => {
    const { runtime, sink, reflector, stop } = scripted([[event('ADDED', 'a', '7')]]);
    await runtime.settle();
    expect(reflector.lastSyncResourceVersion).to.equal('');
    expect(sink.calls).to.deep.equal([]);
    await stop();
  });

  it('hands objects without a name on, for the sink to complain about', async () => {
    const { runtime, sink, stop } = scripted([
      [event('ADDED', 'a', '1'), event('ADDED', '', '2'), bookmark('5', true)],
    ]);
    await runtime.settle();
    expect(sink.calls).to.deep.equal(['replace a  @5']);
    await stop();
  });

  it('lists when the server refuses streaming lists, and does not ask again', async () => {
    const test = streamingRig({
      prepare: (source) => {
        source.refuseWatchList = true;
      },
    });
    const { runtime, source, requests, sink, errors, stop } = test;
    await runtime.advance(2000);
    source.dropConnections(expired('old'));
    await runtime.advance(2000);
    expect(sink.calls[0]).to.equal('replace a b @2');
    expect(requests().map((request) => request.split(' ')[0])).to.deep.equal([
      'watch-list',
      'list',
      'watch',
      'list',
      'watch',
    ]);
    expect(codes(test)).to.deep.equal(['INVALID', 'EXPIRED']);
    expect(errors[0]?.context).to.include({ expected: true, next: 'list', delayMs: 0 });
    await stop();
  });

  it('lists for one round only after any other error', async () => {
    const test = streamingRig({
      prepare: (source) => source.failNext('watch-list', internalError('boom')),
    });
    const { runtime, source, requests, stop } = test;
    await runtime.advance(2000);
    source.dropConnections(expired('old'));
    await runtime.advance(2000);
    expect(requests().map((request) => request.split(' ')[0])).to.deep.equal([
      'watch-list',
      'list',
      'watch',
      'watch-list',
    ]);
    expect(requests().at(-1)).to.include('resourceVersion=2');
    await stop();
  });

  it('repeats the same request after 429, with a wait that can be stopped', async () => {
    const { runtime, times, requests, stop } = streamingRig({
      prepare: (source) => source.failNext('watch-list', tooManyRequests('busy', 0), 3),
    });
    await runtime.advance(350);
    expect(times('watch-list')).to.deep.equal([0, 100, 300]);
    expect(new Set(requests()).size).to.equal(1);
    await stop();
    expect(runtime.pending).to.equal(0);
  });

  it('asks for the most recent state at once when its version has expired', async () => {
    const { runtime, source, requests, sink, stop } = streamingRig();
    await runtime.advance(2000);
    source.failNext('watch-list', expired('too old'));
    source.dropConnections(expired('old'));
    await runtime.advance(2000);
    const versions = requests().map((request) => /resourceVersion=(\S*)/.exec(request)?.[1]);
    expect(versions).to.deep.equal([undefined, '2', undefined]);
    expect(sink.calls).to.deep.equal(['replace a b @2', 'replace a b @2']);
    await stop();
  });

  it('falls back to a list when the end bookmark does not come in time', async () => {
    const test = streamingRig({
      watchListTimeoutMs: 5000,
      prepare: (source) => {
        source.withholdInitialEventsEnd = true;
      },
    });
    const { runtime, source, sink, requests, errors, stop } = test;
    await runtime.advance(4999);
    expect(sink.calls).to.deep.equal([]);
    await runtime.advance(1);
    expect(sink.calls).to.deep.equal(['replace a b @2']);
    expect(source.openWatches).to.equal(1);
    expect(codes(test)).to.deep.equal(['WATCH_LIST_INCOMPLETE']);
    expect(errors[0]?.context.message).to.include(
      'had no end bookmark after 5000 ms; it lists from resource version 0 at once',
    );
    source.dropConnections(expired('old'));
    await runtime.advance(2000);
    expect(requests().filter((request) => request.startsWith('watch-list'))).to.have.length(1);
    await stop();
  });

  it('falls back to a list when the stream falls silent before its end bookmark', async () => {
    const test = streamingRig({
      prepare: (source) => {
        source.withholdInitialEventsEnd = true;
      },
    });
    const { runtime, source, sink, errors, stop } = test;
    await runtime.advance(9_000);
    source.bookmark();
    await runtime.advance(9_999);
    expect(sink.calls).to.deep.equal([]);
    await runtime.advance(1);
    expect(sink.calls).to.deep.equal(['replace a b @2']);
    expect(errors[0]?.context.message).to.include('no end bookmark after 10000 ms of silence');
    await stop();
  });

  it('reports a missing end bookmark while it awaits one, with the time since the last event', async () => {
    const mute = streamingRig({
      source: { objects: [] },
      prepare: (source) => {
        source.withholdInitialEventsEnd = true;
      },
    });
    await mute.runtime.advance(9_999);
    expect(codes(mute)).to.deep.equal([]);
    await mute.runtime.advance(1);
    expect(codes(mute)).to.deep.equal(['WATCH_LIST_INCOMPLETE']);
    expect(mute.errors[0]?.context.message).to.include('after 10000 ms of silence');
    await mute.stop();
  });

  it('reports no missing end bookmark once it came, nor on a watch after a list', async () => {
    for (const watchList of [true, false]) {
      const test = streamingRig({ watchList });
      for (let second = 0; second < 120; second += 5) {
        await test.runtime.advance(5_000);
        test.source.bookmark();
      }
      expect(test.reflector.state.name).to.equal('watching');
      expect(codes(test)).to.not.include('WATCH_LIST_INCOMPLETE');
      await test.stop();
    }
  });

  it('falls back to a list when the stream goes on for a minute without its end bookmark', async () => {
    const { runtime, source, sink, errors, stop } = streamingRig({
      prepare: (scripted) => {
        scripted.withholdInitialEventsEnd = true;
      },
    });
    for (let second = 5; second < 60; second += 5) {
      await runtime.advance(5_000);
      source.bookmark();
    }
    await runtime.advance(4_999);
    expect(sink.calls).to.deep.equal([]);
    await runtime.advance(1);
    expect(sink.calls).to.deep.equal(['replace a b @2']);
    expect(errors[0]?.context.message).to.include('no end bookmark after 60000 ms;');
    await stop();
  });

  it('falls back to a list after three streams that end without their bookmark, with waits between', async () => {
    const test = streamingRig({
      prepare: (source) => {
        source.withholdInitialEventsEnd = true;
      },
    });
    const { runtime, source, sink, times, stop } = test;
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await runtime.advance(1500);
      source.closeWatches();
    }
    await runtime.settle();
    expect(times('watch-list')).to.deep.equal([0, 1600, 3200]);
    expect(sink.calls).to.deep.equal(['replace a b @2']);
    expect(codes(test)).to.deep.equal(Array.from({ length: 3 }, () => 'WATCH_LIST_INCOMPLETE'));
    await stop();
  });

  it('keeps the old content while a relist streams, and replaces it in one step', async () => {
    const { runtime, source, sink, stop } = streamingRig({
      source: { latencyMs: 50, objects: [thing('a')] },
    });
    await runtime.advance(2000);
    source.dropConnections(expired('old'));
    source.delete({ name: 'a' });
    source.add(thing('b'));
    await runtime.advance(120);
    expect([...sink.objects.keys()]).to.deep.equal(['a']);
    await runtime.advance(100);
    expect(sink.calls.slice(-1)).to.deep.equal(['replace b @3']);
    await stop();
  });

  it('reopens a silent stream after the idle limit, but not while the sink is what is slow', async () => {
    let makeRoom = (): void => {};
    const test = streamingRig({ idleTimeoutMs: 10_000 });
    const { runtime, source, sink, times, stop } = test;
    await runtime.advance(9000);
    source.bookmark();
    await runtime.advance(9999);
    expect(times('watch')).to.deep.equal([]);
    await runtime.advance(1);
    expect(times('watch')).to.deep.equal([19_000]);
    expect(codes(test)).to.deep.equal(['STREAM_IDLE']);
    Object.assign(sink, {
      waitForRoom: () =>
        new Promise<void>((resolve) => {
          makeRoom = resolve;
        }),
    });
    source.add(thing('c'));
    await runtime.advance(60_000);
    expect(times('watch')).to.deep.equal([19_000]);
    makeRoom();
    await stop();
  });
});
