import { expect } from 'chai';
import { deferred, Latch } from '../../../lib/kernel/time/latch.ts';

describe('Latch', () => {
  it('opens once for all waiters, before and after', async () => {
    const latch = new Latch('initial list');
    expect(latch.isOpen).to.equal(false);
    const waiting = Promise.all([latch.opened, latch.opened]);
    latch.open();
    latch.open();
    await waiting;
    await latch.opened;
    expect(latch.isOpen).to.equal(true);
    expect(latch.name).to.equal('initial list');
  });

  it('calls listeners when it opens, or at once, and those taken back never', () => {
    const latch = new Latch('door');
    const calls: string[] = [];
    const note = (): void => void calls.push('same');
    const releases = [note, note, () => calls.push('other')].map((one) => latch.onOpen(one));
    releases[0]!();
    latch.open();
    latch.open();
    expect(calls).to.deep.equal(['same', 'other']);
    latch.onOpen(() => calls.push('late'))();
    for (const release of releases) release();
    expect(calls).to.deep.equal(['same', 'other', 'late']);
  });
});

describe('deferred', () => {
  it('settles by its first call', async () => {
    const good = deferred<number>();
    good.resolve(1);
    good.reject(new Error('late'));
    expect(await good.promise).to.equal(1);
    const bad = deferred<number>();
    bad.reject(new Error('no'));
    expect(await bad.promise.catch((error: unknown) => error)).to.have.property('message', 'no');
  });
});
