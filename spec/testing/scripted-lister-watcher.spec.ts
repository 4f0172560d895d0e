import { expect } from 'chai';
import { VirtualRuntime } from '../../lib/kernel/time/virtual-runtime.ts';
import { isListwatchError, ListwatchError } from '../../lib/kernel/failure/errors.ts';
import type {
  ListRequest,
  WatchRequest,
} from '../../lib/cache/reflector/contract/lister-watcher.ts';
import { ScriptedListerWatcher } from '../../lib/testing/scripted-lister-watcher.ts';
import type { ScriptedListerWatcherOptions } from '../../lib/testing/scripted-lister-watcher.ts';
import type { KubernetesObject, ObjectMeta } from '../../lib/meta/object.ts';

const named = (name: string, namespace?: string): KubernetesObject => ({
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
});

class Rig {
  readonly runtime = new VirtualRuntime();
  readonly source: ScriptedListerWatcher;

  constructor(options: ScriptedListerWatcherOptions = {}) {
    const objects = ['a', 'b', 'c'].map((name) => named(name));
    this.source = new ScriptedListerWatcher({ runtime: this.runtime, objects, ...options });
  }

  async codeOf(work: Promise<unknown>): Promise<string> {
    try {
      await this.runtime.run(work);
      return 'none';
    } catch (error) {
      return isListwatchError(error) ? error.code : String(error);
    }
  }

  async names(request: ListRequest): Promise<string> {
    const { items, resourceVersion } = await this.source.list(request);
    return `${items.map(({ metadata }) => metadata.name).join(' ')} @${resourceVersion}`;
  }

  /** Writes down what a watch brings, one line an event, until it ends. */
  follow(request: WatchRequest): { readonly lines: string[]; readonly end: Promise<unknown> } {
    const lines: string[] = [];
    const end = (async (): Promise<unknown> => {
      try {
        for await (const batch of await this.source.watch(request)) {
          for (const event of batch) {
            if (event.type === 'BOOKMARK') {
              lines.push(
                `BOOKMARK${event.initialEventsEnd ? ' end' : ''} @${event.resourceVersion}`,
              );
            } else {
              const { name, resourceVersion } = event.object.metadata;
              lines.push(`${event.type} ${name} @${resourceVersion}`);
            }
          }
        }
        return 'ended';
      } catch (error) {
        return isListwatchError(error) ? error.code : error;
      }
    })();
    return { lines, end };
  }
}

const STREAMING: WatchRequest = {
  sendInitialEvents: true,
  resourceVersionMatch: 'NotOlderThan',
  allowWatchBookmarks: true,
};

describe('ScriptedListerWatcher', () => {
  describe('as a collection', () => {
    it('gives every write the next version and keeps the uid of an object', () => {
      const { source } = new Rig({ startResourceVersion: '9007199254740993' });
      expect(source.resourceVersion).to.equal('9007199254740996');
      const { uid } = source.objects[0]?.metadata ?? {};
      const modified = source.modify(named('a'));
      expect(modified.metadata).to.deep.equal({
        name: 'a',
        uid,
        resourceVersion: '9007199254740997',
      });
      expect(source.delete({ name: 'a' }).metadata?.resourceVersion).to.equal('9007199254740998');
      expect(source.add(named('a')).metadata?.uid).to.not.equal(uid);
    });

    it('refuses what contradicts the present state', () => {
      const { source } = new Rig();
      expect(() => source.add(named('a')))
        .to.throw(ListwatchError)
        .with.property('code', 'ALREADY_EXISTS');
      expect(() => source.modify(named('x')))
        .to.throw(ListwatchError)
        .with.property('code', 'NOT_FOUND');
      expect(() => source.delete({ name: 'x' }))
        .to.throw(ListwatchError)
        .with.property('code', 'NOT_FOUND');
      expect(() => source.add({ metadata: {} }))
        .to.throw(ListwatchError)
        .with.property('code', 'KEY');
      expect(source.resourceVersion).to.equal('3');
    });

    it('takes a wrong option for what it is', () => {
      const make = (options: object) => (): unknown => new ScriptedListerWatcher(options);
      expect(make({ latency: 3 })).to.throw('unknown option "latency"');
      expect(make({ latencyMs: -1 })).to.throw('"latencyMs"');
      expect(make({ startResourceVersion: 'x' })).to.throw('not a resource version');
    });
  });

  describe('list', () => {
    it('answers in the order of the keys, at every version', async () => {
      const rig = new Rig({ objects: [named('b', 'n'), named('a', 'z'), named('c', 'n')] });
      expect(await rig.names({})).to.equal('b c a @3');
      expect(await rig.names({ resourceVersion: '0' })).to.equal('b c a @3');
      expect(await rig.names({ resourceVersion: '2' })).to.equal('b c a @3');
    });

    it('shows the past for Exact, also when a limit is what makes it exact', async () => {
      const rig = new Rig();
      rig.source.delete({ name: 'b' });
      rig.source.modify(named('a'));
      expect(await rig.names({ resourceVersion: '3', resourceVersionMatch: 'Exact' })).to.equal(
        'a b c @3',
      );
      expect(await rig.names({ resourceVersion: '2', limit: 9 })).to.equal('a b @2');
      expect(
        await rig.names({ resourceVersion: '3', resourceVersionMatch: 'NotOlderThan' }),
      ).to.equal('a c @5');
    });

    it('shows one state through all pages', async () => {
      const { source } = new Rig();
      const first = await source.list({ limit: 2 });
      expect(first).to.include({ resourceVersion: '3', remainingItemCount: 1 });
      source.delete({ name: 'c' });
      source.add(named('d'));
      const { continueToken } = first;
      const second = await source.list({ limit: 2, continueToken });
      expect(second.items.map(({ metadata }) => metadata.name)).to.deep.equal(['c']);
      expect(second.resourceVersion).to.equal('3');
      expect(second.continueToken).to.equal(undefined);
    });

    it('hands a page out piece by piece, to a caller that takes pieces', async () => {
      const { source } = new Rig({ pieceSize: 2 });
      const pieces: string[] = [];
      const onItems = async (
        items: readonly { readonly metadata: ObjectMeta }[],
      ): Promise<void> => {
        pieces.push(items.map(({ metadata }) => metadata.name).join(' '));
        await Promise.resolve();
        pieces.push('taken');
      };
      const { items, resourceVersion } = await source.list({}, onItems);
      expect(pieces).to.deep.equal(['a b', 'taken', 'c', 'taken']);
      expect({ items, resourceVersion }).to.deep.equal({ items: [], resourceVersion: '3' });
      expect((await source.list({})).items).to.have.length(3);
      expect((await new Rig().source.list({}, onItems)).items).to.have.length(3);
    });

    it('breaks a page off behind its first piece, or ends it with what the taker throws', async () => {
      const rig = new Rig({ pieceSize: 1 });
      const { source } = rig;
      const taken: number[] = [];
      const onItems = (items: readonly unknown[]): void => void taken.push(items.length);
      source.failNext('piece', new ListwatchError('CONNECTION_FAILED', 'reset'));
      expect(await rig.codeOf(source.list({}, onItems))).to.equal('CONNECTION_FAILED');
      expect(taken).to.deep.equal([1]);
      const refusal = new ListwatchError('ABORTED', 'enough');
      const refuse = (): never => {
        throw refusal;
      };
      expect(await rig.codeOf(source.list({}, refuse))).to.equal('ABORTED');
      const stopper = new AbortController();
      source.hangNext('piece');
      const hanging = rig.codeOf(source.list({ signal: stopper.signal }, onItems));
      stopper.abort(refusal);
      expect(await hanging).to.equal('ABORTED');
    });

    it('refuses as a server does', async () => {
      const rig = new Rig();
      const { source } = rig;
      const { continueToken } = await source.list({ limit: 1 });
      const code = (request: ListRequest): Promise<string> => rig.codeOf(source.list(request));
      expect(await code({ resourceVersion: '9' })).to.equal('GATEWAY_TIMEOUT');
      expect(await code({ resourceVersion: 'x' })).to.equal('BAD_REQUEST');
      expect(await code({ resourceVersionMatch: 'Exact' })).to.equal('BAD_REQUEST');
      expect(await code({ resourceVersion: '0', resourceVersionMatch: 'Exact' })).to.equal(
        'BAD_REQUEST',
      );
      expect(await code({ continueToken, resourceVersion: '3' })).to.equal('BAD_REQUEST');
      expect(await code({ continueToken: '{' })).to.equal('BAD_REQUEST');
      expect(await code({ continueToken: 'null' })).to.equal('BAD_REQUEST');
      source.add(named('d'));
      source.compact();
      expect(await code({ continueToken })).to.equal('EXPIRED');
      expect(await code({ resourceVersion: '2', resourceVersionMatch: 'Exact' })).to.equal(
        'EXPIRED',
      );
      expect(await code({ resourceVersion: '2' })).to.equal('none');
    });
  });

  describe('watch', () => {
    it('starts after the version asked for and goes on with what happens', async () => {
      const rig = new Rig();
      const { lines } = rig.follow({ resourceVersion: '2', allowWatchBookmarks: true });
      await rig.runtime.settle();
      rig.source.delete({ name: 'a' });
      rig.source.skipVersions(5);
      rig.source.bookmark();
      await rig.runtime.settle();
      expect(lines).to.deep.equal(['ADDED c @3', 'DELETED a @4', 'BOOKMARK @9']);
      rig.source.closeWatches();
    });

    it('sends bookmarks only to watches that requested them', async () => {
      const rig = new Rig();
      const { lines } = rig.follow({ resourceVersion: '3' });
      await rig.runtime.settle();
      rig.source.bookmark();
      await rig.runtime.settle();
      expect(lines).to.deep.equal([]);
      rig.source.closeWatches();
    });

    it('begins with the present state when asked for it, and ends that with a bookmark', async () => {
      const rig = new Rig();
      const streaming = rig.follow(STREAMING);
      const old = rig.follow({ resourceVersion: '0' });
      await rig.runtime.settle();
      expect(streaming.lines).to.deep.equal([
        'ADDED a @1',
        'ADDED b @2',
        'ADDED c @3',
        'BOOKMARK end @3',
      ]);
      expect(old.lines).to.deep.equal(['ADDED a @1', 'ADDED b @2', 'ADDED c @3']);
      rig.source.closeWatches();
    });

    it('ends with 410 when it starts before the kept history', async () => {
      const rig = new Rig({ historySize: 2 });
      const kept = rig.follow({ resourceVersion: '1' });
      await rig.runtime.settle();
      expect(kept.lines).to.deep.equal(['ADDED b @2', 'ADDED c @3']);
      rig.source.add(named('d'));
      expect(await rig.follow({ resourceVersion: '1' }).end).to.equal('EXPIRED');
      rig.source.compact();
      expect(await rig.follow({ resourceVersion: '3' }).end).to.equal('EXPIRED');
      rig.source.closeWatches();
      expect(await kept.end, 'an open watch has nothing to do with it').to.equal('ended');
    });

    it('ends at its timeout, on abort and at the end of the script', async () => {
      const rig = new Rig();
      const stopper = new AbortController();
      const timed = rig.follow({ resourceVersion: '3', timeoutSeconds: 2 });
      const aborted = rig.follow({ resourceVersion: '3', signal: stopper.signal });
      await rig.runtime.advance(1999);
      expect(rig.source.openWatches).to.equal(2);
      await rig.runtime.advance(1);
      expect(await timed.end).to.equal('ended');
      stopper.abort(new ListwatchError('ABORTED', 'stop'));
      expect(await aborted.end).to.equal('ABORTED');
      expect(rig.source.openWatches).to.equal(0);
    });

    it('refuses requests that contradict themselves', async () => {
      const rig = new Rig();
      const code = (request: WatchRequest): Promise<string> =>
        rig.codeOf(rig.source.watch(request));
      expect(await code({ sendInitialEvents: true })).to.equal('INVALID');
      expect(await code({ resourceVersion: '3', resourceVersionMatch: 'NotOlderThan' })).to.equal(
        'INVALID',
      );
      expect(await code({ resourceVersion: 'x' })).to.equal('BAD_REQUEST');
      expect(await code({ ...STREAMING, resourceVersion: '9' })).to.equal('GATEWAY_TIMEOUT');
    });

    it('loses a reader that falls too far behind', async () => {
      const rig = new Rig({ objects: [] });
      const stream = await rig.source.watch({ resourceVersion: '0' });
      for (let count = 0; count < 100_001; count += 1) rig.source.add(named(`n${count}`));
      expect(rig.source.openWatches).to.equal(0);
      let error: unknown;
      try {
        for await (const batch of stream) expect(batch).to.have.length(100_000);
      } catch (caught) {
        error = caught;
      }
      expect(isListwatchError(error, 'BUFFER_FULL')).to.equal(true);
    });
  });

  describe('faults', () => {
    it('fails the next requests of a kind, and only those', async () => {
      const rig = new Rig();
      const { source } = rig;
      source.failNext('list', new ListwatchError('CONNECTION_REFUSED', 'no'), 2);
      source.failNext('page', new ListwatchError('MALFORMED_RESPONSE', 'no'));
      source.failNext('watch-list', new ListwatchError('REQUEST_TIMEOUT', 'no'));
      expect(await rig.codeOf(source.list({}))).to.equal('CONNECTION_REFUSED');
      expect(await rig.codeOf(source.list({}))).to.equal('CONNECTION_REFUSED');
      const { continueToken } = await source.list({ limit: 1 });
      expect(await rig.codeOf(source.list({ continueToken }))).to.equal('MALFORMED_RESPONSE');
      expect(await rig.codeOf(source.list({ continueToken }))).to.equal('none');
      const watch = rig.follow({ resourceVersion: '3' });
      expect(await rig.codeOf(source.watch(STREAMING))).to.equal('REQUEST_TIMEOUT');
      source.dropConnections();
      expect(await watch.end).to.equal('CONNECTION_FAILED');
    });

    it('leaves a request without an answer until its signal aborts', async () => {
      const rig = new Rig();
      const stopper = new AbortController();
      rig.source.hangNext('list');
      const answer = rig.codeOf(rig.source.list({ signal: stopper.signal }));
      stopper.abort(new ListwatchError('ABORTED', 'stop'));
      expect(await answer).to.equal('ABORTED');
      expect(await rig.codeOf(rig.source.list({}))).to.equal('none');
    });

    it('answers with the latency it is given, in virtual time', async () => {
      const rig = new Rig({ latencyMs: 250 });
      await rig.runtime.run(rig.source.list({}));
      expect(rig.runtime.monotonicMs()).to.equal(250);
    });

    it('withholds the end bookmark, or refuses streaming lists, until it is healed', async () => {
      const rig = new Rig();
      rig.source.withholdInitialEventsEnd = true;
      const { lines } = rig.follow(STREAMING);
      await rig.runtime.settle();
      expect(lines).to.have.length(3);
      rig.source.refuseWatchList = true;
      rig.source.failNext('list', new Error('no'));
      rig.source.latencyMs = 10;
      expect(await rig.codeOf(rig.source.watch(STREAMING))).to.equal('INVALID');
      rig.source.heal();
      expect(await rig.codeOf(rig.source.watch(STREAMING))).to.equal('none');
      expect(await rig.codeOf(rig.source.list({}))).to.equal('none');
      rig.source.closeWatches();
    });

    it('holds changes back while paused, and no bookmark passes them', async () => {
      const rig = new Rig();
      const before = rig.follow({ resourceVersion: '3', allowWatchBookmarks: true });
      await rig.runtime.settle();
      rig.source.pause();
      rig.source.add(named('d'));
      const during = rig.follow({ resourceVersion: '3', allowWatchBookmarks: true });
      await rig.runtime.settle();
      rig.source.add(named('e'));
      rig.source.bookmark();
      await rig.runtime.settle();
      expect(before.lines).to.deep.equal(['BOOKMARK @3']);
      expect(during.lines).to.deep.equal(['ADDED d @4', 'BOOKMARK @4']);
      rig.source.resume();
      await rig.runtime.settle();
      expect(before.lines.slice(1)).to.deep.equal(['ADDED d @4', 'ADDED e @5']);
      expect(during.lines.slice(2)).to.deep.equal(['ADDED e @5']);
      rig.source.closeWatches();
    });

    it('writes every request down', async () => {
      const rig = new Rig();
      await rig.source.list({ limit: 1, signal: new AbortController().signal });
      expect(rig.source.requests).to.deep.equal([{ kind: 'list', atMs: 0, request: { limit: 1 } }]);
    });
  });
});
