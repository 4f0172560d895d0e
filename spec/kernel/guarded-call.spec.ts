import { expect } from 'chai';
import { guardedCall, isStrayPromise } from '../../lib/kernel/guarded-call.ts';

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
  it('tells promises from everything else', () => {
    expect(isStrayPromise(Promise.resolve(1))).to.equal(true);
    for (const value of [undefined, null, 1, 'then', {}, []]) {
      expect(isStrayPromise(value)).to.equal(false);
    }
  });

  it('takes care of a rejection that nobody will look at', async () => {
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
