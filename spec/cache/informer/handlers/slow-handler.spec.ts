import { expect } from 'chai';
import { Harness, recorder } from '../../support/informer-harness.ts';
import { pod } from '../../support/objects.ts';

const CHANGES = 500;
const LIMIT = 20;

describe('a handler whose callback does not return', () => {
  it('costs no other handler an event, and holds no more than its limit', async () => {
    const harness = new Harness({ objects: [pod('a')] });
    const { source, informer, runtime } = harness;
    const log: string[] = [];
    let calls = 0;
    let release = (): void => {};
    informer.addHandler(
      {
        onUpdate: async () => {
          calls += 1;
          if (calls > 1) return;
          await new Promise<void>((resolve) => {
            release = resolve;
          });
        },
      },
      { name: 'slow', buffer: { limit: LIMIT, whenFull: 'coalesce' } },
    );
    informer.addHandler(recorder(log), { name: 'fast' });
    await harness.start();
    for (let change = 1; change <= CHANGES; change += 1) {
      source.modify(pod('a', { labels: { change: String(change) } }));
      if (change % 50 === 0) await runtime.settle();
    }
    await runtime.settle();
    expect(calls).to.equal(1);
    expect(log.filter((line) => line.startsWith('~'))).to.have.length(CHANGES);
    expect(informer.indexer.get('shop/a')?.metadata?.labels).to.deep.equal({ change: '500' });
    const [slow, fast] = informer.inspect().handlers;
    expect(slow).to.include({ name: 'slow', synced: true });
    expect(slow?.pending).to.be.within(1, LIMIT + 50);
    expect(slow?.coalesced).to.be.greaterThan(CHANGES / 2);
    expect(fast).to.include({ name: 'fast', pending: 0, coalesced: 0 });
    release();
    await harness.stop();
  });
});
