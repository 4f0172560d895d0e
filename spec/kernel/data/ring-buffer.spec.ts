import { expect } from 'chai';
import { seededRandom } from '../../../lib/kernel/time/random.ts';
import { RingBuffer } from '../../../lib/kernel/data/ring-buffer.ts';

describe('RingBuffer', () => {
  it('behaves as an array does, through a hundred thousand random calls', () => {
    const random = seededRandom('ring');
    const ring = new RingBuffer<number>(4);
    const model: number[] = [];
    for (let call = 0; call < 100_000; call += 1) {
      // Long phases of growth and of decay, so that it wraps, doubles and shrinks.
      const growing = Math.floor(call / 5000) % 2 === 0;
      if (random() < (growing ? 0.8 : 0.25)) {
        ring.push(call);
        model.push(call);
      } else {
        expect(ring.shift()).to.equal(model.shift());
      }
      expect(ring.size).to.equal(model.length);
      if (call % 97 === 0) {
        expect(ring.peek()).to.equal(model[0]);
        expect(ring.at(model.length - 1)).to.equal(model.at(-1));
      }
      if (call % 9973 === 0) expect([...ring]).to.deep.equal(model);
    }
    expect(ring.drain()).to.deep.equal(model);
    expect(ring.size).to.equal(0);
  });

  it('drains oldest first, wherever its beginning lies', () => {
    for (let offset = 0; offset < 40; offset += 1) {
      for (const size of [1, 15, 16, 17, 33]) {
        const ring = new RingBuffer<number>();
        for (let index = 0; index < offset; index += 1) ring.push(-1);
        for (let index = 0; index < offset; index += 1) ring.shift();
        for (let index = 0; index < size; index += 1) ring.push(index);
        expect([...ring]).to.deep.equal(Array.from({ length: size }, (_, index) => index));
        expect(ring.drain()).to.deep.equal(Array.from({ length: size }, (_, index) => index));
        expect([ring.size, ring.peek()]).to.deep.equal([0, undefined]);
      }
    }
  });

  it('has nothing beyond its end', () => {
    const ring = new RingBuffer<number>();
    ring.push(7);
    for (const offset of [1, 15, 16, 17, 32, -1, -16]) {
      expect(ring.at(offset), `offset ${offset}`).to.equal(undefined);
    }
  });

  it('has nothing when it is empty', () => {
    const ring = new RingBuffer<string>();
    expect(ring.shift()).to.equal(undefined);
    expect(ring.peek()).to.equal(undefined);
    expect(ring.at(0)).to.equal(undefined);
    expect(ring.at(-1)).to.equal(undefined);
    expect(ring.drain()).to.deep.equal([]);
  });

  it('keeps nothing of what was taken, wherever its beginning lies', () => {
    const ring = new RingBuffer<number>();
    for (let round = 0; round < 40; round += 1) {
      ring.push(round);
      expect(ring.shift()).to.equal(round);
      expect(ring.peek(), `round ${round}`).to.equal(undefined);
    }
  });

  it('gives memory back when it has emptied after being large', () => {
    const ring = new RingBuffer<number>();
    for (const size of [1025, 5000]) {
      for (let count = 0; count < size; count += 1) ring.push(count);
      for (let count = 0; count < size; count += 1) expect(ring.shift()).to.equal(count);
      ring.push(7);
      expect([ring.size, ring.peek(), ring.at(0), ring.at(1)]).to.deep.equal([1, 7, 7, undefined]);
      expect(ring.shift()).to.equal(7);
    }
  });

  it('keeps values that look like nothing', () => {
    const ring = new RingBuffer<undefined | null | 0>();
    for (const value of [undefined, null, 0] as const) ring.push(value);
    expect(ring.size).to.equal(3);
    expect(ring.drain()).to.deep.equal([undefined, null, 0]);
  });

  it('works after clear', () => {
    const ring = new RingBuffer<number>();
    for (let count = 0; count < 100; count += 1) ring.push(count);
    ring.clear();
    ring.push(7);
    expect([...ring]).to.deep.equal([7]);
  });

  it('refuses to begin with more than there can be', () => {
    for (const capacity of [Infinity, Number.NaN, -1, 2 ** 31]) {
      expect(() => new RingBuffer(capacity)).to.throw('option "initialCapacity"');
    }
  });
});
