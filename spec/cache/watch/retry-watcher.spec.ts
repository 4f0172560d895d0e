import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import type {
  ListerWatcher,
  WatchRequest,
  WatchStream,
} from '../../../lib/cache/reflector/lister-watcher.ts';
import { RetryWatcher } from '../../../lib/cache/watch/retry-watcher.ts';
import type { RetryWatcherOptions } from '../../../lib/cache/watch/retry-watcher-options.ts';
import { ListwatchError } from '../../../lib/kernel/errors.ts';
import { VirtualRuntime } from '../../../lib/kernel/virtual-runtime.ts';
import { ApiError, failure } from '../../../lib/meta/api-error.ts';
import { expired, forbidden, tooManyRequests } from '../../../lib/meta/failures.ts';
import type { ObjectView } from '../../../lib/meta/object-view.ts';
import { ScriptedListerWatcher } from '../../../lib/testing/scripted-lister-watcher.ts';
import { codeOf, pod, rejection, type Pod } from '../support/objects.ts';

type View = ObjectView<Pod>;

/** A source with a history of three pods, a watcher behind the first of them, and what a loop over it saw. */
class Rig {
  readonly runtime: VirtualRuntime = new VirtualRuntime();
  readonly source: ScriptedListerWatcher<Pod>;
  readonly retries: string[] = [];
  readonly seen: string[] = [];
  readonly watcher: RetryWatcher<View>;

  constructor(options: Partial<RetryWatcherOptions<View>> = {}) {
    const { runtime } = this;
    const objects = ['a', 'b', 'c'].map((name) => pod(name));
    this.source = new ScriptedListerWatcher<Pod>({ runtime, objects, description: 'pods' });
    this.watcher = new RetryWatcher<View>({
      runtime,
      listerWatcher: this.source,
      resourceVersion: '1',
      onRetry: (_, { message }) => {
        this.retries.push(message);
      },
      ...options,
    });
  }

  /** Loops until the end and says how it was. */
  async follow(): Promise<unknown> {
    try {
      for await (const { type, object } of this.watcher) {
        const { name, resourceVersion } = object.metadata;
        this.seen.push(`${type} ${name}@${resourceVersion}`);
      }
      return 'ended';
    } catch (error) {
      return error;
    }
  }

  get starts(): string[] {
    return this.source.requests.map(
      ({ request, atMs }) => `${request.resourceVersion} at ${Math.round(atMs)}`,
    );
  }
}

/** A source whose watches bring what is written here, one after the other, and then hang. */
function listed(
  ...watches: readonly (() => AsyncIterable<unknown> | undefined)[]
): ListerWatcher<View> & { readonly requests: WatchRequest[] } {
  const requests: WatchRequest[] = [];
  return {
    requests,
    description: 'pods',
    list: () => Promise.reject(new Error('nobody may list')),
    watch: (request) => {
      requests.push(request);
      const next = watches[requests.length - 1] ?? hanging;
      return Promise.resolve(next() as WatchStream<View>);
    },
  };
}

// oxlint-disable-next-line require-yield
async function* hanging(): AsyncGenerator<never> {
  await new Promise(() => {});
}

async function* batches(...all: readonly (readonly unknown[])[]): AsyncGenerator {
  yield* all;
}

const event = (type: string, name: string, resourceVersion?: string): unknown => {
  const object = pod(name, resourceVersion === undefined ? {} : { resourceVersion });
  return { type, object: { metadata: object.metadata, object } };
};

describe('RetryWatcher', () => {
  it('refuses a resource version that names no place in history', () => {
    const listerWatcher = listed();
    const make = (resourceVersion: unknown) => (): unknown =>
      new RetryWatcher({ listerWatcher, resourceVersion: resourceVersion as string });
    for (const version of ['', '0', '007', 'x', 5, undefined]) {
      expect(codeOf(make(version)), String(version)).to.equal('INVALID_OPTION');
    }
    expect(make('0')).to.throw('list first');
    expect(codeOf(make('9007199254740993'))).to.equal(undefined);
  });

  it('refuses unknown options and impossible values', () => {
    const make = (options: object) => (): unknown =>
      new RetryWatcher({ listerWatcher: listed(), resourceVersion: '1', ...options });
    expect(make({ resourceversion: '1' })).to.throw('unknown option "resourceversion"');
    expect(make({ minWatchTimeoutMs: 10 })).to.throw('"minWatchTimeoutMs"');
    expect(make({ backoff: { baseMs: 0 } })).to.throw('"backoff.baseMs"');
    expect(codeOf(() => new RetryWatcher({ resourceVersion: '1' } as never))).to.equal(
      'INVALID_OPTION',
    );
  });

  describe('a loop', () => {
    it('gets what directly follows its version, and then what happens', async () => {
      const rig = new Rig();
      const end = rig.follow();
      await rig.runtime.settle();
      rig.source.modify(pod('a', { labels: { x: 'y' } }));
      rig.source.delete({ namespace: 'shop', name: 'b' });
      await rig.runtime.settle();
      expect(rig.seen).to.deep.equal(['ADDED b@2', 'ADDED c@3', 'MODIFIED a@4', 'DELETED b@5']);
      expect(rig.starts).to.deep.equal(['1 at 0']);
      expect(rig.watcher.resourceVersion).to.equal('5');
      await rig.watcher.close();
      expect(await end).to.equal('ended');
    });

    it('gets nothing when its version is the newest', async () => {
      const rig = new Rig({ resourceVersion: '3' });
      const end = rig.follow();
      await rig.runtime.advance(10_000);
      expect(rig.seen).to.deep.equal([]);
      expect(rig.starts).to.deep.equal(['3 at 0']);
      await rig.watcher.close();
      expect(await end).to.equal('ended');
    });

    it('asks for bookmarks, moves on with them, and keeps them to itself', async () => {
      const rig = new Rig();
      const end = rig.follow();
      await rig.runtime.settle();
      rig.source.skipVersions(100);
      rig.source.bookmark();
      await rig.runtime.settle();
      expect(rig.source.requests[0]?.request).to.include({ allowWatchBookmarks: true });
      rig.source.closeWatches();
      await rig.runtime.advance(1000);
      expect(rig.seen).to.have.length(2);
      expect(rig.starts).to.deep.equal(['1 at 0', '103 at 1000']);
      await rig.watcher.close();
      await end;
    });

    it('gets each event once and in order across watches that the server ends', async () => {
      const rig = new Rig();
      const end = rig.follow();
      for (const name of ['d', 'e', 'f', 'g']) {
        await rig.runtime.advance(5000);
        rig.source.closeWatches();
        rig.source.skipVersions(3);
        rig.source.add(pod(name));
      }
      await rig.runtime.advance(5000);
      expect(rig.seen).to.deep.equal([
        'ADDED b@2',
        'ADDED c@3',
        'ADDED d@7',
        'ADDED e@11',
        'ADDED f@15',
        'ADDED g@19',
      ]);
      expect(rig.starts).to.have.length(5);
      expect(rig.retries).to.deep.equal([]);
      await rig.watcher.close();
      await end;
    });

    it('never gets an event at or behind its place again, whatever a watch repeats', async () => {
      const listerWatcher = listed(
        () => batches([event('ADDED', 'a', '5'), event('ADDED', 'b', '6')]),
        () => batches([event('ADDED', 'b', '6'), event('MODIFIED', 'a', '4')]),
        () => batches([event('MODIFIED', 'b', '6'), event('MODIFIED', 'c', '10')]),
      );
      const rig = new Rig({ listerWatcher, resourceVersion: '4' });
      const end = rig.follow();
      await rig.runtime.advance(60_000);
      expect(rig.seen).to.deep.equal(['ADDED a@5', 'ADDED b@6', 'MODIFIED c@10']);
      expect(listerWatcher.requests.map((one) => one.resourceVersion)).to.deep.equal([
        '4',
        '6',
        '6',
        '10',
      ]);
      await rig.watcher.close();
      await end;
    });

    it('leaves at least a second between two starts, and more when watches end at once and empty', async () => {
      const startsAtMs: number[] = [];
      const watch = (): AsyncIterable<unknown> => {
        startsAtMs.push(rig.runtime.monotonicMs());
        return batches();
      };
      const listerWatcher = listed(...Array.from({ length: 100 }, () => watch));
      const rig = new Rig({ listerWatcher });
      const end = rig.follow();
      await rig.runtime.advance(120_000);
      const gaps = startsAtMs.slice(1).map((atMs, index) => atMs - startsAtMs[index]!);
      expect(Math.min(...gaps)).to.be.at.least(1000);
      expect(gaps.at(-1)).to.be.at.least(20_000);
      await rig.watcher.close();
      await end;
    });
  });

  describe('after a failure', () => {
    const connection = new ListwatchError('CONNECTION_FAILED', 'reset');
    const unknownCode = new ApiError({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      code: 599,
      message: 'what is this',
    });
    const recoverable: Readonly<Record<string, unknown>> = {
      'a broken connection': connection,
      'a timeout of the server': failure('Timeout', 'too slow'),
      'an internal error': failure('InternalError', 'oops'),
      'a status nobody knows': unknownCode,
      'an error that is no status': new TypeError('odd'),
    };
    for (const [what, error] of Object.entries(recoverable)) {
      it(`goes on after ${what}, at the start and in the stream`, async () => {
        const rig = new Rig();
        rig.source.failNext('watch', error);
        const end = rig.follow();
        await rig.runtime.advance(5000);
        expect(rig.seen).to.deep.equal(['ADDED b@2', 'ADDED c@3']);
        rig.source.add(pod('d'));
        await rig.runtime.settle();
        rig.source.dropConnections(error);
        rig.source.add(pod('e'));
        await rig.runtime.advance(5000);
        expect(rig.seen.slice(2)).to.deep.equal(['ADDED d@4', 'ADDED e@5']);
        expect(rig.starts).to.have.length(3);
        expect(rig.retries).to.have.length(2);
        expect(rig.retries[1]).to.match(
          /the watch of pods failed: .*; it goes on behind resource version 4 in \d+ ms/,
        );
        await rig.watcher.close();
        expect(await end).to.equal('ended');
      });
    }

    it('goes on after a source that gave no stream', async () => {
      const listerWatcher = listed(
        () => undefined,
        () => batches([event('ADDED', 'a', '2')]),
      );
      const rig = new Rig({ listerWatcher });
      const end = rig.follow();
      await rig.runtime.advance(5000);
      expect(rig.seen).to.deep.equal(['ADDED a@2']);
      await rig.watcher.close();
      await end;
    });

    it('waits longer and longer while the failure lasts, and short again after an event', async () => {
      const rig = new Rig({ backoff: { jitter: 0 } });
      rig.source.failNext('watch', connection, 7);
      const end = rig.follow();
      await rig.runtime.advance(100_000);
      const startsAtMs = rig.source.requests.map(({ atMs }) => atMs);
      expect(startsAtMs.map((atMs, index) => atMs - (startsAtMs[index - 1] ?? 0))).to.deep.equal([
        0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
      ]);
      rig.source.dropConnections();
      await rig.runtime.advance(1000);
      expect(rig.source.requests).to.have.length(9);
      await rig.watcher.close();
      await end;
    });

    it('waits as long as the server asks, up to five minutes', async () => {
      const rig = new Rig();
      rig.source.failNext('watch', tooManyRequests('busy', 20));
      rig.source.failNext('watch', tooManyRequests('busy', 86_400));
      const end = rig.follow();
      await rig.runtime.advance(400_000);
      const [, second, third] = rig.source.requests.map(({ atMs }) => atMs);
      expect(second).to.equal(20_000);
      expect(third).to.equal(320_000);
      await rig.watcher.close();
      await end;
    });

    it('leaves a watch behind that falls silent, or outlives its time', async () => {
      for (const options of [{ idleTimeoutMs: 5000 }, { minWatchTimeoutMs: 1000 }]) {
        const listerWatcher = listed();
        const rig = new Rig({ listerWatcher, ...options });
        const end = rig.follow();
        await rig.runtime.advance(20_000);
        expect(listerWatcher.requests.length, JSON.stringify(options)).to.be.at.least(2);
        await rig.watcher.close();
        expect(await end).to.equal('ended');
        expect(rig.runtime.pending).to.equal(0);
      }
    });

    it('survives a hook that throws', async () => {
      const rig = new Rig({
        onRetry: () => {
          throw new Error('bad hook');
        },
      });
      rig.source.failNext('watch', connection);
      const end = rig.follow();
      await rig.runtime.advance(5000);
      expect(rig.seen).to.have.length(2);
      await rig.watcher.close();
      await end;
    });
  });

  describe('ends', () => {
    const gone = failure('Gone', 'gone');
    const final: Readonly<Record<string, ApiError>> = {
      EXPIRED: expired('too old'),
      GONE: gone,
      FORBIDDEN: forbidden({ group: '', resource: 'pods' }, '', 'no'),
      UNAUTHORIZED: failure('Unauthorized', 'who are you'),
    };
    for (const [code, error] of Object.entries(final)) {
      it(`with the error itself on ${code} at the start`, async () => {
        const rig = new Rig();
        rig.source.failNext('watch', error);
        expect(await rig.runtime.run(rig.follow())).to.equal(error);
        expect(error.code).to.equal(code);
        expect(rig.starts).to.have.length(1);
        expect(rig.runtime.pending).to.equal(0);
      });

      it(`with the error itself on ${code} in the stream, after the events before it`, async () => {
        const rig = new Rig();
        const end = rig.follow();
        await rig.runtime.settle();
        rig.source.dropConnections(error);
        expect(await rig.runtime.run(end)).to.equal(error);
        expect(rig.seen).to.deep.equal(['ADDED b@2', 'ADDED c@3']);
        expect(rig.starts).to.have.length(1);
      });
    }

    it('when history does not reach back to its version', async () => {
      const rig = new Rig();
      rig.source.compact();
      expect(await rig.runtime.run(rig.follow())).to.have.property('code', 'EXPIRED');
      expect(rig.seen).to.deep.equal([]);
    });

    it('on an event without a resource version, and on one of an unknown type', async () => {
      const odd = [
        event('ADDED', 'x'),
        event('ADDED', 'x', '0x5'),
        event('SURPRISE', 'x', '5'),
        { type: 'BOOKMARK', resourceVersion: 'soon', initialEventsEnd: false },
      ];
      for (const one of odd) {
        const listerWatcher = listed(() => batches([event('ADDED', 'a', '2'), one]));
        const rig = new Rig({ listerWatcher });
        const end = await rig.runtime.run(rig.follow());
        expect(end).to.have.property('code', 'MALFORMED_EVENT');
        expect((end as Error).message).to.include('the watch of pods carried an event of');
        expect(rig.seen).to.deep.equal(['ADDED a@2']);
        expect(listerWatcher.requests).to.have.length(1);
      }
    });

    it('on a Table in place of an object', async () => {
      const table = { kind: 'Table', apiVersion: 'meta.k8s.io/v1' };
      const listerWatcher = listed(() =>
        batches([{ type: 'ADDED', object: { metadata: {}, object: table } }]),
      );
      const rig = new Rig({ listerWatcher });
      expect(await rig.runtime.run(rig.follow())).to.have.property('code', 'TABLE_OBJECT');
    });
  });

  describe('is closed', () => {
    it('at once, whatever has not been read', async () => {
      const rig = new Rig();
      const events = rig.watcher[Symbol.asyncIterator]();
      expect(await rig.runtime.run(events.next())).to.have.nested.property('value.type', 'ADDED');
      await rig.watcher.close();
      await rig.watcher.close();
      expect(rig.source.openWatches).to.equal(0);
      expect(await events.next()).to.deep.equal({ done: true, value: undefined });
      expect(await rig.follow()).to.equal('ended');
      expect(rig.runtime.pending).to.equal(0);
    });

    it('while it waits: for an event, for an answer, and for its next turn', async () => {
      const waits: ((rig: Rig) => void)[] = [
        () => {},
        (rig) => rig.source.hangNext('watch'),
        (rig) => rig.source.failNext('watch', new ListwatchError('CONNECTION_FAILED', 'reset')),
      ];
      for (const prepare of waits) {
        const rig = new Rig();
        prepare(rig);
        const end = rig.follow();
        await rig.runtime.settle();
        await rig.watcher[Symbol.asyncDispose]();
        expect(await end).to.equal('ended');
        expect(rig.runtime.pending).to.equal(0);
        expect(rig.source.openWatches).to.equal(0);
      }
    });

    it('by its signal, whose reason the loop throws', async () => {
      const stopper = new AbortController();
      const rig = new Rig({ signal: stopper.signal });
      const end = rig.follow();
      await rig.runtime.settle();
      const reason = new Error('enough');
      stopper.abort(reason);
      expect(await end).to.equal(reason);
      expect(await rig.follow()).to.equal(reason);
      expect(rig.source.openWatches).to.equal(0);
      expect(getEventListeners(stopper.signal, 'abort')).to.have.length(0);
    });
  });

  it('is taken up again, by a later loop, where the last one was left', async () => {
    const rig = new Rig();
    await rig.runtime.run(async () => {
      for await (const { object } of rig.watcher) {
        rig.seen.push(object.metadata.name!);
        break;
      }
    });
    expect(rig.source.openWatches).to.equal(0);
    expect(rig.runtime.pending).to.equal(0);
    const end = rig.follow();
    await rig.runtime.advance(1000);
    expect(rig.seen).to.deep.equal(['b', 'ADDED c@3']);
    await rig.watcher.close();
    await end;
  });

  it('has one reader at a time', async () => {
    const rig = new Rig();
    const end = rig.follow();
    const second = await rejection(rig.follow().then((error) => Promise.reject(error as Error)));
    expect(second.code).to.equal('ALREADY_STARTED');
    await rig.watcher.close();
    await rig.runtime.run(end);
  });

  it('reads no further while nobody asks', async () => {
    const reads: number[] = [];
    const listerWatcher = listed(async function* (): AsyncGenerator {
      for (let version = 2; ; version += 1) {
        reads.push(version);
        yield [event('ADDED', 'a', String(version))];
      }
    });
    const rig = new Rig({ listerWatcher });
    const events = rig.watcher[Symbol.asyncIterator]();
    await rig.runtime.run(events.next());
    await rig.runtime.advance(5000);
    expect(reads).to.have.length(1);
    await rig.watcher.close();
    await events.return?.();
  });
});
