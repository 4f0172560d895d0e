import { expect } from 'chai';
import { pino, type Logger, type LoggerOptions } from 'pino';
import { connect } from '../../../lib/client/rest/connect.ts';
import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { pinoLogger } from '../../../lib/kernel/report/pino-logger.ts';
import { refused } from '../../support/refused.ts';

/** A logger of pino and the lines that it writes, without process and time. */
function recorded(options: LoggerOptions = {}): {
  readonly logger: Logger;
  readonly lines: Record<string, unknown>[];
} {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => {
    lines.push(JSON.parse(line) as Record<string, unknown>);
  };
  const logger = pino({ base: null, timestamp: false, level: 'debug', ...options }, { write });
  return { logger, lines };
}

describe('pinoLogger', () => {
  it('writes text and fields at the level of each line', () => {
    const { logger, lines } = recorded();
    const log = pinoLogger(logger);
    log.debug('connecting', { server: 'https://10.0.0.1' });
    log.info('leads');
    log.warn('watch failed', { reflector: 'pods', delayMs: 1600 });
    log.error('reconcile failed', { key: 'shop/web' });
    expect(lines).to.deep.equal([
      { level: 20, server: 'https://10.0.0.1', msg: 'connecting' },
      { level: 30, msg: 'leads' },
      { level: 40, reflector: 'pods', delayMs: 1600, msg: 'watch failed' },
      { level: 50, key: 'shop/web', msg: 'reconcile failed' },
    ]);
  });

  it('writes an error in the field for which pino has a serializer: type, message, stack, code and cause', () => {
    const { logger, lines } = recorded();
    const cause = new Error('disk full');
    const error = new ListwatchError('RECONCILE', 'sites: shop/web: disk full', { cause });
    pinoLogger(logger).error('reconcile failed', { key: 'shop/web', error, during: cause });
    const [{ err, ...line } = {}] = lines as { err?: Record<string, unknown> }[];
    expect(line).to.deep.equal({
      level: 50,
      key: 'shop/web',
      during: 'disk full',
      msg: 'reconcile failed',
    });
    expect(err).to.include({ type: 'ListwatchError', code: 'RECONCILE' });
    expect(err?.['message']).to.equal('sites: shop/web: disk full: disk full');
    expect(err?.['stack']).to.match(/pino-logger\.spec[^]*caused by: Error: disk full/);
  });

  it('writes the error in another field with option errorKey, as pino has it', () => {
    const { logger, lines } = recorded({ errorKey: 'error' });
    pinoLogger(logger, { errorKey: 'error' }).warn('watch failed', { error: new Error('gone') });
    expect(lines[0]).to.have.nested.property('error.message', 'gone');
  });

  it('refuses what is no logger', () => {
    expect(() => pinoLogger(undefined as never)).to.throw(ListwatchError, /pino\(\) returns/);
  });
});

describe('the option "logger"', () => {
  it('refuses a logger of pino, whose methods take the fields first, and names pinoLogger', async () => {
    const { logger } = recorded();
    const { code, message } = await refused(connect({ logger: logger.child({ part: 'a' }) }));
    expect(code).to.equal('INVALID_OPTION');
    expect(message).to.equal(
      'connect: option "logger" is a logger of pino or bunyan, whose methods take the fields before the text; give pinoLogger(logger) of listwatch/kernel',
    );
  });
});
