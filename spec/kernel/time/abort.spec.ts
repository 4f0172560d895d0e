import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { abortable, deriveAbort, onAbort } from '../../../lib/kernel/time/abort.ts';
import { deferred } from '../../../lib/kernel/time/latch.ts';

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    (error: unknown) => error,
  );

describe('onAbort', () => {
  it('calls once, and leaves no listener when taken back', () => {
    const controller = new AbortController();
    let calls = 0;
    const release = onAbort(controller.signal, () => (calls += 1));
    const releaseUnused = onAbort(controller.signal, () => (calls += 10));
    expect(listeners(controller.signal)).to.equal(2);
    releaseUnused();
    controller.abort();
    release();
    expect(calls).to.equal(1);
    expect(listeners(controller.signal)).to.equal(0);
  });

  it('takes one function twice for two listeners', () => {
    const controller = new AbortController();
    let calls = 0;
    const count = (): void => void (calls += 1);
    const releases = [1, 2, 3].map(() => onAbort(controller.signal, count));
    releases[0]!();
    controller.abort();
    expect(calls).to.equal(2);
  });

  it('leaves nothing on a signal that a hundred thousand operations were bound to', async () => {
    const { signal } = new AbortController();
    for (let index = 0; index < 100_000; index += 1) {
      onAbort(signal, () => {})();
      const child = deriveAbort(signal);
      if (index % 2 === 0) child.abort();
      else child.destroy();
    }
    for (let index = 0; index < 1000; index += 1) {
      await abortable(Promise.resolve(), signal);
      await failureOf(abortable(Promise.reject(new Error('no')), signal));
    }
    expect(listeners(signal)).to.equal(0);
  });

  it('takes any number of listeners on one signal without a warning of a leak', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on('warning', note);
    const { signal } = new AbortController();
    const releases = Array.from({ length: 50 }, () => onAbort(signal, () => {}));
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    process.off('warning', note);
    for (const release of releases) release();
    expect(warnings).to.deep.equal([]);
  });

  it('calls at once for a signal that has aborted, and never without a signal', () => {
    let calls = 0;
    onAbort(AbortSignal.abort(), () => (calls += 1))();
    onAbort(undefined, () => (calls += 10))();
    expect(calls).to.equal(1);
  });
});

describe('deriveAbort', () => {
  it('aborts with its parent, for the same reason', () => {
    const parent = new AbortController();
    const child = deriveAbort(parent.signal);
    const reason = new Error('stop');
    parent.abort(reason);
    expect(child.signal.reason).to.equal(reason);
    expect(listeners(parent.signal)).to.equal(0);
    expect(deriveAbort(parent.signal).signal.reason).to.equal(reason);
  });

  it('aborts alone, and leaves no listener on its parent', () => {
    const parent = new AbortController();
    const child = deriveAbort(parent.signal);
    child.abort();
    expect(parent.signal.aborted).to.equal(false);
    expect(child.signal.reason).to.include({ code: 'ABORTED' });
    expect(listeners(parent.signal)).to.equal(0);
  });

  it('comes off its parent when disposed, and stays as it is', () => {
    const parent = new AbortController();
    {
      using child = deriveAbort(parent.signal);
      expect(listeners(parent.signal)).to.equal(1);
      expect(child.signal.aborted).to.equal(false);
    }
    expect(listeners(parent.signal)).to.equal(0);
    const other = deriveAbort(parent.signal);
    other.destroy();
    parent.abort();
    expect(other.signal.aborted).to.equal(false);
  });
});

describe('abortable', () => {
  it('settles as the work does, and leaves no listener', async () => {
    const { signal } = new AbortController();
    expect(await abortable(Promise.resolve(1), signal)).to.equal(1);
    expect(await abortable(Promise.resolve(2), undefined)).to.equal(2);
    const failure = new Error('no');
    expect(await failureOf(abortable(Promise.reject(failure), signal))).to.equal(failure);
    expect(listeners(signal)).to.equal(0);
  });

  it('rejects with the reason of the signal, and swallows what the work does later', async () => {
    const controller = new AbortController();
    const reason = new Error('stop');
    const work = deferred<never>();
    const result = failureOf(abortable(work.promise, controller.signal));
    controller.abort(reason);
    expect(await result).to.equal(reason);
    work.reject(new Error('late'));
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    expect(listeners(controller.signal)).to.equal(0);
  });
});
