import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { failure, type ApiError } from '../../../lib/meta/failure/api-error.ts';
import { expired, forbidden } from '../../../lib/meta/failure/failures.ts';
import { batches, event, listed, Rig } from './retry-watcher-support.ts';

describe('RetryWatcher', () => {
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

    it('when the server went back to an older state', async () => {
      const bookmark = { type: 'BOOKMARK', resourceVersion: '3', initialEventsEnd: false };
      const listerWatcher = listed(() => batches([event('ADDED', 'a', '9'), bookmark]));
      const rig = new Rig({ listerWatcher });
      expect(await rig.runtime.run(rig.follow())).to.have.property('code', 'HISTORY_REPLACED');
      expect(rig.seen).to.deep.equal(['ADDED a@9']);
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
    it('at once, also with events that were not read', async () => {
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
});
