import { expect } from 'chai';
import { ObjectSizes } from '../../../../lib/server/storage/value/object-sizes.ts';

describe('ObjectSizes', () => {
  it('averages the newest size of each object', () => {
    const sizes = new ObjectSizes();
    expect([sizes.count, sizes.averageBytes]).to.deep.equal([0, 0]);
    sizes.note('a', 2n, 100);
    sizes.note('b', 3n, 300);
    sizes.note('a', 5n, 500);
    expect([sizes.count, sizes.averageBytes]).to.deep.equal([2, 400]);
  });

  it('is not led astray by what comes late', () => {
    const sizes = new ObjectSizes();
    sizes.note('a', 5n, 500);
    sizes.note('a', 2n, 100);
    sizes.forget('a', 4n);
    expect([sizes.count, sizes.averageBytes]).to.deep.equal([1, 500]);
    sizes.forget('a', 6n);
    sizes.forget('missing', 9n);
    expect([sizes.count, sizes.averageBytes]).to.deep.equal([0, 0]);
  });

  it('drops what others have deleted, and keeps what came after', () => {
    const sizes = new ObjectSizes();
    sizes.note('kept', 2n, 10);
    sizes.note('gone', 3n, 1000);
    sizes.note('newer', 9n, 30);
    sizes.retain(['kept'], 5n);
    expect([sizes.count, sizes.averageBytes]).to.deep.equal([2, 20]);
  });
});
