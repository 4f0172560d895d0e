import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { inspect } from 'node:util';
import { expect } from 'chai';
import {
  errorCodes,
  errorMessage,
  isListwatchError,
  ListwatchError,
} from '../../../lib/kernel/failure/errors.ts';
import { revokedProxy } from '../../support/hostile-values.ts';

const PAGE = resolve(import.meta.dirname, '../../../docs/errors.md');
const BEGIN = '<!-- codes: begin -->';
const END = '<!-- codes: end -->';

const INTRODUCTION = `# Error codes

Every error that listwatch throws on purpose is a \`ListwatchError\` with a \`code\`. Codes are stable between major versions,
messages are not: match on \`error.code\`, never on the message. \`isListwatchError(error, 'CODE')\` also recognises errors of
another copy of the package. Failure answers of an API server are \`ApiError\`s; they carry the \`status\` as it came, and their
code follows from its reason.
`;

/** The remedy for each code on the page, which is written by hand. */
function remediesIn(page: string): ReadonlyMap<string, string> {
  const rows = page.matchAll(/^\| `([A-Z_]+)` \| .* \| ([^|]*) \|$/gm);
  return new Map(Array.from(rows, ([, code, remedy]) => [code!, remedy!]));
}

function table(remedies: ReadonlyMap<string, string>): string {
  const rows = Object.entries(errorCodes).map(
    ([code, meaning]) =>
      `| \`${code}\` | ${meaning.replaceAll('|', '\\\\|')} | ${remedies.get(code) ?? ''} |`,
  );
  const heading = ['| code | meaning | what to do |', '|---|---|---|'];
  return [BEGIN, ...heading, ...rows, END].join('\n');
}

/** The page with its table replaced; what people wrote around it stays. */
function rewritten(page: string): string {
  const [before = '', rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  const made = table(remediesIn(page));
  return after === undefined ? `${INTRODUCTION}\n${made}\n` : `${before}${made}${after}`;
}

describe('the error codes', () => {
  it('stand in docs/errors.md with their meanings (LISTWATCH_UPDATE_DOCS=1 rewrites it)', () => {
    const page = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '';
    if (process.env['LISTWATCH_UPDATE_DOCS'] === '1') writeFileSync(PAGE, rewritten(page));
    const written = readFileSync(PAGE, 'utf8');
    expect(written.split(BEGIN)[1]?.split(END)[0]).to.equal(
      table(remediesIn(written)).slice(BEGIN.length, -END.length),
    );
  });

  it('each have in docs/errors.md what to do about it, in sentences', () => {
    const remedies = remediesIn(readFileSync(PAGE, 'utf8'));
    for (const code of Object.keys(errorCodes)) {
      expect(remedies.get(code), code).to.match(/^[A-Z`].{5,}\.$/);
    }
  });

  it('are upper-case words, and their meanings are sentences', () => {
    for (const [code, meaning] of Object.entries(errorCodes)) {
      expect(code).to.match(/^[A-Z]+(_[A-Z]+)*$/);
      expect(meaning, code).to.match(/^[A-Z].*\.$/);
    }
  });
});

describe('ListwatchError', () => {
  it('carries code, message and cause, and the name of its class', () => {
    class PumpError extends ListwatchError {}
    const cause = new Error('root');
    const error = new PumpError('CLOSED', 'the pump is closed', { cause });
    expect(error).to.include({
      code: 'CLOSED',
      message: 'the pump is closed',
      name: 'PumpError',
      cause,
    });
    expect(error).to.be.an.instanceOf(Error);
    expect('cause' in new ListwatchError('CLOSED', 'x')).to.equal(false);
  });

  it('is recognised across copies of the package, by code or at all', () => {
    const ours = new ListwatchError('CLOSED', 'x');
    const foreign = Object.assign(new Error('x'), { isListwatchError: true, code: 'CLOSED' });
    for (const error of [ours, foreign]) {
      expect(isListwatchError(error)).to.equal(true);
      expect(isListwatchError(error, 'CLOSED')).to.equal(true);
      expect(isListwatchError(error, 'TIMEOUT')).to.equal(false);
    }
    const others: unknown[] = [
      undefined,
      null,
      'CLOSED',
      new Error('x'),
      { code: 'CLOSED' },
      () => {},
    ];
    for (const other of others) expect(isListwatchError(other)).to.equal(false);
  });

  it('is not recognised in what cannot be read', () => {
    expect(isListwatchError(revokedProxy())).to.equal(false);
  });

  it('shows its code and no mark when it is logged', () => {
    const error = new ListwatchError('CLOSED', 'x');
    expect(Object.keys(error)).to.have.members(['name', 'code']);
    expect(inspect(error)).to.include("code: 'CLOSED'").and.not.include('isListwatchError');
    expect(JSON.parse(JSON.stringify(error))).to.not.have.property('isListwatchError');
  });
});

describe('errorMessage', () => {
  it('finds words for anything that was thrown', () => {
    expect(errorMessage(new Error('no'))).to.equal('no');
    expect(errorMessage(new TypeError(''))).to.equal('TypeError');
    const lost = new AggregateError([new Error('refused'), 7, new TypeError('')]);
    expect(errorMessage(lost)).to.equal('refused; 7; TypeError');
    lost.errors = Array.from({ length: 9 }, () => lost);
    expect(errorMessage(lost)).to.match(/AggregateError; and 4 more$/);
    lost.errors = Array.from({ length: 6 }, () => 'refused');
    expect(errorMessage(lost)).to.match(/refused; and 1 more$/);
    lost.errors = Array.from({ length: 5 }, () => 'refused');
    expect(errorMessage(lost)).to.equal('refused; refused; refused; refused; refused');
    expect(errorMessage('text')).to.equal('text');
    for (const nothing of ['', undefined, null, 0, Symbol('s'), {}, []]) {
      expect(errorMessage(nothing)).to.be.a('string').that.is.not.equal('');
    }
  });

  it('never throws itself', () => {
    const hostile = {
      toString: (): string => {
        throw new Error('gotcha');
      },
    };
    expect(errorMessage(hostile)).to.equal('unknown error');
    expect(errorMessage(revokedProxy())).to.equal('unknown error');
    expect(errorMessage(Object.create(null))).to.equal('unknown error');
    const odd = new Error('x');
    Object.defineProperty(odd, 'message', { value: hostile });
    expect(errorMessage(odd)).to.equal('unknown error');
  });
});
