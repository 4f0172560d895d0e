import { expect } from 'chai';
import { SyncTracker } from '../../../../lib/cache/informer/handlers/handler-queue.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { codeOf } from '../../support/objects.ts';

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

  it('counts a hundred, and stays synced though one more is finished', () => {
    const tracker = new SyncTracker('a');
    for (let count = 0; count < 100; count += 1) tracker.start(1);
    tracker.markUpstreamSynced();
    for (let count = 100; count > 0; count -= 1) {
      expect(tracker.synced).to.equal(false);
      expect(tracker.outstanding).to.equal(count);
      tracker.finish();
    }
    expect(tracker.synced).to.equal(true);
    expect(codeOf(() => tracker.finish())).to.equal('ASSERTION');
    expect(tracker.synced).to.equal(true);
  });

  const rows: readonly [steps: readonly ('start' | 'finish' | 'upstream')[], synced: boolean][] = [
    [[], false],
    [['upstream'], true],
    [['start', 'finish'], false],
    [['start', 'upstream'], false],
    [['start', 'finish', 'upstream'], true],
    [['start', 'upstream', 'finish'], true],
  ];
  for (const [steps, synced] of rows) {
    it(`is ${synced ? '' : 'not '}synced after ${steps.join(', ') || 'nothing'}`, () => {
      const tracker = new SyncTracker('a');
      for (const step of steps) {
        if (step === 'start') tracker.start(1);
        else if (step === 'finish') tracker.finish();
        else tracker.markUpstreamSynced();
      }
      expect(tracker.synced).to.equal(synced);
    });
  }

  it('is right for every order of starts and ends', async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const runtime = new VirtualRuntime({ seed, order: 'random' });
      const tracker = new SyncTracker('a');
      const early: number[] = [];
      for (let item = 0; item < 20; item += 1) {
        tracker.start(1);
        runtime.queueTask(() => {
          if (tracker.synced) early.push(item);
          tracker.finish();
        });
      }
      runtime.queueTask(() => {
        tracker.markUpstreamSynced();
      });
      await runtime.settle();
      expect(early).to.deep.equal([]);
      expect(tracker.synced).to.equal(true);
    }
  });
});
