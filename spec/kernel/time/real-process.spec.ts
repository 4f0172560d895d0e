import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import {
  takeUncaughtExceptions,
  takeUnhandledRejections,
} from '../../../lib/kernel/time/real-process.ts';

const cases = [
  ['takeUnhandledRejections', 'unhandledRejection', takeUnhandledRejections],
  ['takeUncaughtExceptions', 'uncaughtException', takeUncaughtExceptions],
] as const;

for (const [name, event, take] of cases) {
  describe(name, () => {
    let source: EventEmitter;
    let others: unknown[];

    beforeEach(() => {
      source = new EventEmitter();
      others = [];
      source.on(event, (reason: unknown) => {
        others.push(reason);
      });
    });

    it('notifies the listener in place of all others', () => {
      const notified: unknown[] = [];
      const release = take((reason) => notified.push(reason), source);
      source.emit(event, 'first');
      release();
      expect(notified).to.deep.equal(['first']);
      expect(others).to.deep.equal([]);
    });

    it('gives it back to the others in the end, as they were', () => {
      const notified: unknown[] = [];
      const once: unknown[] = [];
      source.once(event, (reason: unknown) => {
        once.push(reason);
      });
      take((reason) => notified.push(reason), source)();
      for (const reason of ['second', 'third']) source.emit(event, reason);
      expect(notified).to.deep.equal([]);
      expect(others).to.deep.equal(['second', 'third']);
      expect(once).to.deep.equal(['second']);
    });

    it('is about the process by default', () => {
      const before = process.rawListeners(event);
      const listener = (): void => {};
      const release = take(listener);
      try {
        expect(process.rawListeners(event)).to.deep.equal([listener]);
      } finally {
        release();
      }
      expect(process.rawListeners(event)).to.deep.equal(before);
    });
  });
}
