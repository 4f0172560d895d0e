import { expect } from 'chai';
import { refusedHead } from '../../../../lib/server/api/port/incoming.ts';

interface Lines {
  readonly version?: string;
  readonly lines?: readonly (readonly [string, string])[];
}

/** Status and text of the answer to a head with these lines; undefined if it is not refused. */
function answerTo({ version = '1.1', lines = [['Host', 'localhost']] }: Lines): string | undefined {
  const headers: Record<string, string> = {};
  // As the parser of Node reads lines: of several hosts, the first counts.
  for (const [name, value] of lines) headers[name.toLowerCase()] ??= value;
  const answer = refusedHead({ httpVersion: version, headers, rawHeaders: lines.flat() });
  if (answer === undefined) return undefined;
  const { status, body } = answer;
  return `${status} ${Buffer.from(body as Uint8Array).toString()}`;
}

const MALFORMED = '400 400 Bad Request: malformed Host header';

describe('a head that the parser takes', () => {
  it('is refused unless its version is 1.0 or 1.1', () => {
    const rows: readonly (readonly [string, string | undefined])[] = [
      ['1.1', undefined],
      ['1.0', undefined],
      ['0.9', '400 400 Bad Request: the request has no version'],
      ['2.0', '505 505 HTTP Version Not Supported: unsupported protocol version'],
      ['1.2', '505 505 HTTP Version Not Supported: unsupported protocol version'],
    ];
    for (const [version, answer] of rows) {
      expect(answerTo({ version }), version).to.equal(answer);
    }
  });

  it('is refused with two lines of the host, also if they agree', () => {
    for (const second of ['localhost', 'other']) {
      const lines = [
        ['Host', 'localhost'],
        ['Accept', '*/*'],
        ['hOST', second],
      ] as const;
      expect(answerTo({ lines })).to.equal('400 400 Bad Request: too many Host headers');
    }
    const named = [
      ['Host', 'localhost'],
      ['Via', 'host'],
    ] as const;
    expect(answerTo({ lines: named })).to.equal(undefined);
  });

  it('is refused with a host that has other characters than one may have', () => {
    for (const host of ['', 'localhost:6443', '[::1]:6443', 'a_b.example', "!$&'()*+,;=%7e~"]) {
      expect(answerTo({ lines: [['Host', host]] }), host).to.equal(undefined);
    }
    for (const host of [
      'a b',
      'a/b',
      'a\\b',
      'user@host',
      'a?b',
      'a#b',
      'a"b',
      '<a>',
      'ü',
      'a\n',
    ]) {
      expect(answerTo({ lines: [['Host', host]] }), host).to.equal(MALFORMED);
    }
    expect(answerTo({ lines: [] })).to.equal(undefined);
  });

  it('is refused with another transfer coding than chunked', () => {
    const coded = (coding: string): string | undefined =>
      answerTo({
        lines: [
          ['Host', 'localhost'],
          ['Transfer-Encoding', coding],
        ],
      });
    expect(coded('chunked')).to.equal(undefined);
    expect(coded('Chunked')).to.equal(undefined);
    for (const coding of ['gzip, chunked', 'chunked, chunked', 'identity', 'gzip', '']) {
      expect(coded(coding), coding).to.equal('501 Unsupported transfer encoding');
    }
  });
});
