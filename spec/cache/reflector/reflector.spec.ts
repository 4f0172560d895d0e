import { expect } from 'chai';
import { Reflector } from '../../../lib/cache/reflector/reflector.ts';
import type { WatchStream } from '../../../lib/cache/reflector/contract/lister-watcher.ts';
import { isListwatchError, ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { deferred } from '../../../lib/kernel/time/latch.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { failure } from '../../../lib/meta/failure/api-error.ts';
import {
  expired,
  forbidden,
  tooLargeResourceVersion,
  tooManyRequests,
} from '../../../lib/meta/failure/failures.ts';
import { DecodedView } from '../../../lib/meta/object-view.ts';
import type { WatchEvent } from '../../../lib/meta/watch-event.ts';
import { ScriptedListerWatcher } from '../../../lib/testing/scripted-lister-watcher.ts';
import { RecordingSink, rig, thing, type Thing, type View } from './reflector-support.ts';
import { lineLogger } from '../../support/line-logger.ts';

const refused = (): Error => {
  const cause = new AggregateError([Object.assign(new Error('no'), { code: 'ECONNREFUSED' })]);
  return new Error('fetch failed', { cause });
};

describe('Reflector', () => {
  describe('listing and watching', () => {
    it('lists any state first, watches from there, and hands every change over in order', async () => {
      const { runtime, source, sink, requests, reflector, stop } = rig();
      await runtime.settle();
      source.add(thing('c'));
      source.modify(thing('a', 'new'));
      source.delete({ name: 'b' });
      await runtime.settle();
      source.skipVersions(4);
      source.bookmark();
      await runtime.settle();
      expect(sink.calls).to.deep.equal([
        'replace a b @2',
        'ADDED c @3',
        'MODIFIED a @4',
        'DELETED b @5',
        'bookmark @9',
      ]);
      expect(reflector.lastSyncResourceVersion).to.equal('9');
      expect(requests()).to.deep.equal([
        'list limit=500 resourceVersion=0',
        'watch allowWatchBookmarks=true resourceVersion=2',
      ]);
      await stop();
      expect(source.openWatches).to.equal(0);
      expect(runtime.pending).to.equal(0);
    });

    it('reads a list in pages and hands it over at once, as of its first page', async () => {
      const { runtime, source, sink, requests, stop } = rig({
        pageSize: 2,
        source: { objects: ['a', 'b', 'c', 'd', 'e'].map((name) => thing(name)), latencyMs: 10 },
      });
      await runtime.advance(15);
      source.add(thing('f'));
      await runtime.advance(100);
      expect(sink.calls).to.deep.equal(['replace a b c d e @5', 'ADDED f @6']);
      expect(requests().slice(0, 3)).to.deep.equal([
        'list limit=2 resourceVersion=0',
        'page continueToken=["5","b"] limit=2',
        'page continueToken=["5","d"] limit=2',
      ]);
      await stop();
    });

    it('takes the list in one piece when a page expires', async () => {
      const { runtime, sink, requests, errors, stop } = rig({
        pageSize: 1,
        prepare: (source) => source.failNext('page', expired('too old')),
      });
      await runtime.settle();
      expect(sink.calls).to.deep.equal(['replace a b @2']);
      expect(requests().slice(0, 3)).to.deep.equal([
        'list limit=1 resourceVersion=0',
        'page continueToken=["2","a"] limit=1',
        'list resourceVersion=0',
      ]);
      expect(errors.map(({ context }) => context.expected)).to.deep.equal([true]);
      await stop();
    });

    it('never lists behind what it saw, and asks for the most recent state when that is refused', async () => {
      const { runtime, source, requests, stop } = rig({ backoff: { baseMs: 100, jitter: 0 } });
      await runtime.settle();
      source.add(thing('c'));
      source.failNext('list', expired('too old'));
      source.dropConnections(expired('too old'));
      await runtime.advance(2000);
      source.failNext('list', tooLargeResourceVersion('3', '2'), 2);
      source.dropConnections(expired('too old'));
      await runtime.advance(8000);
      expect(requests().filter((request) => request.startsWith('list'))).to.deep.equal([
        'list limit=500 resourceVersion=0',
        'list resourceVersion=3',
        'list',
        'list resourceVersion=3',
        'list',
        'list limit=500',
      ]);
      await stop();
    });

    it('draws a new watch timeout for every request, from one to two times the least', async () => {
      const { runtime, source, stop } = rig({ minWatchTimeoutMs: 10_000 });
      await runtime.advance(600_000);
      const asked = source.requests
        .filter(({ kind }) => kind === 'watch')
        .map(({ request }) => request.timeoutSeconds as number);
      expect(asked.length).to.be.at.least(30);
      for (const seconds of asked) expect(seconds).to.be.within(10, 19);
      expect(new Set(asked).size).to.be.at.least(5);
      await stop();
    });

    it('reopens a watch that the server ended, at once and without a list', async () => {
      const { runtime, source, times, transitions, stop } = rig();
      await runtime.advance(5000);
      source.closeWatches();
      await runtime.settle();
      expect(times('list')).to.deep.equal([0]);
      expect(times('watch')).to.deep.equal([0, 5000]);
      expect(transitions.at(-1)).to.include({ from: 'watching', to: 'watching', events: 0 });
      await stop();
    });

    it('says what it did, with counts and durations', async () => {
      const { runtime, transitions, stop } = rig({
        source: { latencyMs: 10, objects: [thing('a')] },
      });
      await runtime.advance(100);
      expect(transitions).to.deep.equal([
        {
          name: 'things',
          from: 'idle',
          to: 'listing',
          reason: 'started',
          resourceVersion: '',
          durationMs: 0,
          items: undefined,
          events: undefined,
          delayMs: undefined,
        },
        {
          name: 'things',
          from: 'listing',
          to: 'watching',
          reason: 'listed',
          resourceVersion: '1',
          durationMs: 10,
          items: 1,
          events: undefined,
          delayMs: undefined,
        },
      ]);
      await stop();
    });
  });

  describe('failures', () => {
    it('backs off exponentially from a server that refuses connections, and says so', async () => {
      const { runtime, times, errors, stop } = rig({
        backoff: { baseMs: 100, capMs: 1000, jitter: 0 },
        prepare: (source) => source.failNext('list', refused(), 6),
      });
      await runtime.advance(10_000);
      expect(times('list')).to.deep.equal([0, 100, 300, 700, 1500, 2500, 3500]);
      expect(errors).to.have.length(6);
      expect(errors[0]?.context).to.include({ during: 'listing', next: 'list', delayMs: 100 });
      expect(errors[0]?.context.message).to.match(
        /^reflector things: fetch failed: no; nothing listens there: [^;]+; it lists from resource version 0 in 100 ms\.$/,
      );
      await stop();
    });

    it('stays backed off through a long outage and starts small again after a quiet time', async () => {
      const { runtime, source, times, stop } = rig({
        backoff: { jitter: 0 },
        prepare: (scripted) => scripted.failNext('list', refused(), 20),
      });
      await runtime.advance(500_000);
      const listed = times('list');
      const gaps = listed.slice(1).map((time, index) => time - (listed[index] as number));
      expect(gaps.slice(0, 6)).to.deep.equal([800, 1600, 3200, 6400, 12_800, 25_600]);
      expect(new Set(gaps.slice(6))).to.deep.equal(new Set([30_000]));
      await runtime.advance(200_000);
      source.dropConnections(expired('gone'));
      const before = runtime.monotonicMs();
      await runtime.advance(1000);
      expect(times('list').at(-1)).to.equal(before + 800);
      await stop();
    });

    it('reopens the watch after 429 and refused connections without a single further list', async () => {
      const { runtime, source, times, reflector, stop } = rig();
      await runtime.settle();
      source.add(thing('c'));
      await runtime.advance(2000);
      source.failNext('watch', tooManyRequests('busy', 5));
      source.failNext('watch', refused());
      source.failNext('watch', tooManyRequests('busy', 0));
      source.closeWatches();
      await runtime.advance(4999);
      expect(times('watch'), 'Retry-After is kept').to.deep.equal([0, 2000]);
      await runtime.advance(60_000);
      expect(times('list')).to.deep.equal([0]);
      expect(times('watch')).to.have.length(5);
      expect(reflector.lastSyncResourceVersion).to.equal('3');
      await stop();
    });

    it('caps what a server may ask it to wait', async () => {
      const { runtime, times, stop } = rig({
        prepare: (source) => source.failNext('list', tooManyRequests('go away', 1_000_000_000)),
      });
      await runtime.advance(299_999);
      expect(times('list')).to.have.length(1);
      await runtime.advance(1);
      expect(times('list')).to.have.length(2);
      await stop();
    });

    it('lists again after an expired watch, and every missed change is in the list', async () => {
      const { runtime, source, sink, errors, stop } = rig();
      await runtime.advance(2000);
      source.pause();
      source.delete({ name: 'a' });
      source.add(thing('c'));
      source.compact();
      source.closeWatches();
      source.resume();
      await runtime.advance(3000);
      expect(sink.calls).to.deep.equal(['replace a b @2', 'replace b c @4']);
      expect(errors[0]?.context).to.include({ during: 'watching', next: 'list', expected: true });
      expect(isListwatchError(errors[0]?.error, 'EXPIRED')).to.equal(true);
      await stop();
    });

    it('asks for the watch again, after waits that grow, when watches end at once and empty', async () => {
      const { runtime, source, times, errors, stop } = rig({ backoff: { baseMs: 400, jitter: 0 } });
      await runtime.settle();
      for (let round = 0; round < 3; round += 1) {
        source.closeWatches();
        await runtime.advance(100 * 2 ** round);
      }
      expect(times('watch')).to.deep.equal([0, 100, 300, 700]);
      expect(times('list')).to.deep.equal([0]);
      expect(errors.map(({ error }) => (error as ListwatchError).code)).to.deep.equal(
        Array.from({ length: 3 }, () => 'VERY_SHORT_WATCH'),
      );
      await stop();
    });

    it('reports an error in the stream, with what happens next', async () => {
      const { runtime, source, errors, stop } = rig();
      await runtime.advance(2000);
      source.dropConnections(failure('StorageReadError', 'cannot decode b'));
      await runtime.settle();
      expect(errors).to.have.length(1);
      expect(errors[0]?.context).to.include({ during: 'watching', next: 'list', expected: false });
      expect(errors[0]?.context.message).to.match(
        /cannot decode b; it lists from resource version 2 in \d+ ms\.$/,
      );
      await stop();
    });

    it('gives a forbidden user the rule that is missing', async () => {
      const reason =
        'User "eve" cannot list resource "things" in API group "" at the cluster scope';
      const { runtime, errors, stop } = rig({
        prepare: (source) =>
          source.failNext('list', forbidden({ group: '', resource: 'things' }, '', reason)),
      });
      await runtime.settle();
      expect(errors[0]?.context.message).to.match(
        /; add {apiGroups: \[""\], resources: \["things"\], verbs: \["list","watch"\]} to a ClusterRole; it lists/,
      );
      await stop();
    });

    it('abandons a list that is never answered', async () => {
      const { runtime, times, errors, stop } = rig({
        listTimeoutMs: 5000,
        prepare: (source) => source.hangNext('list'),
      });
      await runtime.advance(8000);
      expect(times('list')).to.have.length(2);
      expect(errors[0]?.context.message).to.include(
        'gave up after 5000 ms waiting for a page of the list of things',
      );
      await stop();
    });

    it('abandons a watch that is never answered, after its timeout', async () => {
      const { runtime, times, stop } = rig({
        minWatchTimeoutMs: 1000,
        prepare: (source) => source.hangNext('watch'),
      });
      await runtime.advance(30_000);
      expect(times('list')).to.deep.equal([0]);
      expect(times('watch').length).to.be.at.least(2);
      await stop();
    });

    it('refuses a list that goes round in a circle', async () => {
      const { runtime, errors, stop } = rig({
        prepare: (source) => {
          source.list = (): ReturnType<typeof source.list> =>
            Promise.resolve({ items: [], resourceVersion: '1', continueToken: 'again' });
        },
      });
      await runtime.settle();
      // The first page is taken for one, the second names itself.
      expect((errors[0]?.error as ListwatchError | undefined)?.code).to.equal('MALFORMED_RESPONSE');
      await stop();
    });

    it('refuses Table objects in a list and in a watch', async () => {
      const { runtime, source, sink, errors, stop } = rig();
      await runtime.settle();
      const table = new DecodedView({
        apiVersion: 'meta.k8s.io/v1',
        kind: 'Table',
        metadata: {},
      } as unknown as Thing);
      source.watch = async (): Promise<WatchStream<View>> => {
        await Promise.resolve();
        return (async function* (): AsyncGenerator<WatchEvent<View>[]> {
          yield [{ type: 'ADDED', object: table }];
        })();
      };
      source.closeWatches();
      await runtime.advance(2000);
      Reflect.deleteProperty(source, 'watch');
      source.list = () => Promise.resolve({ items: [table], resourceVersion: '9' });
      await runtime.advance(20_000);
      const codes = errors.map(({ error }) => (error as ListwatchError).code);
      expect(codes.slice(0, 3)).to.deep.equal(['VERY_SHORT_WATCH', 'TABLE_OBJECT', 'TABLE_OBJECT']);
      expect(sink.calls).to.deep.equal(['replace a b @2', 'replace a b @2']);
      await stop();
    });

    it('survives hooks that throw', async () => {
      const logged: string[] = [];
      const { runtime, sink, stop } = rig({
        prepare: (source) => source.failNext('list', new Error('once')),
        logger: lineLogger((line) => logged.push(line), ['error']),
        onError: () => {
          throw new Error('bad hook');
        },
        onTransition: () => {
          throw new Error('bad hook');
        },
      });
      await runtime.advance(2000);
      expect(sink.calls).to.deep.equal(['replace a b @2']);
      expect(logged).to.include('hook threw: bad hook (hook=onError reflector=things)');
      expect(logged).to.include('hook threw: bad hook (hook=onTransition reflector=things)');
      await stop();
    });
  });
});

describe('Reflector from start to stop', () => {
  it('makes no request when it is stopped before it starts', async () => {
    const runtime = new VirtualRuntime();
    const source = new ScriptedListerWatcher<Thing>({ runtime });
    const reflector = new Reflector({ listerWatcher: source, sink: new RecordingSink(), runtime });
    await runtime.run(reflector.run({ signal: AbortSignal.abort() }));
    expect(source.requests).to.deep.equal([]);
    expect(reflector.state.name).to.equal('stopped');
  });

  for (const [where, prepare] of Object.entries({
    'a list': (source: ScriptedListerWatcher<Thing>): void => source.hangNext('list'),
    'the opening of a watch': (source: ScriptedListerWatcher<Thing>): void =>
      source.hangNext('watch'),
    'a silent watch': (): void => {},
    'a wait': (source: ScriptedListerWatcher<Thing>): void =>
      source.failNext('list', new Error('no')),
  })) {
    it(`stops at once in ${where} and leaves nothing behind`, async () => {
      const { runtime, source, errors, transitions, stop } = rig({ prepare });
      await runtime.settle();
      const notified = errors.length;
      const before = runtime.monotonicMs();
      await stop();
      expect(runtime.monotonicMs()).to.equal(before);
      expect(runtime.pending).to.equal(0);
      expect(source.openWatches).to.equal(0);
      expect(errors.length, 'an abort is no error').to.equal(notified);
      expect(transitions.at(-1)).to.include({ to: 'stopped', reason: 'aborted' });
    });
  }

  it('stops even when the source ignores its signal, and ends the stream that comes too late', async () => {
    const runtime = new VirtualRuntime();
    let ended = 0;
    const late: WatchStream<View> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise<never>(() => {}),
        return: () => {
          ended += 1;
          return Promise.resolve({ done: true, value: undefined });
        },
      }),
    };
    const answer = deferred<WatchStream<View>>();
    const source = new ScriptedListerWatcher<Thing>({ runtime });
    source.watch = () => answer.promise;
    const stopper = new AbortController();
    const reflector = new Reflector<View>({
      listerWatcher: source,
      sink: new RecordingSink(),
      runtime,
    });
    const done = reflector.run({ signal: stopper.signal });
    await runtime.settle();
    stopper.abort();
    await runtime.run(done);
    answer.resolve(late);
    await runtime.settle();
    expect(ended).to.equal(1);
  });

  it('continues where it stopped when it runs again, but not twice at a time', async () => {
    const { runtime, source, reflector, requests, stop } = rig();
    await runtime.settle();
    let refusal: unknown;
    await reflector.run({ signal: new AbortController().signal }).catch((error: unknown) => {
      refusal = error;
    });
    expect(isListwatchError(refusal, 'ALREADY_STARTED')).to.equal(true);
    await stop();
    const stopper = new AbortController();
    const done = reflector.run({ signal: stopper.signal });
    await runtime.settle();
    expect(requests().at(-2)).to.equal('list resourceVersion=2');
    expect(source.openWatches).to.equal(1);
    stopper.abort();
    await runtime.run(done);
  });

  it('does not count the time before it runs', async () => {
    const { runtime, reflector, transitions, stop } = rig();
    await runtime.settle();
    await stop();
    await runtime.advance(5000);
    const stopper = new AbortController();
    const done = reflector.run({ signal: stopper.signal });
    await runtime.settle();
    const started = transitions.findLast(({ from }) => from === 'stopped');
    expect(started).to.include({ to: 'listing', durationMs: 0 });
    stopper.abort();
    await runtime.run(done);
  });

  it('takes a wrong option for what it is', () => {
    const runtime = new VirtualRuntime();
    const listerWatcher = new ScriptedListerWatcher<Thing>({ runtime });
    const make =
      (options: object): (() => unknown) =>
      () =>
        new Reflector({ listerWatcher, sink: new RecordingSink(), ...options });
    expect(make({ pagesize: 4 })).to.throw(ListwatchError, 'unknown option "pagesize"');
    expect(make({ pageSize: -1 })).to.throw(ListwatchError, '"pageSize"');
    expect(make({ pageSize: 1.5 })).to.throw(ListwatchError, '"pageSize"');
    expect(make({ minWatchTimeoutMs: 999 })).to.throw(ListwatchError, '"minWatchTimeoutMs"');
    expect(make({ idleTimeoutMs: 0 })).to.throw(ListwatchError, '"idleTimeoutMs"');
    expect(make({ backoff: { baseMs: 0 } })).to.throw(ListwatchError, '"backoff.baseMs"');
    expect(make({ sink: null })).to.throw(ListwatchError, '"sink"');
    expect(make({ listerWatcher: undefined })).to.throw(ListwatchError, '"listerWatcher"');
  });
});
