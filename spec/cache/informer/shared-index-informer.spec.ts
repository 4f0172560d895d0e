import { expect } from 'chai';
import { Harness, recorder } from '../support/informer-harness.ts';
import { pod } from '../support/objects.ts';

describe('SharedIndexInformer', () => {
  it('tells handlers the initial state and every change after it', async () => {
    const harness = new Harness({ objects: [pod('a'), pod('b')] });
    const log: string[] = [];
    harness.informer.addHandler(recorder(log));
    await harness.start();
    harness.source.add(pod('c'));
    harness.source.modify(pod('a', { labels: { x: 'y' } }));
    harness.source.delete({ namespace: 'shop', name: 'b' });
    await harness.settle();
    expect(log).to.deep.equal(['+shop/a@1!', '+shop/b@2!', '+shop/c@3', '~shop/a@4', '-shop/b@5']);
    expect(harness.informer.indexer.keys()).to.have.members(['shop/a', 'shop/c']);
    await harness.stop();
  });
});
