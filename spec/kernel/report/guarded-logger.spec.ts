import { expect } from 'chai';
import { guardedLogger } from '../../../lib/kernel/report/guarded-logger.ts';
import { silentLogger, type Logger } from '../../../lib/kernel/report/logger.ts';
import { lineLogger } from '../../support/line-logger.ts';

describe('guardedLogger', () => {
  let reported: string[];
  let fallback: Logger;

  beforeEach(() => {
    reported = [];
    fallback = lineLogger((line) => reported.push(line));
  });

  const LINE =
    'the logger failed: disk full; correct what is given as option "logger": lines that it does not take are lost (level=info)';

  it('passes lines on, with the `this` that the logger needs', () => {
    const lines: string[] = [];
    class Lines implements Logger {
      readonly #prefix = 'line';
      debug = (): void => {};
      info(message: string): void {
        lines.push(`${this.#prefix}: ${message}`);
      }
      warn(): void {}
      error(): void {}
    }
    const { info } = guardedLogger(new Lines(), fallback);
    info('a');
    expect(lines).to.deep.equal(['line: a']);
    expect(reported).to.deep.equal([]);
  });

  it('reports a logger that throws once, with what to do', () => {
    const throws = (): never => {
      throw new Error('disk full');
    };
    const logger = { debug: throws, info: throws, warn: throws, error: throws };
    const guarded = guardedLogger(logger, fallback);
    guarded.info('a');
    guarded.error('b');
    guardedLogger(logger, fallback).warn('c');
    expect(reported).to.deep.equal([LINE]);
  });

  it('reports a logger whose promise is rejected', async () => {
    const logger: Logger = {
      ...silentLogger,
      // oxlint-disable-next-line typescript/no-misused-promises -- what TypeScript accepts
      info: async () => await Promise.reject(new Error('disk full')),
    };
    guardedLogger(logger, fallback).info('a');
    await new Promise(setImmediate);
    expect(reported).to.deep.equal([LINE]);
  });

  it('is the same for a logger that is guarded already', () => {
    const guarded = guardedLogger({ ...silentLogger });
    expect(guardedLogger(guarded)).to.equal(guarded);
  });

  it('loses only its line when that which it reports to throws too', () => {
    const throws = (): never => {
      throw new Error('disk full');
    };
    const logger = { debug: throws, info: throws, warn: throws, error: throws };
    expect(() => guardedLogger(logger, logger).info('a')).to.not.throw();
  });
});
