import { expect } from 'chai';
import { SlotQueue } from '../../../../lib/controller/workqueue/keys/slot-queue.ts';
import { seededRandom } from '../../../../lib/kernel/time/random.ts';

describe('SlotQueue', () => {
  it('behaves as an array does, through twenty thousand random calls', () => {
    const random = seededRandom('slots');
    const queue = new SlotQueue();
    const model: number[] = [];
    for (let call = 0; call < 20_000; call += 1) {
      // Long phases of growth and of decay, so that it wraps, doubles and shrinks.
      const growing = Math.floor(call / 2500) % 2 === 0;
      if (random() < (growing ? 0.8 : 0.25)) {
        queue.push(call);
        model.push(call);
      } else if (model.length > 0) {
        expect(queue.shift()).to.equal(model.shift());
      }
      expect(queue.size).to.equal(model.length);
    }
    expect(model.length).to.be.greaterThan(100);
    expect(queue.drain()).to.deep.equal(model);
    expect(queue.size).to.equal(0);
  });

  it('drains oldest first, wherever its beginning lies, and goes on from there', () => {
    for (let offset = 0; offset < 40; offset += 1) {
      for (const size of [0, 1, 15, 16, 17, 33, 2000]) {
        const queue = new SlotQueue();
        for (let index = 0; index < offset; index += 1) queue.push(index);
        for (let index = 0; index < offset; index += 1) queue.shift();
        const slots = Array.from({ length: size }, (_, index) => index);
        for (const slot of slots) queue.push(slot);
        expect(queue.drain()).to.deep.equal(slots);
        queue.push(7);
        expect([queue.size, queue.shift(), queue.size]).to.deep.equal([1, 7, 0]);
      }
    }
  });
});
