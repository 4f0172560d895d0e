import { expect } from 'chai';
import type { ItemsTaker } from '../../../../lib/cache/reflector/contract/lister-watcher.ts';
import { ListwatchError } from '../../../../lib/kernel/failure/errors.ts';
import { sleep } from '../../../../lib/kernel/time/wait.ts';
import { expired, internalError } from '../../../../lib/meta/failure/failures.ts';
import { DecodedView } from '../../../../lib/meta/object-view.ts';
import { thing, type View } from '../reflector-support.ts';
import {
  BREAKDOWNS,
  PAGE,
  RelistSink,
  codesOf,
  end,
  failOnce,
  fullSink,
  listNext,
  relistRig,
  transitionsOf,
  view,
  wrapped,
  streamingRig,
} from './relist-support.ts';
import { lineLogger } from '../../../support/line-logger.ts';

describe('Reflector with a sink that takes lists piece by piece', () => {
  it('hands a page over while it comes in', async () => {
    const test = relistRig();
    await test.runtime.settle();
    expect(test.sink.relists[0]?.calls).to.deep.equal(['add a b', 'add c d', 'add e', 'commit @5']);
    expect(transitionsOf(test)).to.deep.equal(['listed: 5']);
    test.source.add(thing('f'));
    await test.runtime.settle();
    expect(test.sink.calls).to.deep.equal(['replace a b c d e @5', 'ADDED f @6']);
    await end(test);
  });

  it('puts what is left in a page behind what was handed out, and pages behind each other', async () => {
    const test = relistRig({
      pageSize: 3,
      prepare: (source) =>
        listNext({ source }, async (_, onItems) => {
          await onItems([view('a')]);
          return { ...PAGE, items: [view('b'), view('c')], continueToken: '["5","c"]' };
        }),
    });
    await test.runtime.settle();
    expect(test.sink.relists[0]?.calls).to.deep.equal(['add a', 'add b c', 'add d e', 'commit @5']);
    expect(transitionsOf(test)).to.deep.equal(['a page was listed: 3', 'listed: 5']);
    await end(test);
  });

  it('begins a relist for a source that hands nothing out', async () => {
    const test = relistRig({ pageSize: 3, source: { pieceSize: 0 } });
    await test.runtime.settle();
    expect(test.sink.relists[0]?.calls).to.deep.equal(['add a b c', 'add d e', 'commit @5']);
    await end(test);
  });

  it('commits an empty list', async () => {
    const test = relistRig({ source: { objects: [] } });
    await test.runtime.settle();
    expect(test.sink.relists[0]?.calls).to.deep.equal(['commit @0']);
    await end(test);
  });

  it('says how many objects the sink has counted', async () => {
    const test = relistRig({
      prepare: (source) =>
        listNext({ source }, async (_, onItems) => {
          await onItems([view('a'), view('b'), view('a')]);
          return PAGE;
        }),
    });
    await test.runtime.settle();
    expect(transitionsOf(test)).to.deep.equal(['listed: 2']);
    await end(test);
  });

  it('begins no relist for the answer that only says where the server stands', async () => {
    const test = relistRig();
    await test.runtime.advance(2000);
    for (let round = 0; round < 2; round += 1) {
      test.source.failNext('watch', expired('too old'), 1);
      test.source.dropConnections(expired('too old'));
      await test.runtime.advance(1000);
    }
    await test.runtime.advance(10_000);
    const begun = test.sink.relists.length;
    const lists = test.requests().filter((request) => request.startsWith('list'));
    expect(lists).to.include('list limit=1');
    expect(begun).to.equal(lists.filter((request) => request !== 'list limit=1').length);
    await end(test);
  });

  describe('discards what will never be complete', () => {
    it('when a page breaks off', async () => {
      const test = relistRig({
        prepare: (source) => source.failNext('piece', internalError('boom')),
      });
      await test.runtime.settle();
      expect(test.sink.ends).to.deep.equal(['discarded']);
      await test.runtime.advance(2000);
      expect(test.sink.ends).to.deep.equal(['discarded', 'committed']);
      expect(test.sink.calls).to.deep.equal(['replace a b c d e @5']);
      await end(test);
    });

    it('when a later page fails', async () => {
      const test = relistRig({
        pageSize: 2,
        prepare: (source) => source.failNext('page', internalError('boom')),
      });
      await test.runtime.advance(2000);
      expect(test.sink.ends).to.deep.equal(['discarded', 'committed']);
      await end(test);
    });

    it('when the token of a later page has expired, and takes the list in one piece', async () => {
      const test = relistRig({
        pageSize: 2,
        prepare: (source) => source.failNext('page', expired('too old')),
      });
      await test.runtime.settle();
      expect(test.sink.relists.map(({ calls }) => calls)).to.deep.equal([
        ['add a b'],
        ['add a b', 'add c d', 'add e', 'commit @5'],
      ]);
      expect(test.sink.ends).to.deep.equal(['discarded', 'committed']);
      await end(test);
    });

    it('when a page does not come to its end in time', async () => {
      const test = relistRig({
        listTimeoutMs: 1000,
        prepare: (source) => source.hangNext('piece'),
      });
      await test.runtime.advance(999);
      expect(test.sink.ends).to.deep.equal(['open']);
      await test.runtime.advance(1);
      expect(test.sink.ends).to.deep.equal(['discarded']);
      expect(codesOf(test)).to.deep.equal(['TIMEOUT']);
      await end(test);
    });

    it('when the list is older than what was seen', async () => {
      const test = relistRig();
      await test.runtime.advance(2000);
      listNext(test, async (_, onItems) => {
        await onItems([view('old')]);
        return { items: [], resourceVersion: '1' };
      });
      test.source.dropConnections(expired('too old'));
      await test.runtime.advance(2000);
      expect(test.sink.ends).to.deep.equal(['committed', 'discarded', 'committed']);
      expect(test.sink.calls.at(-1)).to.equal('replace a b c d e @5');
      await end(test);
    });

    it('when the watch beside the list breaks', async () => {
      const test = relistRig();
      await test.runtime.advance(2000);
      for (let round = 0; round < 2; round += 1) {
        test.source.failNext('watch', expired('too old'));
        test.source.dropConnections(expired('too old'));
        await test.runtime.advance(250);
      }
      test.source.hangNext('piece');
      test.source.dropConnections(expired('too old'));
      while (test.reflector.state.name !== 'listing') await test.runtime.advance(50);
      expect(test.sink.open).to.equal(1);
      expect(test.source.openWatches).to.equal(1);
      test.source.dropConnections();
      await test.runtime.settle();
      expect(test.transitions.at(-1)?.reason).to.include('the watch beside the list failed');
      expect(test.sink.ends.at(-1)).to.equal('discarded');
      await test.runtime.advance(5000);
      expect(test.sink.ends.at(-1)).to.equal('committed');
      await end(test);
    });

    it('when it is stopped', async () => {
      const hanging = relistRig({ prepare: (source) => source.hangNext('piece') });
      const streaming = streamingRig({
        prepare: (source) => {
          source.withholdInitialEventsEnd = true;
        },
      });
      for (const test of [hanging, streaming]) {
        await test.runtime.settle();
        expect(test.sink.ends).to.deep.equal(['open']);
        await end(test);
        expect(test.sink.ends).to.deep.equal(['discarded']);
      }
    });

    it('when a resync throws meanwhile', async () => {
      let throws = 1;
      const resync = (): void => {
        throws -= 1;
        if (throws >= 0) throw new Error('not now');
      };
      const test = relistRig({
        sink: Object.assign(new RelistSink(), { resync }),
        resyncIntervalMs: 1000,
        prepare: (source) => source.hangNext('piece'),
      });
      await test.runtime.advance(999);
      expect(test.sink.ends).to.deep.equal(['open']);
      await test.runtime.advance(1);
      expect(test.sink.ends).to.deep.equal(['discarded']);
      await test.runtime.advance(1000);
      expect(test.sink.ends).to.deep.equal(['discarded', 'committed']);
      await end(test);
    });

    it('and refuses what a source that was left behind still brings', async () => {
      const refused: unknown[] = [];
      const test = relistRig({
        listTimeoutMs: 1000,
        prepare: (source) =>
          listNext({ source }, async (_, onItems) => {
            await onItems([view('early')]);
            await sleep(test.runtime, 1500);
            try {
              await onItems([view('late')]);
            } catch (error) {
              refused.push((error as ListwatchError).code);
            }
            return PAGE;
          }),
      });
      await test.runtime.advance(5000);
      expect(refused).to.deep.equal(['TIMEOUT']);
      expect(test.sink.relists.map(({ calls }) => calls[0])).to.deep.equal([
        'add early',
        'add a b',
      ]);
      expect(test.sink.ends).to.deep.equal(['discarded', 'committed']);
      await end(test);
    });

    it('and refuses what comes after the page', async () => {
      let again: ItemsTaker<View> = () => {};
      const test = relistRig({
        pageSize: 2,
        prepare: (source) =>
          listNext({ source }, async (_, onItems) => {
            again = onItems;
            await onItems([view('a')]);
            return PAGE;
          }),
      });
      await test.runtime.settle();
      expect(() => again([view('b')])).to.throw(ListwatchError, 'brought items after its page');
      expect(test.sink.calls).to.deep.equal(['replace a @5']);
      await end(test);
    });
  });

  describe('that is full', () => {
    it('lets the source wait between two pieces, and no time of the page passes meanwhile', async () => {
      const test = relistRig({ listTimeoutMs: 1000 });
      const full = fullSink(test);
      await test.runtime.advance(5000);
      expect(test.sink.relists[0]?.calls).to.deep.equal(['add a b']);
      full.makeRoom();
      await test.runtime.advance(5000);
      expect(test.sink.relists[0]?.calls).to.deep.equal(['add a b', 'add c d']);
      full.makeRoom();
      await test.runtime.settle();
      full.makeRoom();
      await test.runtime.settle();
      expect(test.sink.calls).to.deep.equal(['replace a b c d e @5']);
      expect(test.errors).to.deep.equal([]);
      expect(full.waits()).to.equal(3);
      await end(test);
    });

    it('lets the next page wait', async () => {
      const test = relistRig({ pageSize: 3, source: { pieceSize: 0 } });
      const full = fullSink(test);
      await test.runtime.advance(5000);
      expect(test.requests()).to.have.length(1);
      full.makeRoom();
      await test.runtime.settle();
      expect(test.sink.calls).to.deep.equal(['replace a b c d e @5']);
      await end(test);
    });

    it('gives the wait up when it is stopped, though the source does not wait at all', async () => {
      const sink = new RelistSink();
      fullSink({ sink });
      const test = relistRig({
        sink,
        prepare: (source) =>
          listNext({ source }, async ({ signal }, onItems) => {
            void onItems([view('a')]);
            void onItems([view('b')]);
            await new Promise((resolve) => {
              signal?.addEventListener('abort', resolve);
            });
            return PAGE;
          }),
      });
      await test.runtime.advance(500);
      expect(test.sink.relists[0]?.calls).to.deep.equal(['add a', 'add b']);
      await end(test);
      expect(test.sink.ends).to.deep.equal(['discarded']);
    });
  });

  describe('and fails', () => {
    for (const [when, fail] of BREAKDOWNS) {
      it(`${when} of a list is listed for again`, async () => {
        const test = relistRig();
        fail(test.sink);
        await test.runtime.settle();
        expect(test.transitions.at(-1)?.reason).to.equal('the sink failed: disk full');
        expect(test.sink.open).to.equal(0);
        expect(test.reflector.lastSyncResourceVersion).to.equal('');
        await test.runtime.advance(1000);
        expect(test.times('list')).to.deep.equal([0, 100]);
        expect(test.sink.calls).to.deep.equal(['replace a b c d e @5']);
        await end(test);
      });
    }

    it('is distinguished from a source that fails, even if the source wraps the error', async () => {
      for (const misbehave of [(): void => {}, wrapped]) {
        const sink = new RelistSink();
        sink.onAdd = failOnce();
        const test = relistRig({
          sink,
          prepare: (source) =>
            listNext({ source }, async (_, onItems) => {
              try {
                await onItems([view('a')]);
              } catch (error) {
                misbehave(error);
              }
              return PAGE;
            }),
        });
        await test.runtime.settle();
        expect(test.transitions.at(-1)?.reason).to.equal('the sink failed: disk full');
        await end(test);
      }
    });

    it('to discard is logged and changes nothing', async () => {
      const logged: string[] = [];
      const logger = lineLogger((line) => logged.push(line));
      const test = relistRig({
        logger,
        prepare: (source) => source.failNext('piece', internalError('boom')),
      });
      test.sink.onAdd = (relist): void => {
        test.sink.onAdd = (): void => {};
        relist.discard = (): void => {
          relist.end = 'discarded';
          throw new Error('cannot let go');
        };
      };
      await test.runtime.advance(2000);
      expect(logged).to.deep.equal([
        'the sink failed to discard a relist: cannot let go (reflector=things)',
      ]);
      expect(test.sink.calls).to.deep.equal(['replace a b c d e @5']);
      await end(test);
    });
  });

  it('refuses tables that come in pieces, even if the source wraps the error', async () => {
    const table = new DecodedView({ kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: {} });
    const test = relistRig({
      prepare: (source) =>
        listNext({ source }, async (_, onItems) => {
          try {
            await onItems([table as unknown as View]);
          } catch (error) {
            wrapped(error);
          }
          return PAGE;
        }),
    });
    await test.runtime.settle();
    expect(codesOf(test)).to.deep.equal(['TABLE_OBJECT']);
    expect(test.sink.relists).to.deep.equal([]);
    await end(test);
  });
});
