import { expect } from 'chai';
import { parseJsonDocument } from '../../../../lib/server/storage/scheme/json-document.ts';
import { isSchemeError } from '../../../../lib/server/storage/scheme/scheme-error.ts';

function parse(text: string, strict: boolean = false): unknown {
  return parseJsonDocument(Buffer.from(text), { strict });
}

function refusal(bytes: Uint8Array | string, strict: boolean = false): string {
  try {
    parseJsonDocument(Buffer.from(bytes), { strict });
  } catch (error) {
    if (isSchemeError(error, 'MALFORMED_OBJECT')) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('parseJsonDocument', () => {
  it('gives any value, and ignores a byte order mark', () => {
    for (const text of ['null', '1.5e3', '"a"', '[1,{"a":[]}]', '\uFEFF{"a":1}']) {
      expect(parse(text)).to.deep.equal(JSON.parse(text.replace('\uFEFF', '')));
    }
  });

  it('names what is malformed', () => {
    expect(refusal('{"a":')).to.contain('not valid JSON');
    expect(refusal('{"a":NaN}')).to.contain('not valid JSON');
  });

  it('puts U+FFFD in the place of what is no character', () => {
    const bytes = Uint8Array.of(0x22, 0x78, 0xff, 0xfe, 0x79, 0xc3, 0x22);
    expect(parseJsonDocument(bytes)).to.equal('x\uFFFD\uFFFDy\uFFFD');
    // Go's decoder replaces each byte: a character that is cut off, a surrogate, a form that is too long, a number that is too large.
    for (const invalid of ['e2 82', 'f0 9f 98', 'ed a0 80', 'e0 80 80', 'c0 af', 'f5 80 80 80']) {
      const some = Buffer.from(invalid.replaceAll(' ', ''), 'hex');
      const text = Buffer.concat([Buffer.from('"é€😀'), some, Buffer.from('z"')]);
      expect(parseJsonDocument(text), invalid).to.equal(`é€😀${'\uFFFD'.repeat(some.length)}z`);
    }
    const rows: readonly (readonly [text: string, value: unknown])[] = [
      [String.raw`"x\ud800y"`, 'x\uFFFDy'],
      [String.raw`"\uDC00"`, '\uFFFD'],
      [String.raw`"\ud800\ud800"`, '\uFFFD\uFFFD'],
      [String.raw`"\ud800\u0041"`, '\uFFFDA'],
      [String.raw`"\ud83d\ude00"`, '😀'],
      [String.raw`"\ud83d\ud83d\ude00"`, '\uFFFD😀'],
      [String.raw`"\\ud800"`, String.raw`\ud800`],
      [String.raw`{"\ud800k":1}`, { '\uFFFDk': 1 }],
    ];
    for (const [text, value] of rows) expect(parse(text), text).to.deep.equal(value);
  });

  it('refuses numbers that are too large for a double, in every notation', () => {
    const digits = '9'.repeat(400);
    for (const text of ['{"a":1e999}', '[-1E+400]', `[${digits}]`, `{"a":${digits}}`]) {
      expect(refusal(text)).to.equal('a number in the object is not finite');
    }
    expect(parse('{"a":1e308,"b":"1e999","c":[true,false]}')).to.deep.equal({
      a: 1e308,
      b: '1e999',
      c: [true, false],
    });
  });

  it('counts the levels of what it refuses to go down, and not brackets in text', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    expect(refusal(nested(1_000))).to.equal('accepted');
    expect(refusal(nested(1_001))).to.equal('the object is nested deeper than 1000 levels');
    expect(refusal('[{"a":'.repeat(1_000_000))).to.contain('nested deeper');
    expect(refusal(JSON.stringify(`\\"${'['.repeat(5_000)}`))).to.equal('accepted');
  });

  it('lets the last of two fields count, unless it is strict', () => {
    const text = '{"a":{"x":1},"b":[{"c":1},{"c":2}],"a":{"x":2}}';
    expect(parse(text)).to.deep.equal({ a: { x: 2 }, b: [{ c: 1 }, { c: 2 }] });
    expect(refusal(text, true)).to.equal('the field "a" occurs twice in an object');
  });

  it('finds the same field behind other spellings and in any depth, and takes no value for a name', () => {
    expect(refusal('[{"a b":{"\\u0063":1,"c":2}}]', true)).to.contain('"c" occurs twice');
    expect(refusal('{"\\"":1,"\\\\":2, "\\"" : 3}', true)).to.contain('"\\"" occurs twice');
    expect(refusal('{"__proto__":1,"__proto__":2}', true)).to.contain('"__proto__" occurs twice');
    expect(refusal('{"a":"b","b":"a","c":["a","a"],"d":{"a":1}}', true)).to.equal('accepted');
  });

  it('is done with megabytes of hostile text at once', () => {
    for (const text of [
      '"'.repeat(3_000_000),
      `"${'\\'.repeat(2_999_997)}"`,
      '{"a":'.repeat(900),
    ]) {
      expect(refusal(text, true), text.slice(0, 9)).not.to.equal('accepted');
    }
    const wide = `{${Array.from({ length: 200_000 }, (_, index) => `"k${index}":1`).join(',')}}`;
    expect(refusal(wide, true)).to.equal('accepted');
  });
});
