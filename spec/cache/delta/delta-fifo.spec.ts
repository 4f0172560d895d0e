import { expect } from 'chai';
import { DeltaFIFO, type DeltaOrder } from '../../../lib/cache/delta/delta-fifo.ts';
import type { ErrorCode } from '../../../lib/kernel/failure/errors.ts';
import { codeOf, pod, type Pod } from '../support/objects.ts';
import { at, known, popAll, print } from './delta-support.ts';

const orders: readonly DeltaOrder[] = ['arrival', 'key'];

describe('DeltaFIFO', () => {
  for (const order of orders) {
    describe(`in the order of ${order}`, () => {
      it('is synced after the last item of the first replace was processed, and stays so', () => {
        const fifo = new DeltaFIFO<Pod>({ order });
        expect(fifo.synced).to.equal(false);
        fifo.bookmark('1');
        expect(fifo.synced).to.equal(false);
        fifo.replace([at('a', '1'), at('b', '2')], '2');
        const states: boolean[] = [];
        const initial: boolean[] = [];
        while (fifo.size > 0) {
          fifo.pop((_, info) => {
            states.push(fifo.synced);
            initial.push(info.initial);
          });
        }
        expect(states).to.not.include(true);
        expect(initial).to.not.include(false);
        expect(fifo.synced).to.equal(true);
        fifo.replace([at('c', '3')], '3');
        expect(fifo.synced).to.equal(true);
        fifo.pop((_, info) => expect(info.initial).to.equal(false));
      });

      it('is synced at once by a change that comes before any replace', () => {
        for (const write of ['add', 'update', 'delete'] as const) {
          const fifo = new DeltaFIFO<Pod>({ order });
          fifo[write](at('a', '1'));
          expect(fifo.synced, write).to.equal(true);
        }
      });

      it('is synced although processing the last initial item threw', () => {
        const fifo = new DeltaFIFO<Pod>({ order });
        fifo.replace([at('a', '1')], '1');
        const pop = (): unknown =>
          fifo.pop(() => {
            throw new Error('boom');
          });
        expect(pop).to.throw('boom');
        expect(fifo.size).to.equal(0);
        expect(fifo.synced).to.equal(true);
      });

      it('returns what the process function returns, and undefined when it is empty', () => {
        const fifo = new DeltaFIFO<Pod>({ order });
        expect(fifo.pop(() => 'called')).to.equal(undefined);
        fifo.add(at('a', '1'));
        expect(fifo.pop(() => 'called')).to.equal('called');
      });

      it('transforms every object once on its way in', () => {
        let calls = 0;
        const fifo = new DeltaFIFO<Pod>({
          order,
          knownObjects: known(at('b', '1'), at('c', '1')),
          transform: (object) => {
            calls += 1;
            const { name, resourceVersion } = object.metadata;
            return at(name!, `${resourceVersion}0`);
          },
        });
        fifo.replace([at('a', '1')], '1');
        fifo.update(at('a', '2'));
        fifo.resync();
        fifo.delete(at('b', '3'));
        expect(calls).to.equal(3);
        expect(popAll(fifo)).to.deep.equal(
          order === 'arrival'
            ? ['[a@10]@1', '~a@20', '..', '-b@30']
            : // Transformed known objects are not transformed again.
              ['=a@10 ~a@20', '-b@30', '-c@1!'],
        );
      });

      it('reports a bad object and keeps the rest', () => {
        const codes: ErrorCode[] = [];
        const fifo = new DeltaFIFO<Pod>({
          order,
          onError: ({ code }) => codes.push(code),
          transform: (object) => {
            if (object.metadata.name === 'bad') throw new Error('cannot');
            if (object.metadata.name === 'none') return undefined as unknown as Pod;
            return object;
          },
        });
        const nameless = { metadata: { resourceVersion: '1' } } as Pod;
        fifo.replace([nameless, at('a', '1'), at('bad', '1')], '1');
        fifo.apply([
          { type: 'ADDED', object: at('none', '2') },
          { type: 'MODIFIED', object: at('b', '2') },
          { type: 'DELETED', object: nameless },
        ]);
        expect(codes).to.deep.equal(['KEY', 'TRANSFORM', 'TRANSFORM', 'KEY']);
        expect(popAll(fifo)).to.deep.equal(
          order === 'arrival' ? ['[a@1]@1', '~b@2'] : ['=a@1', '~b@2'],
        );
        expect(fifo.synced).to.equal(true);
      });

      it('reports a bad object once, with many changes after it', () => {
        const codes: ErrorCode[] = [];
        const fifo = new DeltaFIFO<Pod>({ order, onError: ({ code }) => codes.push(code) });
        fifo.add({ metadata: { resourceVersion: '1' } });
        for (const version of ['2', '3']) fifo.add(at('a', version));
        fifo.replace([at('a', '4')], '4');
        expect(codes).to.deep.equal(['KEY']);
        fifo.delete({ metadata: { resourceVersion: '5' } });
        expect(codes).to.deep.equal(['KEY', 'KEY']);
      });

      it('throws the first failure after the rest was queued when there is no error hook', () => {
        const fifo = new DeltaFIFO<Pod>({ order });
        const apply = (): void =>
          fifo.apply([
            { type: 'ADDED', object: { metadata: {} } },
            { type: 'ADDED', object: at('a', '1') },
          ]);
        expect(codeOf(apply)).to.equal('KEY');
        expect(popAll(fifo)).to.deep.equal(['+a@1']);
      });

      it('still deletes an object that cannot be transformed, with the final state unknown', () => {
        const fifo = new DeltaFIFO<Pod>({
          order,
          knownObjects: known(at('a', '1')),
          onError: () => {},
          transform: () => {
            throw new Error('cannot');
          },
        });
        fifo.delete(at('a', '2'));
        expect(popAll(fifo)).to.deep.equal(['-a@?!']);
      });

      it('computes keys with the KeyFunc it was given', () => {
        const fifo = new DeltaFIFO<Pod>({
          order,
          keyFunc: ({ metadata }) => `k-${metadata?.name}`,
        });
        fifo.add(at('a', '1'));
        expect(popAll(fifo)).to.deep.equal(['+k-a@1']);
      });

      it('calls the KeyFunc once for an object', () => {
        let calls = 0;
        const fifo = new DeltaFIFO<Pod>({
          order,
          keyFunc: ({ metadata }) => {
            calls += 1;
            return metadata!.name!;
          },
        });
        fifo.replace([at('a', '1'), at('b', '1')], '1');
        fifo.add(at('c', '1'));
        popAll(fifo);
        expect(calls).to.equal(3);
      });

      it('never mixes items of the first replace with later ones in a batch', () => {
        const fifo = new DeltaFIFO<Pod>({ order });
        fifo.replace([at('a', '1'), at('b', '2')], '2');
        fifo.add(at('c', '3'));
        fifo.add(at('d', '4'));
        const batches: string[] = [];
        while (fifo.size > 0) {
          fifo.popBatch(10, (deltas, { initial }) => {
            batches.push(`${initial ? 'initial ' : ''}${deltas.map(print).join(' ')}`);
          });
        }
        expect(batches).to.deep.equal(
          order === 'arrival'
            ? ['initial [a@1 b@2]@2', '+c@3 +d@4']
            : ['initial =a@1 =b@2', '+c@3 +d@4'],
        );
      });

      it('takes no more items in a batch than it is asked for', () => {
        const fifo = new DeltaFIFO<Pod>({ order });
        for (let index = 0; index < 5; index += 1) fifo.add(at(`p${index}`, '1'));
        const sizes: number[] = [];
        while (fifo.size > 0) fifo.popBatch(2, (deltas) => sizes.push(deltas.length));
        expect(sizes).to.deep.equal([2, 2, 1]);
      });

      it('holds the producer back while it is full, until half of it is free', async () => {
        const fifo = new DeltaFIFO<Pod>({ order, capacity: 4 });
        for (let index = 0; index < 3; index += 1) fifo.add(at(`p${index}`, '1'));
        expect(fifo.waitForRoom()).to.equal(undefined);
        fifo.add(at('p3', '1'));
        const room = fifo.waitForRoom();
        expect(room).to.equal(fifo.waitForRoom());
        let free = false;
        void room?.then(() => {
          free = true;
        });
        fifo.pop(() => {});
        await Promise.resolve();
        expect(free).to.equal(false);
        fifo.pop(() => {});
        await room;
        expect(fifo.waitForRoom()).to.equal(undefined);
      });

      it('wakes all waiting readers when something comes, or when it is closed', async () => {
        const fifo = new DeltaFIFO<Pod>({ order });
        const waitTenTimes = (): Promise<boolean>[] =>
          Array.from({ length: 10 }, () => fifo.whenReady());
        const waits = waitTenTimes();
        fifo.add(at('a', '1'));
        expect(await Promise.all(waits)).to.deep.equal(Array.from(waits, () => true));
        expect(await fifo.whenReady()).to.equal(true);
        popAll(fifo);
        const more = waitTenTimes();
        fifo.end();
        expect(await Promise.all(more)).to.deep.equal(Array.from(more, () => false));
      });

      it('gives out what is queued after it was closed, and takes nothing more', async () => {
        const fifo = new DeltaFIFO<Pod>({ order, capacity: 1 });
        fifo.add(at('a', '1'));
        const room = fifo.waitForRoom();
        fifo.end();
        fifo.end();
        await room;
        expect(codeOf(() => fifo.add(at('b', '1')))).to.equal('FIFO_CLOSED');
        expect(codeOf(() => fifo.replace([], '1'))).to.equal('FIFO_CLOSED');
        expect(await fifo.whenReady()).to.equal(true);
        expect(popAll(fifo)).to.deep.equal(['+a@1']);
        expect(await fifo.whenReady()).to.equal(false);
      });
    });
  }

  it('refuses options it does not know, or out of range', () => {
    const bad: object[] = [{ oder: 'key' }, { order: 'random' }, { capacity: 0 }];
    for (const options of bad) {
      expect(codeOf(() => new DeltaFIFO<Pod>(options))).to.equal('INVALID_OPTION');
    }
  });

  it('refuses a batch of no items', () => {
    const fifo = new DeltaFIFO<Pod>();
    fifo.replace([], '1');
    for (const limit of [0, -1, 1.5, Number.NaN]) {
      expect(codeOf(() => fifo.popBatch(limit, () => {}))).to.equal('INVALID_OPTION');
    }
    fifo.popBatch(Infinity, () => {});
    expect(fifo.synced).to.equal(true);
  });

  it('reports every bad object of a write although the hook throws', () => {
    const keys: string[] = [];
    const fifo = new DeltaFIFO<Pod>({
      transform: () => {
        throw new Error('cannot');
      },
      onError: (error) => {
        if ('key' in error) keys.push(error.key);
        throw new Error(`hook ${keys.length}`);
      },
    });
    expect(() => fifo.replace([at('a', '1'), at('b', '1')], '1')).to.throw('hook 1');
    expect(keys).to.deep.equal(['a', 'b']);
    expect(popAll(fifo)).to.deep.equal(['[]@1']);
  });

  describe('in the order of arrival', () => {
    it('merges and drops nothing, and keeps the order of arrival', () => {
      const fifo = new DeltaFIFO<Pod>();
      fifo.add(at('a', '1'));
      fifo.add(at('b', '2'));
      fifo.update(at('a', '3'));
      fifo.delete(at('a', '4'));
      fifo.delete(at('unknown', '5'));
      fifo.add(at('a', '6'));
      expect(popAll(fifo)).to.deep.equal(['+a@1', '+b@2', '~a@3', '-a@4', '-unknown@5', '+a@6']);
    });

    it('carries a relist and a resync as one item each, and bookmarks in between', () => {
      const fifo = new DeltaFIFO<Pod>();
      fifo.add(at('x', '1'));
      fifo.bookmark('2');
      fifo.replace([at('a', '1'), at('b', '2')], '5');
      fifo.resync();
      fifo.replace([at('b', '2')], '6');
      expect(popAll(fifo)).to.deep.equal(['+x@1', '#2', '[a@1 b@2]@5', '..', '[b@2]@6']);
    });

    it('keeps the last of several listed objects with one key, and the order of the list', () => {
      const fifo = new DeltaFIFO<Pod>();
      fifo.replace([at('b', '1'), at('a', '1'), at('b', '2')], '5');
      expect(popAll(fifo)).to.deep.equal(['[b@2 a@1]@5']);
    });

    it('says which listed keys could not be read', () => {
      const fifo = new DeltaFIFO<Pod>({
        onError: () => {},
        transform: () => {
          throw new Error('cannot');
        },
      });
      fifo.replace([at('a', '1')], '1');
      fifo.pop(([delta]) => {
        expect(delta?.type === 'ReplacedAll' && [...delta.unreadable]).to.deep.equal(['a']);
      });
    });

    it('takes a transform that gives back a promise for one that failed', () => {
      const messages: string[] = [];
      const fifo = new DeltaFIFO<Pod>({
        onError: ({ message }) => messages.push(message),
        transform: (() => Promise.reject(new Error('late'))) as unknown as (pod: Pod) => Pod,
      });
      fifo.replace([at('a', '1')], '1');
      expect(messages).to.have.length(1);
      expect(messages[0]).to.include('a promise, and it has to be synchronous');
    });

    it('takes all for initial until each scope that it awaits has had its list', () => {
      const fifo = new DeltaFIFO<Pod>();
      const initial: boolean[] = [];
      const pop = (): void => {
        fifo.pop((_, info) => initial.push(info.initial));
      };
      fifo.awaitScopes(['a/', 'b/']);
      fifo.beginRelist(undefined, 'a/').commit('1');
      pop();
      fifo.add(pod('a/late', { resourceVersion: '2' }));
      pop();
      expect(fifo.synced).to.equal(false);
      fifo.beginRelist(undefined, 'b/').commit('3');
      expect(fifo.synced).to.equal(false);
      pop();
      expect(fifo.synced).to.equal(true);
      fifo.beginRelist(undefined, 'b/').commit('4');
      pop();
      expect(initial).to.deep.equal([true, true, true, false]);
      expect(fifo.synced).to.equal(true);
    });

    it('is not synced by an empty first list before that was processed', () => {
      const fifo = new DeltaFIFO<Pod>();
      fifo.replace([], '1');
      expect(fifo.synced).to.equal(false);
      fifo.pop(() => {});
      expect(fifo.synced).to.equal(true);
    });
  });

  describe('in the order of keys', () => {
    const order = 'key';

    it('gives all deltas of a key at once, at the place where the key came first', () => {
      const fifo = new DeltaFIFO<Pod>({ order });
      fifo.add(at('a', '1'));
      fifo.add(at('b', '2'));
      fifo.update(at('a', '3'));
      fifo.delete(at('a', '4'));
      expect(popAll(fifo)).to.deep.equal(['+a@1 ~a@3 -a@4', '+b@2']);
      fifo.add(at('b', '5'));
      fifo.add(at('a', '6'));
      expect(popAll(fifo)).to.deep.equal(['+b@5', '+a@6']);
    });

    it('ignores a deletion of an unknown object', () => {
      const alone = new DeltaFIFO<Pod>({ order });
      alone.delete(at('a', '1'));
      expect(alone.size).to.equal(0);
      const fifo = new DeltaFIFO<Pod>({ order, knownObjects: known(at('a', '1')) });
      fifo.delete(at('b', '2'));
      fifo.delete(at('a', '2'));
      expect(popAll(fifo)).to.deep.equal(['-a@2']);
    });

    it('keeps one of two deletions in a row, the one that saw the final state', () => {
      const store = known(at('a', '1'));
      const fifo = new DeltaFIFO<Pod>({ order, knownObjects: store });
      fifo.delete(at('a', '2'));
      fifo.replace([], '5');
      expect(popAll(fifo)).to.deep.equal(['-a@2']);
      fifo.replace([], '5');
      fifo.delete(at('a', '6'));
      expect(popAll(fifo)).to.deep.equal(['-a@6']);
    });

    it('deletes what a list lacks, with the newest queued state, otherwise the known one', () => {
      const fifo = new DeltaFIFO<Pod>({
        order,
        knownObjects: known(at('a', '1'), at('b', '1'), at('c', '1')),
      });
      fifo.update(at('b', '2'));
      fifo.add(at('new', '3'));
      fifo.replace([at('a', '1')], '5');
      expect(popAll(fifo)).to.deep.equal(['~b@2 -b@2!', '+new@3 -new@3!', '=a@1', '-c@1!']);
    });

    it('deletes queued objects without known ones, and once only', () => {
      const fifo = new DeltaFIFO<Pod>({ order });
      fifo.add(at('a', '1'));
      fifo.replace([at('b', '2')], '5');
      fifo.replace([at('b', '2')], '6');
      expect(popAll(fifo)).to.deep.equal(['+a@1 -a@1!', '=b@2 =b@2']);
    });

    it('does not delete what is in the list but could not be read', () => {
      const fifo = new DeltaFIFO<Pod>({
        order,
        knownObjects: known(at('a', '1')),
        onError: () => {},
        transform: () => {
          throw new Error('cannot');
        },
      });
      fifo.replace([at('a', '2')], '5');
      expect(fifo.size).to.equal(0);
    });

    it('resyncs known objects that are not queued', () => {
      const fifo = new DeltaFIFO<Pod>({
        order,
        knownObjects: known(at('a', '1'), at('b', '1'), at('c', '1')),
      });
      fifo.update(at('b', '2'));
      fifo.delete(at('c', '2'));
      fifo.resync();
      expect(popAll(fifo)).to.deep.equal(['~b@2', '-c@2', '.a@1']);
    });

    it('counts the deletions of the first list as part of it', () => {
      const fifo = new DeltaFIFO<Pod>({ order, knownObjects: known(at('gone', '1')) });
      fifo.replace([at('a', '2'), at('a', '3')], '5');
      fifo.pop((deltas, { initial }) => {
        expect(deltas.map(print)).to.deep.equal(['=a@3']);
        expect(initial).to.equal(true);
      });
      expect(fifo.synced).to.equal(false);
      fifo.pop((deltas, { initial }) => {
        expect(deltas.map(print)).to.deep.equal(['-gone@1!']);
        expect(initial).to.equal(true);
      });
      expect(fifo.synced).to.equal(true);
    });

    it('is synced at once by an empty first list', () => {
      const fifo = new DeltaFIFO<Pod>({ order });
      fifo.replace([], '1');
      expect(fifo.synced).to.equal(true);
    });

    it('counts every delta of a key against its capacity', () => {
      const fifo = new DeltaFIFO<Pod>({ order, capacity: 3 });
      for (const version of ['1', '2', '3']) fifo.update(at('hot', version));
      expect(fifo.size).to.equal(1);
      expect(fifo.waitForRoom()).to.be.instanceOf(Promise);
    });
  });
});
