import { Writable } from 'node:stream';
import { expect } from 'chai';
import winston from 'winston';
import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { winstonLogger } from '../../../lib/kernel/report/winston-logger.ts';

function recorded(options: winston.LoggerOptions = {}): {
  readonly logger: winston.Logger;
  readonly lines: Record<string, unknown>[];
} {
  const lines: Record<string, unknown>[] = [];
  const stream = new Writable({
    write: (line: Buffer, _encoding, done) => {
      lines.push(JSON.parse(line.toString()) as Record<string, unknown>);
      done();
    },
  });
  const transports = [new winston.transports.Stream({ stream })];
  const format = winston.format.json();
  return {
    logger: winston.createLogger({ level: 'debug', format, transports, ...options }),
    lines,
  };
}

describe('winstonLogger', () => {
  it('writes text and fields at the level of each line', () => {
    const { logger, lines } = recorded();
    const log = winstonLogger(logger);
    log.debug('connecting', { server: 'https://10.0.0.1' });
    log.info('leads');
    log.warn('watch failed', { reflector: 'pods', delayMs: 1600 });
    log.error('reconcile failed', { key: 'shop/web' });
    expect(lines).to.deep.equal([
      { level: 'debug', message: 'connecting', server: 'https://10.0.0.1' },
      { level: 'info', message: 'leads' },
      { level: 'warn', message: 'watch failed', reflector: 'pods', delayMs: 1600 },
      { level: 'error', message: 'reconcile failed', key: 'shop/web' },
    ]);
  });

  it('writes an error as an object with name, message, code, stack and cause, which every format shows', () => {
    const { logger, lines } = recorded();
    const cause = new Error('disk full');
    const error = new ListwatchError('RECONCILE', 'sites: shop/web: disk full', { cause });
    winstonLogger(logger).error('reconcile failed', { error });
    const shown = lines[0]?.['error'] as Record<string, unknown>;
    expect(shown).to.include({
      name: 'ListwatchError',
      message: 'sites: shop/web: disk full',
      code: 'RECONCILE',
    });
    expect(shown['stack']).to.match(/winston-logger\.spec/);
    expect(shown['cause']).to.include({ name: 'Error', message: 'disk full' });
  });

  it('ends a circle of causes', () => {
    const { logger, lines } = recorded();
    const error: Error & { cause?: unknown } = new Error('round');
    error.cause = error;
    winstonLogger(logger).error('failed', { error });
    expect(lines).to.have.length(1);
  });

  it('writes warnings at level warning with the levels of syslog', () => {
    const { logger, lines } = recorded({ levels: winston.config.syslog.levels });
    winstonLogger(logger).warn('watch failed');
    expect(lines).to.deep.equal([{ level: 'warning', message: 'watch failed' }]);
  });

  it('refuses what is no logger', () => {
    expect(() => winstonLogger({} as never)).to.throw(ListwatchError, /createLogger/);
  });
});
