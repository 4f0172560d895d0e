import { expect } from 'chai';
import { guardedLogger, isSameLogger } from '../../../lib/kernel/report/guarded-logger.ts';
import { ConsoleLogger } from '../../../lib/kernel/report/console-logger.ts';
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

  it('prints one line for all guards of a logger', () => {
    const lines: string[] = [];
    const printed = new ConsoleLogger({ write: (line) => lines.push(line) });
    const throws = (): never => {
      throw new Error('disk full');
    };
    const logger = { debug: throws, info: throws, warn: throws, error: throws };
    for (let part = 0; part < 3; part += 1) guardedLogger(logger, printed).info('a');
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include('the logger failed: disk full');
  });

  it('is the same for a logger that is guarded already', () => {
    const guarded = guardedLogger({ ...silentLogger });
    expect(guardedLogger(guarded)).to.equal(guarded);
  });

  it('writes to the same logger as another guard of it', () => {
    const logger = { ...silentLogger };
    const guarded = guardedLogger(logger);
    expect(isSameLogger(guarded, guardedLogger(logger))).to.equal(true);
    expect(isSameLogger(guarded, logger)).to.equal(true);
    expect(isSameLogger(logger, guarded)).to.equal(true);
    expect(isSameLogger(guarded, guardedLogger({ ...silentLogger }))).to.equal(false);
    expect(isSameLogger(guarded, silentLogger)).to.equal(false);
  });

  it('loses only its line when that which it reports to throws too', () => {
    const throws = (): never => {
      throw new Error('disk full');
    };
    const logger = { debug: throws, info: throws, warn: throws, error: throws };
    expect(() => guardedLogger(logger, logger).info('a')).to.not.throw();
  });
});
