import { ApiError, failure } from '../../../lib/meta/failure/api-error.ts';
import { expect } from 'chai';
import { ConsoleLogger, consoleLogger } from '../../../lib/kernel/report/console-logger.ts';
import { revokedProxy } from '../../support/hostile-values.ts';

describe('ConsoleLogger', () => {
  let nowMs: number;
  let lines: string[];
  let logger: ConsoleLogger;

  beforeEach(() => {
    nowMs = 0;
    lines = [];
    logger = new ConsoleLogger({
      runtime: { monotonicMs: () => nowMs },
      write: (line) => lines.push(line),
    });
  });

  it('writes warnings and errors, and nothing of less weight', () => {
    logger.debug();
    logger.info();
    logger.warn('the disk is slow');
    logger.error('the disk is gone');
    expect(lines).to.deep.equal([
      'listwatch: the disk is slow',
      'listwatch: error: the disk is gone',
    ]);
  });

  it('shows plain fields, and of an error only a message that the line does not have yet', () => {
    const error = new Error('disk full');
    logger.warn('cannot write: disk full', { error, secret: { token: 'hidden' } });
    logger.warn('cannot write', { error, attempt: 3, path: '/tmp' });
    expect(lines).to.deep.equal([
      'listwatch: cannot write: disk full',
      'listwatch: cannot write: disk full (path=/tmp attempt=3)',
    ]);
  });

  it('says the cause and the remedy of an error of a client once', () => {
    const request = { server: 'https://api', method: 'GET', path: '/api' };
    const problem = 'nothing listens there; check the port';
    const error = Object.assign(new Error(`GET https://api/api: ${problem}`), { problem, request });
    logger.warn(`reflector pods (https://api): ${problem}; it lists in 5 ms.`, { error });
    logger.warn('reflector pods', { error });
    expect(lines).to.deep.equal([
      'listwatch: reflector pods (https://api): nothing listens there; check the port; it lists in 5 ms.',
      'listwatch: reflector pods: GET https://api/api: nothing listens there; check the port',
    ]);
  });

  it('rounds numbers, which may be durations', () => {
    logger.warn('slow', { tookMs: 1633.0228111, delayMs: 5.354672622168437, count: 3 });
    expect(lines).to.deep.equal(['listwatch: slow (tookMs=1633 delayMs=5.4 count=3)']);
  });

  it('shows no value twice that the problem or the error has as a word', () => {
    const error = new Error('shops: a/b: boom after 3 s');
    logger.warn('reconcile failed', {
      controller: 'shops',
      key: 'a/b',
      seconds: 3,
      failures: 2,
      error,
    });
    logger.warn('watch failed', {
      problem: 'pods: gone; it lists in 812 ms',
      error: 'gone',
      name: 'pod',
      delayMs: 812,
    });
    expect(lines).to.deep.equal([
      'listwatch: reconcile failed: shops: a/b: boom after 3 s (failures=2)',
      'listwatch: watch failed: pods: gone; it lists in 812 ms (name=pod)',
    ]);
  });

  it('quotes values of several words', () => {
    logger.warn('wait', { waitsFor: 'a "list" (page 2)', ready: false });
    expect(lines).to.deep.equal(['listwatch: wait (waitsFor="a \\"list\\" (page 2)" ready=false)']);
  });

  it('shows the stack of an error once for each message, and then a line with a count', () => {
    const failing = (key: string, error: Error): void => {
      logger.error('failed', { problem: `${key}: ${error.message}`, error, failures: nowMs });
      nowMs += 6_000;
    };
    const error = new Error('boom');
    failing('a', error);
    expect(lines[0]).to.equal('listwatch: error: failed: a: boom (failures=0)');
    expect(lines[1]).to.equal('    Error: boom');
    expect(lines[2]).to.match(/^ {8}at .*console-logger\.spec\.ts/);
    const first = lines.length;
    for (let index = 0; index < 4; index += 1) failing('a', error);
    expect(lines.slice(first)).to.deep.equal([
      'listwatch: error: failed: a: boom (failures=12000) (3 times by now)',
    ]);
    failing('b', error);
    failing('a', new Error('boom'));
    expect(
      lines.slice(first + 1).filter((line) => line.startsWith('    Error: boom')),
    ).to.have.length(2);
  });

  it('accepts any thrown value as an error', () => {
    for (const error of [undefined, null, 'text', {}, revokedProxy()]) {
      logger.error('the hook threw', { error });
    }
    expect(lines[0]).to.equal('listwatch: error: the hook threw');
    expect(lines.at(-1)).to.include('the hook threw');
  });

  it('writes one line for every message, of bounded length and without control characters', () => {
    logger.warn('first\nsecond\r\n\u001b[31mthird\u2028fourth');
    logger.warn('x'.repeat(100_000));
    expect(lines[0]).to.equal('listwatch: first second [31mthird fourth');
    expect(lines[1]).to.have.length.below(5_000);
  });

  it('holds back a line that comes again, at growing distances, and says how often', () => {
    const writtenAt: number[] = [];
    for (nowMs = 0; nowMs < 100_000; nowMs += 1_000) {
      const before = lines.length;
      logger.warn('refused');
      if (lines.length > before) writtenAt.push(nowMs / 1_000);
    }
    expect(writtenAt).to.deep.equal([0, 10, 30, 70]);
    expect(lines.at(-1)).to.equal('listwatch: refused (and 39 times since the last such line)');
  });

  it('takes lines that differ only in a delay for the same', () => {
    logger.warn('refused; again in 812 ms');
    logger.warn('refused; again in 1633 ms');
    logger.warn('refused; again in 3 s');
    logger.warn('refused by 3 servers; again in 3 s');
    logger.error('refused; again in 812 ms');
    expect(lines).to.deep.equal([
      'listwatch: refused; again in 812 ms',
      'listwatch: refused by 3 servers; again in 3 s',
      'listwatch: error: refused; again in 812 ms',
    ]);
  });

  it('takes a line for new that was not seen for ten minutes', () => {
    logger.warn('refused');
    nowMs = 1_000;
    logger.warn('refused');
    nowMs = 601_000;
    logger.warn('refused');
    nowMs = 612_000;
    logger.warn('refused');
    expect(lines).to.deep.equal(Array.from({ length: 3 }, () => 'listwatch: refused'));
  });

  it('remembers a bounded number of lines', () => {
    for (let index = 0; index < 10_000; index += 1) logger.warn(`object ${index}`);
    logger.warn('object 0');
    logger.warn('object 9999');
    expect(lines).to.have.length(10_001);
  });

  it('writes to standard error by default', () => {
    const written: unknown[] = [];
    const { error } = console;
    console.error = (...args: unknown[]) => written.push(...args);
    try {
      consoleLogger.warn('only here: the sea is rough');
    } finally {
      console.error = error;
    }
    expect(written).to.deep.equal(['listwatch: only here: the sea is rough']);
  });
});

describe('a log line about a failed request', () => {
  it('has cause and remedy once, without the request of the error', () => {
    const lines: string[] = [];
    const logger = new ConsoleLogger({ write: (line) => lines.push(line) });
    const request = { server: 'https://10.0.0.1:6443', method: 'GET', path: '/api/v1/pods' };
    const context = { request, problem: 'not allowed', remedy: 'ask for access' };
    const error = new ApiError(failure('Forbidden', 'no').status, undefined, context);
    logger.warn('reflector pods (https://10.0.0.1:6443): not allowed; ask for access', { error });
    expect(lines).to.deep.equal([
      'listwatch: reflector pods (https://10.0.0.1:6443): not allowed; ask for access',
    ]);
    logger.warn('something else', { error });
    expect(lines[1]).to.equal(
      'listwatch: something else: GET https://10.0.0.1:6443/api/v1/pods: not allowed; ask for access',
    );
  });
});
