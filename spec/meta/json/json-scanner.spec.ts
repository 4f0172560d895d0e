import { expect } from 'chai';
import { INCOMPLETE, INVALID, JsonScanner } from '../../../lib/meta/json/json-scanner.ts';

const scanner = new JsonScanner();

function endOf(text: string | Buffer): number {
  const bytes = Buffer.from(text as string);
  scanner.load(bytes, bytes.length);
  return scanner.skipValue(0);
}

/** Whether the whole text is one JSON value, for the scanner; `[` and `]` around it let numbers end. */
function takes(value: string | Buffer): boolean {
  const bytes = Buffer.concat([Buffer.from('['), Buffer.from(value as string), Buffer.from(']')]);
  scanner.load(bytes, bytes.length);
  return scanner.skipValue(0) === bytes.length;
}

function parses(value: string | Buffer): boolean {
  try {
    JSON.parse(`[${value.toString('utf8')}]`);
    return true;
  } catch {
    return false;
  }
}

const SAMPLES = [
  '{"a":1,"b":[true,false,null],"c":{"d":"e"},"f":-0.5e+10,"g":[],"h":{}}',
  ' { "a" : [ 1 , 2 ,\t{ } ,\r\n[ ] ] , "b" : "c" } ',
  '"quote \\" backslash \\\\ slash \\/ \\b\\f\\n\\r\\t \\u00e9\\uD83D end"',
  '[[[[[[{"a":[{"b":[[{}]]}]}]]]]]]',
  '[0,-0,1.0,10,1e5,1E-5,0.1e0,123456789012345678901234567890]',
  '"häßlich 漢字 \u{1f600}"',
];

describe('JsonScanner', () => {
  it('finds the end of every kind of value, and looks no further', () => {
    for (const value of ['{}', '[]', '""', '"a"', 'true', 'false', 'null', '{"a":[1]}']) {
      expect(endOf(`${value}x`), value).to.equal(value.length);
    }
    expect(endOf('12.5e3,')).to.equal(6);
  });

  it('takes a text with any one byte changed, left out or put in exactly when JSON.parse does', () => {
    const others = Buffer.from('"\\{}[]:,0129-+.eEtfnul \t\n\r\x00\x1f\x7f/bu');
    let taken = 0;
    for (const sample of SAMPLES) {
      const bytes = Buffer.from(sample);
      for (let at = 0; at <= bytes.length; at += 1) {
        for (const other of others) {
          const head = bytes.subarray(0, at);
          const changed = Buffer.concat([head, Buffer.of(other), bytes.subarray(at + 1)]);
          const longer = Buffer.concat([head, Buffer.of(other), bytes.subarray(at)]);
          const shorter = Buffer.concat([head, bytes.subarray(at + 1)]);
          for (const text of [changed, longer, shorter]) {
            const is = parses(text);
            if (is) taken += 1;
            if (takes(text) !== is) expect(text.toString(), `${is}`).to.equal('as JSON.parse');
          }
        }
      }
    }
    expect(taken).to.be.above(1000);
  });

  it('takes bytes that are no UTF-8 for text, since decoding replaces them', () => {
    for (const bad of [[0x80], [0xff, 0xfe], [0xc3], [0xed, 0xa0, 0x80], [0xf0, 0x9f]]) {
      const text = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bad), Buffer.from('"}')]);
      expect(parses(text)).to.equal(true);
      expect(takes(text)).to.equal(true);
      const outside = Buffer.concat([Buffer.from(bad), Buffer.from('1')]);
      expect(takes(outside)).to.equal(false);
    }
  });

  it('finds the end of text wherever it lies among the four bytes it looks at', () => {
    for (let length = 0; length < 20; length += 1) {
      for (const byte of ['"', '\\', '\n']) {
        const text = `"${'x'.repeat(length)}${byte}${'"'.repeat(4)}`;
        expect(endOf(text), text).to.equal(
          { '"': length + 2, '\\': length + 4, '\n': INVALID }[byte],
        );
      }
    }
  });

  it('distinguishes incomplete values from invalid ones', () => {
    for (const sample of SAMPLES) {
      const bytes = Buffer.from(sample.trim());
      for (let length = 0; length < bytes.length; length += 1) {
        expect(endOf(bytes.subarray(0, length)), `${length} of ${sample}`).to.equal(INCOMPLETE);
      }
    }
    for (const text of [
      '}',
      '{]',
      '[}',
      '{"a"]',
      '[1 2]',
      '{"a" 1}',
      '"\\x',
      '01x]',
      'nil',
      '[-]',
    ]) {
      expect(endOf(`[${text}`), text).to.equal(INVALID);
    }
  });

  it('goes as deep as the bytes do', () => {
    const depth = 200_000;
    expect(endOf('['.repeat(depth) + ']'.repeat(depth))).to.equal(2 * depth);
    expect(endOf('{"a":'.repeat(depth) + '1' + '}'.repeat(depth))).to.equal(6 * depth + 1);
    expect(endOf('['.repeat(depth))).to.equal(INCOMPLETE);
  });

  it('looks at nothing behind the end it was given', () => {
    const bytes = Buffer.from('[1,2,3]');
    for (let end = 0; end < bytes.length; end += 1) {
      scanner.load(bytes, end);
      expect(scanner.skipValue(0)).to.equal(INCOMPLETE);
    }
    const inner = Buffer.from('xx"abc"yy').subarray(2, 7);
    scanner.load(inner, inner.length);
    expect(scanner.skipValue(0)).to.equal(5);
  });
});
