import { expect } from 'chai';
import { StderrLines } from '../../../../../lib/client/config/credentials/exec/stderr-lines.ts';

interface Read {
  readonly lines: readonly string[];
  readonly quote: string;
}

/** The lines made of `chunks` of standard error beside `printed` on standard output. */
function read(chunks: readonly (string | Buffer)[], printed: string = ''): Read {
  const lines: string[] = [];
  const output = Buffer.from(printed);
  const stderr = new StderrLines({
    secrets: [],
    run: () => ({ printed: output, printedBytes: output.length }),
    onLine: (line) => lines.push(line),
  });
  for (const chunk of chunks) stderr.push(Buffer.from(chunk));
  stderr.end();
  return { lines, quote: stderr.quote() };
}

const WITHHELD = 'a line that repeats standard output is not shown';

describe('StderrLines', () => {
  it('joins lines and characters that were cut by the pipe', () => {
    const text = Buffer.from('one ä\ntwo\n');
    const chunks = Array.from(text, (_, index) => text.subarray(index, index + 1));
    expect(read(chunks).lines).to.deep.equal(['one ä', 'two']);
  });

  it('withholds a line that repeats eight characters of standard output', () => {
    const { lines, quote } = read(['fine\ngot canary-1234\ncanary\n'], '{"token": "canary-1234"}');
    expect(lines).to.deep.equal(['fine', WITHHELD, WITHHELD]);
    expect(quote).to.equal('fine');
  });

  it('shows lines beside output that they do not repeat', () => {
    expect(read(['short words\nyes\n'], '{"token": "canary-1234"}').lines).to.deep.equal([
      'short words',
      'yes',
    ]);
  });

  it('withholds every line beside output of more than 64 KiB', () => {
    expect(read(['one\n'], 'x'.repeat(65_536)).lines).to.deep.equal(['one']);
    expect(read(['one\n'], 'x'.repeat(65_537)).lines).to.deep.equal([WITHHELD]);
  });

  it('keeps memory bounded for a line without an end', () => {
    const { lines } = read(Array.from({ length: 1_000 }, () => 'word '.repeat(200)));
    expect(lines).to.have.length(1);
    expect(lines[0]!.length).to.be.at.most(1_000);
  });

  it('cuts a long line between two words, so that no part of a secret is left', () => {
    const text = `${'ab '.repeat(330)}canary-1234-canary-1234`;
    const whole = read([`${text}\n`]).lines;
    expect(whole).to.deep.equal([`${'ab '.repeat(330)}…`]);
    expect(read([text, ' more\n']).lines).to.deep.equal(whole);
    expect(read([text]).lines).to.deep.equal(whole);
    expect(read(['x'.repeat(5_000)]).lines).to.deep.equal(['…']);
  });

  it('quotes the last three lines when none says error', () => {
    expect(read(['one\ntwo\nthree\nfour\n']).quote).to.equal('two / three / four');
  });

  it('quotes from the last line that says error, and at most 400 characters', () => {
    const { quote } = read([`error: one\nFatal error: two\n${'and more\n'.repeat(20)}`]);
    expect(quote).to.match(/^Fatal error: two \/ and more \//);
    const long = read([`error: ${'words '.repeat(150)}\n`]);
    expect(long.quote).to.match(/^error: words .*…$/);
    expect(long.quote).to.have.length(400);
  });

  it('has nothing to quote of a program that said nothing', () => {
    expect(read(['\n \r\n}\n'])).to.deep.equal({ lines: ['}'], quote: '' });
  });
});
