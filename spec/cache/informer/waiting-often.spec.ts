import { expect } from 'chai';
import { heapUsed } from '../../support/heap-used.ts';
import { Harness } from '../support/informer-harness.ts';
import { pod } from '../support/objects.ts';

const WAITS = 10_000;

describe('Waiting for an informer', () => {
  it('leaves nothing with it after many waits, before and after it is synced', async () => {
    const harness = new Harness({ objects: [pod('a')] });
    const registration = harness.informer.addHandler({ onAdd: () => {} });
    const gaveUp = AbortSignal.abort(new Error('enough'));
    const waitOnce = async (signal?: AbortSignal): Promise<void> => {
      await Promise.allSettled([
        harness.informer.whenSynced({ signal }),
        registration.whenSynced({ signal }),
      ]);
    };
    for (let index = 0; index < 100; index += 1) await waitOnce(gaveUp);
    const before = heapUsed();
    for (let index = 0; index < WAITS; index += 1) await waitOnce(gaveUp);
    expect(heapUsed() - before, 'while it is not synced').to.be.below(2e6);
    await harness.start();
    await waitOnce();
    const after = heapUsed();
    for (let index = 0; index < WAITS; index += 1) await waitOnce();
    expect(heapUsed() - after, 'once it is synced').to.be.below(2e6);
    await harness.stop();
  });
});
