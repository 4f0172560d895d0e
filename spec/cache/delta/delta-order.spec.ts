import { expect } from 'chai';
import { DeltaFIFO, type DeltaOrder } from '../../../lib/cache/delta/delta-fifo.ts';
import type { Pod } from '../support/objects.ts';
import { at, known, popAll, print } from './delta-support.ts';

const orders: readonly DeltaOrder[] = ['arrival', 'key'];

/** One producer: yields to the others after each object. */
async function produce(fifo: DeltaFIFO<Pod>, prefix: string, count: number): Promise<void> {
  for (let index = 1; index <= count; index += 1) {
    fifo.add(at(`${prefix}${index}`, String(index)));
    await Promise.resolve();
  }
}

describe('The order of deltas', () => {
  for (const order of orders) {
    describe(`by ${order}`, () => {
      it('is that of each of several producers at once', async () => {
        const fifo = new DeltaFIFO<Pod>({ order });
        const last = { a: 0, b: 0 };
        let mixed = 0;
        let before = 'b';
        const consume = async (): Promise<void> => {
          while (last.a + last.b < 1000) {
            expect(await fifo.whenReady()).to.equal(true);
            fifo.pop(([delta]) => {
              const producer = print(delta!)[1] as 'a' | 'b';
              const [, version = ''] = print(delta!).split('@');
              expect(Number(version)).to.equal(last[producer] + 1);
              last[producer] += 1;
              if (producer !== before) mixed += 1;
              before = producer;
            });
          }
        };
        await Promise.all([consume(), produce(fifo, 'a', 500), produce(fifo, 'b', 500)]);
        expect(last).to.deep.equal({ a: 500, b: 500 });
        expect(mixed).to.be.above(100);
      });

      it('keeps a relist behind the deletion of what it brings back', () => {
        const fifo = new DeltaFIFO<Pod>({ order, knownObjects: known(at('a', '1')) });
        fifo.delete(at('a', '1'));
        fifo.replace([at('a', '2')], '2');
        expect(popAll(fifo)).to.deep.equal(
          order === 'arrival' ? ['-a@1', '[a@2]@2'] : ['-a@1 =a@2'],
        );
      });

      it('keeps a relist behind the addition of the same object', () => {
        const fifo = new DeltaFIFO<Pod>({ order });
        fifo.add(at('a', '10'));
        fifo.replace([at('a', '15')], '20');
        expect(popAll(fifo)).to.deep.equal(
          order === 'arrival' ? ['+a@10', '[a@15]@20'] : ['+a@10 =a@15'],
        );
      });

      it('queues every change, and the deletion of what the consumer holds', () => {
        const fifo = new DeltaFIFO<Pod>({
          order,
          knownObjects: known(at('a', '5'), at('b', '6'), at('c', '7')),
        });
        fifo.add(at('a', '10'));
        fifo.update(at('b', '15'));
        fifo.delete(at('c', '20'));
        expect(popAll(fifo)).to.deep.equal(['+a@10', '~b@15', '-c@20']);
      });

      it('keeps the addition and the deletion of what the consumer has never seen', () => {
        const fifo = new DeltaFIFO<Pod>({ order, knownObjects: known() });
        fifo.add(at('a', '5'));
        fifo.delete(at('a', '6'));
        expect(popAll(fifo)).to.deep.equal(order === 'arrival' ? ['+a@5', '-a@6'] : ['+a@5 -a@6']);
      });

      it('gives a key no better place for being changed again', () => {
        const fifo = new DeltaFIFO<Pod>({ order });
        fifo.add(at('a', '10'));
        fifo.add(at('b', '1'));
        fifo.add(at('a', '11'));
        fifo.add(at('a', '13'));
        fifo.add(at('c', '30'));
        const popped: string[] = [];
        fifo.pop((deltas) => popped.push(deltas.map(print).join(' ')));
        fifo.add(at('a', '14'));
        expect([...popped, ...popAll(fifo)]).to.deep.equal(
          order === 'arrival'
            ? ['+a@10', '+b@1', '+a@11', '+a@13', '+c@30', '+a@14']
            : ['+a@10 +a@11 +a@13', '+b@1', '+c@30', '+a@14'],
        );
      });

      it('makes of a resync one item behind what was queued', () => {
        const alone = new DeltaFIFO<Pod>({ order, knownObjects: known(at('a', '5')) });
        alone.resync();
        expect(popAll(alone)).to.deep.equal(order === 'arrival' ? ['..'] : ['.a@5']);
        const fifo = new DeltaFIFO<Pod>({ order, knownObjects: known(at('a', '5')) });
        fifo.add(at('b', '6'));
        fifo.resync();
        expect(popAll(fifo)).to.deep.equal(order === 'arrival' ? ['+b@6', '..'] : ['+b@6', '.a@5']);
      });
    });
  }

  describe('in batches', () => {
    interface Case {
      readonly fact: string;
      readonly initial: readonly string[];
      readonly updates: readonly string[];
      readonly limit: number;
      readonly arrival: readonly string[];
      readonly key: readonly string[];
    }

    const cases: readonly Case[] = [
      {
        fact: 'holds the whole first list',
        initial: ['a', 'b', 'c'],
        updates: [],
        limit: 1000,
        arrival: ['initial [a@1 b@1 c@1]@1'],
        key: ['initial =a@1 =b@1 =c@1'],
      },
      {
        fact: 'ends where the first list ends',
        initial: ['a', 'b'],
        updates: ['c', 'd'],
        limit: 2,
        arrival: ['initial [a@1 b@1]@1', '~c@2 ~d@3'],
        key: ['initial =a@1 =b@1', '~c@2 ~d@3'],
      },
      {
        fact: 'may hold several changes of one object, in order',
        initial: ['a'],
        updates: ['a', 'a'],
        limit: 1000,
        arrival: ['initial [a@1]@1', '~a@2 ~a@3'],
        key: ['initial =a@1 ~a@2 ~a@3'],
      },
      {
        fact: 'may hold a listed object again at its end',
        initial: ['a', 'b'],
        updates: ['b', 'c'],
        limit: 1000,
        arrival: ['initial [a@1 b@1]@1', '~b@2 ~c@3'],
        key: ['initial =a@1 =b@1 ~b@2', '~c@3'],
      },
      {
        fact: 'may hold a listed object again in its middle',
        initial: ['a', 'b', 'c'],
        updates: ['b'],
        limit: 1000,
        arrival: ['initial [a@1 b@1 c@1]@1', '~b@2'],
        key: ['initial =a@1 =b@1 ~b@2 =c@1'],
      },
      {
        fact: 'splits the first list at the limit',
        initial: ['a', 'b', 'c'],
        updates: [],
        limit: 2,
        arrival: ['initial [a@1 b@1 c@1]@1'],
        key: ['initial =a@1 =b@1', 'initial =c@1'],
      },
      {
        fact: 'splits later changes at the limit, after an empty first list',
        initial: [],
        updates: ['a', 'b', 'c'],
        limit: 2,
        arrival: ['initial []@1', '~a@2 ~b@3', '~c@4'],
        key: ['~a@2 ~b@3', '~c@4'],
      },
      {
        fact: 'splits at the limit and where the first list ends',
        initial: ['a', 'b', 'c'],
        updates: ['d'],
        limit: 2,
        arrival: ['initial [a@1 b@1 c@1]@1', '~d@2'],
        key: ['initial =a@1 =b@1', 'initial =c@1', '~d@2'],
      },
    ];

    for (const { fact, initial, updates, limit, ...expected } of cases) {
      it(`${fact} (${limit})`, () => {
        for (const order of orders) {
          const fifo = new DeltaFIFO<Pod>({ order });
          fifo.replace(
            initial.map((name) => at(name, '1')),
            '1',
          );
          for (const [index, name] of updates.entries()) fifo.update(at(name, String(index + 2)));
          const batches: string[] = [];
          while (fifo.size > 0) {
            fifo.popBatch(limit, (deltas, info) => {
              batches.push(`${info.initial ? 'initial ' : ''}${deltas.map(print).join(' ')}`);
            });
          }
          expect(batches, order).to.deep.equal(expected[order]);
        }
      });
    }

    it('has no place for an object without a key, wherever it stood', () => {
      const bad = { metadata: {} } as Pod;
      const [good, better] = [at('a', '1'), at('b', '2')];
      for (const order of orders) {
        for (const objects of [
          [bad],
          [good, better, bad],
          [good, better, bad, bad],
          [bad, good, bad],
        ]) {
          let reported = 0;
          const fifo = new DeltaFIFO<Pod>({ order, onError: () => (reported += 1) });
          fifo.apply(objects.map((object) => ({ type: 'ADDED', object })));
          let popped = 0;
          fifo.popBatch(1000, (deltas) => {
            popped = deltas.length;
          });
          expect(reported).to.equal(objects.filter((object) => object === bad).length);
          expect(popped).to.equal(objects.length - reported);
          expect(fifo.size).to.equal(0);
        }
      }
    });
  });
});
