import { expect } from 'chai';
import type { WriteOverlay } from '../../../lib/cache/store/write-overlay.ts';
import { pod, type Pod } from '../support/objects.ts';
import { at, overlayFixture as fixture } from './overlay-support.ts';

function shown(reader: WriteOverlay<Pod>, key: string = 'shop/a'): string | undefined {
  return reader.get(key)?.metadata.resourceVersion;
}

describe('WriteOverlay', () => {
  it('shows a created object before its event, and the store again once the event is processed', () => {
    const { overlay, event, store } = fixture();
    const created = at(5);
    overlay.written(created);
    expect(overlay.get('shop/a')).to.equal(created);
    expect(overlay.has('shop/a')).to.equal(true);
    expect(overlay.list()).to.deep.equal([created]);
    expect([overlay.size, store.size]).to.deep.equal([1, 0]);
    event(at(5));
    expect(overlay.inspect().pending).to.equal(0);
    expect(overlay.list()).to.equal(store.list());
  });

  it('shows an update over an older cached state until a bookmark passes it', () => {
    const { overlay, event } = fixture();
    event(at(1));
    overlay.written(at(7));
    event(at(3));
    expect(shown(overlay)).to.equal('7');
    overlay.processed('6');
    expect(shown(overlay)).to.equal('7');
    overlay.processed('7');
    expect(shown(overlay)).to.equal('3');
  });

  it('drops an entry although the object never comes to the store', () => {
    const { overlay } = fixture();
    overlay.written(at(5));
    overlay.processed('9');
    expect(overlay.get('shop/a')).to.equal(undefined);
    expect(overlay.inspect().pending).to.equal(0);
  });

  it('does not lay over what the cache has processed, nor go back with an older processed version', () => {
    const { overlay } = fixture();
    overlay.processed('9');
    overlay.processed('4');
    overlay.written(at(9));
    overlay.written(at(5));
    expect(overlay.size).to.equal(0);
    expect(overlay.inspect()).to.include({ pending: 0, processed: '9' });
  });

  it('does not lay over what the cache has under that key already, though not all before it', () => {
    const { overlay, store } = fixture();
    store.add('shop/a', at(9));
    overlay.written(at(9));
    overlay.written(at(8));
    expect(overlay.inspect().pending).to.equal(0);
    overlay.written(at(10));
    overlay.observed('shop/a', at(11), false);
    expect(overlay.inspect().pending).to.equal(0);
  });

  it('keeps the newest of answers that come out of order', () => {
    const { overlay } = fixture();
    overlay.written(at(9));
    overlay.written(at(10));
    overlay.written(at(8));
    expect(shown(overlay)).to.equal('10');
  });

  it('compares resource versions beyond 2^53, and not as text', () => {
    const { overlay } = fixture();
    overlay.written(pod('a', { resourceVersion: '90071992547409930' }));
    overlay.written(pod('a', { resourceVersion: '90071992547409931' }));
    overlay.processed('99999999999999999999');
    overlay.written(pod('a', { resourceVersion: '100000000000000000000' }));
    expect(shown(overlay)).to.equal('100000000000000000000');
  });

  it('hides an object that its write has moved out of what the cache selects', () => {
    const matches = ({ metadata }: Pod): boolean => metadata.labels?.app === 'web';
    const { overlay, event } = fixture({ matches });
    const labels = { app: 'web' };
    event(pod('a', { uid: 'u1', resourceVersion: '1', labels }));
    overlay.written(pod('a', { uid: 'u1', resourceVersion: '3' }));
    expect(overlay.get('shop/a')).to.equal(undefined);
    expect(overlay.list()).to.deep.equal([]);
    overlay.written(pod('a', { uid: 'u1', resourceVersion: '4', labels }));
    expect(shown(overlay)).to.equal('4');
    overlay.written(pod('b', { resourceVersion: '5' }));
    overlay.processed('5');
    expect(overlay.keys()).to.deep.equal(['shop/a']);
    expect(overlay.inspect().pending).to.equal(0);
  });

  describe('deletions', () => {
    it('hides the object until the cache has processed the resource version of the answer', () => {
      const { overlay, event } = fixture();
      event(at(1));
      overlay.deleted(at(5));
      expect(overlay.get('shop/a')).to.equal(undefined);
      event(at(3));
      expect(overlay.has('shop/a')).to.equal(false);
      event(at(5), true);
      expect(overlay.inspect().pending).to.equal(0);
      expect(overlay.size).to.equal(0);
    });

    it('hides by uid alone, until the deletion is observed', () => {
      const { overlay, event } = fixture();
      event(at(1));
      overlay.deleted({ key: 'shop/a', uid: 'u1' });
      overlay.processed('100');
      event(at(101));
      expect(overlay.has('shop/a')).to.equal(false);
      event(at(102), true);
      expect(overlay.inspect().pending).to.equal(0);
    });

    it('takes the uid of what readers see when the answer has none', () => {
      const { overlay, event } = fixture();
      event(at(1));
      overlay.deleted({ key: 'shop/a' });
      expect(overlay.has('shop/a')).to.equal(false);
      event(at(9, 'u2'));
      expect(shown(overlay)).to.equal('9');
      overlay.deleted({ key: 'shop/missing' });
      expect(overlay.inspect()).to.include({ pending: 0, unordered: 1 });
    });

    it('does not take the last resource version of the object for that of its deletion', () => {
      const { overlay, event } = fixture();
      event(at(4));
      overlay.deleted(at(4));
      overlay.processed('4');
      expect(overlay.has('shop/a')).to.equal(false);
      event(at(6), true);
      expect(overlay.inspect().pending).to.equal(0);
    });

    for (const [why, fields] of [
      ['finalizers', { finalizers: ['x/y'] }],
      ['a grace period', { deletionGracePeriodSeconds: 30 }],
    ] as const) {
      it(`shows an object that is still there because of ${why}, with its deletionTimestamp`, () => {
        const { overlay, event } = fixture();
        event(at(1));
        const deletionTimestamp = '2024-01-01T00:00:00Z';
        overlay.deleted(
          pod('a', { uid: 'u1', resourceVersion: '5', deletionTimestamp, ...fields }),
        );
        expect(overlay.get('shop/a')?.metadata.deletionTimestamp).to.equal(deletionTimestamp);
      });
    }

    it('does not let a late write bring the object back', () => {
      for (const answer of [at(5), { key: 'shop/a', uid: 'u1' }]) {
        const { overlay, event } = fixture();
        event(at(1));
        overlay.deleted(answer);
        overlay.written(at(3));
        expect(overlay.has('shop/a')).to.equal(false);
        event(at(3));
        event(at(5), true);
        overlay.written(at(4));
        expect(overlay.size).to.equal(0);
      }
    });

    it('does not let a late write bring back what was deleted unseen, nor show it when it comes up', () => {
      const { overlay, event } = fixture();
      overlay.deleted({ key: 'shop/a', uid: 'u1' });
      overlay.written(at(3));
      expect(overlay.size).to.equal(0);
      event(at(3));
      expect(overlay.size).to.equal(0);
      event(at(4), true);
      expect(overlay.inspect().pending).to.equal(0);
    });

    it('of others end an own write of the same object, and none of the one that came after it', () => {
      const { overlay, event } = fixture();
      event(at(1));
      overlay.written(at(5));
      event(at(6), true);
      expect(overlay.has('shop/a')).to.equal(false);
      event(at(7, 'u2'));
      overlay.written(at(10, 'u3'));
      event(at(9, 'u2'), true);
      expect(shown(overlay)).to.equal('10');
      event(at(11, 'u3'), true);
      expect(overlay.inspect().pending).to.equal(0);
      expect(overlay.has('shop/a')).to.equal(false);
    });

    it('hides every older incarnation of the name, too', () => {
      const { overlay, event } = fixture();
      event(at(1));
      overlay.written(at(7, 'u2'));
      overlay.deleted({ key: 'shop/a', uid: 'u2' });
      expect(overlay.has('shop/a')).to.equal(false);
      event(at(3));
      event(at(4), true);
      expect(overlay.inspect().pending).to.equal(1);
      event(at(7, 'u2'));
      expect(overlay.has('shop/a')).to.equal(false);
      event(at(8, 'u2'), true);
      expect(overlay.inspect().pending).to.equal(0);
    });

    it('hides an earlier write, when only its deletion shows that it is over', () => {
      const { overlay, event } = fixture();
      overlay.written(at(5));
      overlay.deleted({ key: 'shop/a', uid: 'u2' });
      overlay.written(at(9, 'u2'));
      expect(overlay.has('shop/a')).to.equal(false);
      event(at(5));
      event(at(6), true);
      event(at(9, 'u2'));
      expect(overlay.has('shop/a')).to.equal(false);
      event(at(10, 'u2'), true);
      expect(overlay.inspect().pending).to.equal(0);
    });

    it('refuses a late write also when its deletion was long ago', () => {
      const { overlay, event } = fixture({ capacity: 2 });
      event(at(1));
      overlay.deleted({ key: 'shop/a', uid: 'u1' });
      for (const uid of ['u2', 'u3', 'u4', 'u5']) overlay.deleted({ key: 'shop/x', uid });
      expect(overlay.isOwnDeletion('shop/a', 'u1')).to.equal(false);
      overlay.written(at(3));
      expect(overlay.has('shop/a')).to.equal(false);
    });

    it('gives way to a recreation, own or observed, in either order', () => {
      for (const answer of [at(5), { key: 'shop/a', uid: 'u1' }]) {
        const own = fixture();
        own.event(at(1));
        own.overlay.deleted(answer);
        own.overlay.written(at(7, 'u2'));
        expect(shown(own.overlay)).to.equal('7');

        const late = fixture();
        late.event(at(1));
        late.overlay.written(at(7, 'u2'));
        late.overlay.deleted(answer);
        expect(shown(late.overlay)).to.equal('7');

        const observed = fixture();
        observed.event(at(1));
        observed.overlay.deleted(answer);
        observed.event(at(7, 'u2'));
        expect(shown(observed.overlay)).to.equal('7');
        expect(observed.overlay.inspect().pending).to.equal(0);
      }
    });

    it('leaves nothing behind when the event is faster than the answer', () => {
      for (const answer of [at(5), { key: 'shop/a', uid: 'u1' }]) {
        const { overlay, event } = fixture();
        event(at(1));
        event(at(5), true);
        overlay.deleted(answer);
        event(at(7, 'u2'));
        overlay.deleted(answer);
        expect(shown(overlay)).to.equal('7');
        expect(overlay.inspect().pending).to.equal(0);
      }
    });
  });

  describe('complete lists', () => {
    it('drop what they cover, deletions without a resource version too', () => {
      const { overlay, event, relist } = fixture();
      event(at(1));
      event(pod('b', { uid: 'u2', resourceVersion: '2' }));
      overlay.deleted({ key: 'shop/a', uid: 'u1' });
      overlay.written(pod('b', { uid: 'u2', resourceVersion: '4' }));
      relist([pod('c', { uid: 'u3', resourceVersion: '3' })], '6');
      expect(overlay.inspect().pending).to.equal(0);
      expect(overlay.keys()).to.deep.equal(['shop/c']);
    });

    it('do not show again what was deleted while they were on their way', () => {
      const { overlay, event, relist } = fixture();
      event(at(1));
      overlay.deleted({ key: 'shop/a', uid: 'u1' });
      relist([at(1)], '6');
      expect(overlay.has('shop/a')).to.equal(false);
      event(at(8), true);
      expect(overlay.inspect().pending).to.equal(0);
    });

    it('that are older than what was deleted do not show its predecessor', () => {
      const { overlay, relist, event } = fixture();
      overlay.written(at(7, 'u2'));
      overlay.deleted({ key: 'shop/a', uid: 'u2' });
      relist([at(3)], '4');
      expect(overlay.has('shop/a')).to.equal(false);
      event(at(5), true);
      expect(overlay.inspect().pending).to.equal(1);
      event(at(8, 'u2'), true);
      expect(overlay.inspect().pending).to.equal(0);
    });

    it('are believed when a second one still shows the object', () => {
      const { overlay, event, relist } = fixture();
      event(at(1));
      overlay.deleted({ key: 'shop/a', uid: 'u1' });
      relist([at(1)], '6');
      relist([at(1)], '9');
      expect(shown(overlay)).to.equal('1');
      relist([at(1)], '10');
      expect(shown(overlay)).to.equal('1');
    });

    it('hide what was deleted unseen', () => {
      const { overlay, relist } = fixture();
      overlay.deleted({ key: 'shop/a', uid: 'u1' });
      relist([at(3)], '6');
      expect(overlay.size).to.equal(0);
    });

    it('shows an answer that may be the change of another, which is no own write', () => {
      const { overlay } = fixture();
      overlay.written(at(60), false);
      expect(shown(overlay)).to.equal('60');
      expect(overlay.isOwn('shop/a', '60')).to.equal(false);
    });

    it('of an older state empty the overlay: a restored backup', async () => {
      const { overlay, relist } = fixture();
      overlay.processed('50');
      overlay.written(at(60));
      const waiting = overlay.caughtUp('60');
      relist([at(3)], '10');
      expect(shown(overlay)).to.equal('3');
      expect(overlay.inspect()).to.include({ pending: 0, processed: '10' });
      expect(overlay.isOwn('shop/a', '60')).to.equal(false);
      const error = await waiting.catch((caught: unknown) => caught);
      expect(error).to.include({ code: 'HISTORY_REPLACED' });
      overlay.written(at(11));
      expect(shown(overlay)).to.equal('11');
    });
  });
});
