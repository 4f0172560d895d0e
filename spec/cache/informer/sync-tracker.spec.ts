import { expect } from 'chai';
import { SyncTracker } from '../../../lib/cache/informer/sync-tracker.ts';
import { codeOf } from '../support/objects.ts';

describe('SyncTracker', () => {
  it('is synced once the informer is and everything that was started is finished', () => {
    const tracker = new SyncTracker('a');
    tracker.start(2);
    tracker.finish();
    tracker.markUpstreamSynced();
    expect(tracker.synced).to.equal(false);
    expect(tracker.outstanding).to.equal(1);
    tracker.finish();
    expect(tracker.synced).to.equal(true);
  });

  it('is not synced before the informer is', () => {
    const tracker = new SyncTracker('a');
    expect(tracker.synced).to.equal(false);
    tracker.start(1);
    tracker.finish();
    expect(tracker.synced).to.equal(false);
    tracker.markUpstreamSynced();
    expect(tracker.synced).to.equal(true);
  });

  it('is synced at once when there is nothing at all', async () => {
    const tracker = new SyncTracker('a');
    tracker.markUpstreamSynced();
    expect(tracker.synced).to.equal(true);
    await tracker.whenSynced;
  });

  it('stays synced', () => {
    const tracker = new SyncTracker('a');
    tracker.markUpstreamSynced();
    tracker.start(5);
    expect(tracker.synced).to.equal(true);
  });

  it('notices when more is finished than was started', () => {
    const tracker = new SyncTracker('a');
    expect(codeOf(() => tracker.finish())).to.equal('ASSERTION');
  });
});
