import { expect } from 'chai';
import { deferred, type Deferred } from '../../../lib/kernel/time/latch.ts';
import { Lazy } from '../../../lib/kernel/data/lazy.ts';

describe('Lazy', () => {
  it('computes on the first read after a change, and once for all reads until the next', () => {
    let source = 1;
    let computations = 0;
    const lazy = new Lazy(() => {
      computations += 1;
      return source * 10;
    });
    expect(computations).to.equal(0);
    expect([lazy.get(), lazy.get()]).to.deep.equal([10, 10]);
    source = 2;
    expect(lazy.get()).to.equal(10);
    lazy.notify();
    expect(computations).to.equal(1);
    expect([lazy.get(), lazy.get()]).to.deep.equal([20, 20]);
    expect(computations).to.equal(2);
  });

  it('computes once for a thousand changes without a get between them', () => {
    let source = 0;
    let computations = 0;
    const lazy = new Lazy(() => {
      computations += 1;
      return source;
    });
    for (let round = 1; round <= 5; round += 1) {
      for (let change = 0; change < 1000; change += 1) {
        source += 1;
        lazy.notify();
      }
      expect(lazy.get()).to.equal(round * 1000);
    }
    expect(computations).to.equal(5);
  });

  it('shares a pending computation with all callers', async () => {
    const pending: Deferred<number>[] = [];
    const lazy = new Lazy(() => {
      pending.push(deferred<number>());
      return pending.at(-1)!.promise;
    });
    const readers = Array.from({ length: 100 }, () => lazy.get());
    pending[0]!.resolve(7);
    expect(new Set(await Promise.all(readers))).to.deep.equal(new Set([7]));
    expect(await lazy.get()).to.equal(7);
    expect(pending).to.have.length(1);
  });

  it('does not let a slow computation take the place of one that began after a change', async () => {
    const pending: Deferred<string>[] = [];
    const lazy = new Lazy(() => {
      pending.push(deferred<string>());
      return pending.at(-1)!.promise;
    });
    const slow = lazy.get();
    lazy.notify();
    const fast = lazy.get();
    pending[1]!.resolve('new');
    expect(await fast).to.equal('new');
    pending[0]!.resolve('old');
    expect(await slow).to.equal('old');
    expect(await lazy.get()).to.equal('new');
    expect(pending).to.have.length(2);
  });

  it('gives callers after a change the new value, while the old one is still computed', async () => {
    const pending: Deferred<string>[] = [];
    const lazy = new Lazy(() => {
      pending.push(deferred<string>());
      return pending.at(-1)!.promise;
    });
    const before = lazy.get();
    lazy.notify();
    const after = [lazy.get(), lazy.get()];
    pending[0]!.resolve('old');
    expect(await before).to.equal('old');
    pending[1]!.resolve('new');
    expect(await Promise.all(after)).to.deep.equal(['new', 'new']);
    expect(await lazy.get()).to.equal('new');
  });

  it('does not keep a value that a change overtook while it was computed', () => {
    let source = 1;
    const lazy: Lazy<number> = new Lazy(() => {
      const read = source;
      if (source === 1) {
        source = 2;
        lazy.notify();
      }
      return read;
    });
    expect(lazy.get()).to.equal(1);
    expect(lazy.get()).to.equal(2);
  });

  it('rejects the present callers with an error, and tries again for the next', async () => {
    let fails = true;
    const compute = (): number => {
      if (fails) throw new Error('not yet');
      return 5;
    };
    const plain = new Lazy(compute);
    const later = new Lazy(async () => {
      await Promise.resolve();
      return compute();
    });
    expect(() => plain.get()).to.throw('not yet');
    const first = await Promise.allSettled([later.get(), later.get()]);
    expect(first.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    fails = false;
    expect(plain.get()).to.equal(5);
    expect(await later.get()).to.equal(5);
  });

  it('does not drop a newer value when an older computation fails', async () => {
    const pending: Deferred<string>[] = [];
    const lazy = new Lazy(() => {
      pending.push(deferred<string>());
      return pending.at(-1)!.promise;
    });
    const failing = lazy.get();
    lazy.notify();
    const good = lazy.get();
    pending[1]!.resolve('good');
    await good;
    pending[0]!.reject(new Error('late'));
    const [settled] = await Promise.allSettled([failing]);
    expect(settled.status).to.equal('rejected');
    expect(await lazy.get()).to.equal('good');
    expect(pending).to.have.length(2);
  });
});
