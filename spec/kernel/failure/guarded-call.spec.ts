import { expect } from 'chai';
import {
  guardedCall,
  isPromiseLike,
  isStrayPromise,
  whenSettled,
} from '../../../lib/kernel/failure/guarded-call.ts';
import { unreadableThenables } from '../../support/hostile-values.ts';

function fail(): never {
  throw new Error('boom');
}

describe('guardedCall', () => {
  const hooks: Readonly<Record<string, () => unknown>> = {
    'a hook that throws': fail,
    'an async hook that rejects': () => Promise.reject(new Error('boom')),
    // oxlint-disable-next-line unicorn/no-thenable
    'a thenable that throws': () => ({ then: fail }),
  };
  for (const [title, hook] of Object.entries(hooks)) {
    it(`hands over the failure of ${title}, once`, async () => {
      const failures: unknown[] = [];
      guardedCall(hook, (error) => failures.push((error as Error).message));
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      expect(failures).to.deep.equal(['boom']);
    });
  }

  for (const [title, result] of unreadableThenables()) {
    it(`hands over the failure of a hook that returns ${title}, once`, async () => {
      const failures: unknown[] = [];
      guardedCall(
        () => result,
        (error) => failures.push(error),
      );
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      expect(failures).to.have.length(1);
    });
  }

  it('has nothing to hand over when all is well', async () => {
    const failures: unknown[] = [];
    for (const result of [undefined, null, 1, {}, Promise.resolve(2)]) {
      guardedCall(
        () => result,
        (error) => failures.push(error),
      );
    }
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    expect(failures).to.deep.equal([]);
  });
});

describe('isStrayPromise', () => {
  it('distinguishes promises from everything else', () => {
    expect(isStrayPromise(Promise.resolve(1))).to.equal(true);
    for (const value of [undefined, null, 1, 'then', {}, []]) {
      expect(isStrayPromise(value)).to.equal(false);
    }
  });

  for (const [title, value] of unreadableThenables()) {
    it(`takes ${title} for a promise`, () => {
      expect(isStrayPromise(value)).to.equal(true);
      expect(isPromiseLike(value)).to.equal(true);
    });
  }

  it('handles a rejection that has no handler', async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', listen);
    isStrayPromise(Promise.reject(new Error('boom')));
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    process.off('unhandledRejection', listen);
    expect(unhandled).to.deep.equal([]);
  });
});

describe('whenSettled', () => {
  it('passes on the result or the reason, once, and never in the same task step', async () => {
    const notified: unknown[] = [];
    const outcomes: readonly PromiseLike<unknown>[] = [
      Promise.resolve(1),
      Promise.reject(new Error('boom')),
      // oxlint-disable-next-line unicorn/no-thenable
      { then: fail },
      ...unreadableThenables().map(([, value]) => value as PromiseLike<unknown>),
    ];
    for (const outcome of outcomes) {
      whenSettled(
        outcome,
        (value) => notified.push(value),
        (error) => notified.push(error instanceof Error),
      );
    }
    expect(notified).to.deep.equal([]);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    expect(notified).to.have.members([1, ...outcomes.slice(1).map(() => true)]);
  });

  it('reads no then of a promise, as await does not', async () => {
    // oxlint-disable-next-line unicorn/no-thenable
    const promise = Object.defineProperty(Promise.resolve(1), 'then', { get: fail });
    const notified: unknown[] = [];
    whenSettled(
      promise,
      (value) => notified.push(value),
      (error) => notified.push(error),
    );
    expect(await promise).to.equal(1);
    expect(notified).to.deep.equal([1]);
  });
});
