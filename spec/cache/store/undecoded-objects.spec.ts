import { expect } from 'chai';
import { metaNamespaceIndexFunc } from '../../../lib/cache/store/indexers.ts';
import { hides, isOver, type OverlayEntry } from '../../../lib/cache/store/layered-store.ts';
import { ThreadSafeStore } from '../../../lib/cache/store/thread-safe-store.ts';
import { WriteOverlay } from '../../../lib/cache/store/write-overlay.ts';
import { DecodeCounts, UndecodedView } from '../support/undecoded-view.ts';

const counts = new DecodeCounts();

const view = (name: string, resourceVersion: string): UndecodedView =>
  new UndecodedView({ name, namespace: 'shop', uid: `uid-${name}`, resourceVersion }, counts);

describe('a view over bytes in the cache', () => {
  afterEach(() => {
    expect(counts).to.deep.equal({ metadata: 0, objects: 0 });
  });

  it('is filed by its namespace undecoded', () => {
    expect(metaNamespaceIndexFunc(view('web', '1'))).to.deep.equal(['shop']);
    expect(metaNamespaceIndexFunc(new UndecodedView({ name: 'node' }, counts))).to.deep.equal(['']);
    expect(metaNamespaceIndexFunc.metadataOnly).to.equal(true);
  });

  it('is compared with own writes undecoded', () => {
    const deletion: OverlayEntry<UndecodedView> = {
      key: 'shop/web',
      uid: 'uid-web',
      resourceVersion: undefined,
      since: '5',
      object: undefined,
      deleted: true,
      listed: false,
    };
    expect(hides(deletion, view('web', '9'))).to.equal(true);
    expect(isOver(deletion, view('web', '9'), false)).to.equal(false);
    expect(isOver({ ...deletion, resourceVersion: '8' }, view('web', '9'), false)).to.equal(true);
  });

  it('is passed by an overlay without own writes undecoded', () => {
    const overlay = new WriteOverlay<UndecodedView>({ store: new ThreadSafeStore() });
    overlay.observed('shop/web', view('web', '9'), false);
    expect(overlay.isOwn('shop/web', '9')).to.equal(false);
    expect(overlay.isOwnDeletion('shop/web', 'uid-web')).to.equal(false);
    overlay.processed('9');
    overlay.replaced('10');
    expect(overlay.inspect()).to.deep.include({ pending: 0, processed: '10' });
  });
});
