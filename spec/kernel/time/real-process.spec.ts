import { expect } from 'chai';
import {
  takeUncaughtExceptions,
  takeUnhandledRejections,
} from '../../../lib/kernel/time/real-process.ts';

const cases = [
  ['unhandledRejection', takeUnhandledRejections],
  ['uncaughtException', takeUncaughtExceptions],
] as const;

/** As node does when it happens. */
function emit(event: string, reason: unknown): void {
  (process as NodeJS.EventEmitter).emit(event, reason);
}

for (const [event, take] of cases) {
  describe(take.name, () => {
    const before = process.listeners(event as 'uncaughtException');
    const others: unknown[] = [];
    const other = (reason: unknown): void => {
      others.push(reason);
    };
    const putBack = (): void => {
      process.removeAllListeners(event);
      for (const one of before) process.on(event, one);
    };

    beforeEach(() => {
      others.length = 0;
      process.removeAllListeners(event);
      process.on(event, other);
    });
    afterEach(putBack);

    it('notifies the listener in place of all others', () => {
      const notified: unknown[] = [];
      const release = take((reason) => notified.push(reason));
      emit(event, 'first');
      release();
      expect(notified).to.deep.equal(['first']);
      expect(others).to.deep.equal([]);
    });

    it('gives it back to the others in the end', () => {
      const notified: unknown[] = [];
      take((reason) => notified.push(reason))();
      emit(event, 'second');
      expect(notified).to.deep.equal([]);
      expect(others).to.deep.equal(['second']);
    });
  });
}
