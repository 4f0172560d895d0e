import { expect } from 'chai';
import { errorReport } from '../../../lib/kernel/failure/error-report.ts';
import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { revokedProxy } from '../../support/hostile-values.ts';

const text = (error: unknown): string => errorReport(error).join('\n');
const titles = (error: unknown): string[] =>
  errorReport(error).filter((line) => !line.trim().startsWith('at '));

describe('errorReport', () => {
  it('shows an error with its stack, which names the file', () => {
    const [title, ...frames] = errorReport(new TypeError('boom'));
    expect(title).to.equal('TypeError: boom');
    expect(frames[0]).to.match(/^ {4}at .*error-report\.spec\.ts:\d+:\d+/);
  });

  it('shows the causes of an error, each with its stack', () => {
    const root = new Error('disk full');
    const error = new Error('cannot save', { cause: new RangeError('no room', { cause: root }) });
    expect(titles(error)).to.deep.equal([
      'Error: cannot save',
      '  caused by: RangeError: no room',
      '    caused by: Error: disk full',
    ]);
    expect(
      errorReport(error).filter((line) => line.includes('error-report.spec.ts')),
    ).to.have.length.above(2);
  });

  it('shows the errors of an AggregateError, numbered', () => {
    const error = new AggregateError([new Error('one'), 'two', new TypeError('three')]);
    expect(titles(error)).to.deep.equal([
      'AggregateError: one; two; three',
      '  1 of 3: Error: one',
      '  2 of 3: two',
      '  3 of 3: TypeError: three',
    ]);
  });

  it('shows what was thrown, and not the error that this package wraps around it', () => {
    const cause = new Error('boom');
    expect(titles(new ListwatchError('HANDLER', 'onAdd threw: boom', { cause }))).to.deep.equal([
      'Error: boom',
    ]);
    expect(errorReport(new ListwatchError('RECONCILE', 'not finished after 5 ms'))).to.deep.equal(
      [],
    );
  });

  it('shows an error of this package with its code where it is the cause of another', () => {
    const cause = new ListwatchError('CONFLICT', 'the object changed');
    expect(titles(new ListwatchError('RECONCILE', 'x', { cause }))).to.deep.equal([
      'ListwatchError [CONFLICT]: the object changed',
    ]);
  });

  it('is empty for errors of this package that say everything, and for values that are not errors', () => {
    const cause = new Error('socket');
    for (const error of [new ListwatchError('TIMEOUT', 'x', { cause }), 'text', undefined, {}]) {
      expect(errorReport(error)).to.deep.equal([]);
    }
    expect(text(new ListwatchError('ASSERTION', 'x'))).to.include('error-report.spec.ts');
  });

  it('is bounded for every error', () => {
    const circle = new Error('circle');
    circle.cause = circle;
    expect(titles(circle)).to.deep.equal(['Error: circle', '  caused by: circle (shown above)']);
    let deep = new Error('0');
    for (let index = 1; index < 1000; index += 1) deep = new Error(String(index), { cause: deep });
    expect(titles(deep)).to.have.length.below(20);
    const wide = new AggregateError(
      Array.from({ length: 5000 }, (_, index) => new Error(`e${index}`)),
    );
    expect(titles(wide).at(-1)).to.equal('  … and 4985 more');
    const long = new Error('x'.repeat(1_000_000));
    expect(text(long)).to.have.length.below(100_000);
  });

  it('lets no message write a line of the log, and survives errors that cannot be read', () => {
    expect(titles(new Error('a\nlistwatch: error: forged\u001b[31m'))).to.have.length(1);
    const odd = new Error('odd', { cause: revokedProxy() });
    expect(titles(odd)).to.deep.equal(['Error: odd', '  caused by: unknown error']);
    Object.defineProperty(odd, 'stack', {
      get: () => {
        throw new Error('gotcha');
      },
    });
    expect(titles(odd)[0]).to.equal('odd');
    expect(errorReport(revokedProxy())).to.deep.equal([]);
  });
});
