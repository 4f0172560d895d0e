import { expect } from 'chai';
import { RetryWatcher } from '../../../lib/cache/wait/retry-watcher.ts';
import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { ApiError, failure } from '../../../lib/meta/failure/api-error.ts';
import { tooManyRequests } from '../../../lib/meta/failure/failures.ts';
import { codeOf, pod, rejection } from '../support/objects.ts';
import { batches, event, listed, Rig } from './retry-watcher-support.ts';

describe('RetryWatcher', () => {
  it('refuses an invalid resource version', () => {
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

    it('never gets an event at or before its position again when a watch repeats events', async () => {
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

    it('gets all events that share a version, each once', async () => {
      const together = ['a', 'b', 'c'].map((name) => event('DELETED', name, '7'));
      const listerWatcher = listed(() =>
        batches(together.slice(0, 2), [...together, event('ADDED', 'd', '8')]),
      );
      const rig = new Rig({ listerWatcher, resourceVersion: '4' });
      const end = rig.follow();
      await rig.runtime.settle();
      expect(rig.seen).to.deep.equal(['DELETED a@7', 'DELETED b@7', 'DELETED c@7', 'ADDED d@8']);
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
      'an unknown status': unknownCode,
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

    it('continues after a source that gave no stream', async () => {
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

    it('abandons a watch that falls silent, or exceeds its timeout', async () => {
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

  it('reads no further without a reader', async () => {
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
