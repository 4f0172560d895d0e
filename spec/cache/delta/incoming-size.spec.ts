import { expect } from 'chai';
import { DeltaFIFO } from '../../../lib/cache/delta/delta-fifo.ts';
import { pod } from '../support/objects.ts';
import { DecodedView } from '../../../lib/meta/object-view.ts';

const views = (...names: string[]): DecodedView<ReturnType<typeof pod>>[] =>
  names.map((name) => new DecodedView(pod(name)));

describe('DeltaFIFO.incoming', () => {
  it('is the objects of relists that are still coming in', () => {
    const fifo = new DeltaFIFO<DecodedView<ReturnType<typeof pod>>>();
    expect(fifo.incoming).to.equal(0);
    const relist = fifo.beginRelist();
    relist.add(views('a', 'b'));
    relist.add(views('b', 'c'));
    expect(fifo.incoming).to.equal(3);
    relist.commit('7');
    expect(fifo.incoming).to.equal(0);
    const broken = fifo.beginRelist();
    broken.add(views('a'));
    broken.discard();
    expect(fifo.incoming).to.equal(0);
    fifo.end();
  });
});
