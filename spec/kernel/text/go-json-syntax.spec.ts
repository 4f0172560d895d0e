import { expect } from 'chai';
import { jsonSyntaxError } from '../../../lib/kernel/text/go-json-syntax.ts';

function errorOf(text: string): string | undefined {
  return jsonSyntaxError(Buffer.from(text));
}

describe('the reason why text is not JSON', () => {
  it('is none for JSON', () => {
    for (const text of ['{}', ' [1, -0.5e+10, "\\u00e9", true, null] ', '{"a":{"b":[]}}', '0']) {
      expect(errorOf(text), text).to.equal(undefined);
    }
  });

  it('is the words of Go for each place', () => {
    const rows: readonly (readonly [string, string])[] = [
      ['{"a"1}', "invalid character '1' after object key"],
      ['[1 2]', "invalid character '2' after array element"],
      ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
      ['[\u0007]', "invalid character '\\a' looking for beginning of value"],
      ['["\n"]', "invalid character '\\n' in string literal"],
      ['{"a":1e}', "invalid character '}' in exponent of numeric literal"],
      ['"\\u00g0"', "invalid character 'g' in \\u hexadecimal character escape"],
      ['tru', "invalid character ' ' in literal true (expecting 'e')"],
      ['{"a":1', 'unexpected end of JSON input'],
      ['', 'unexpected end of JSON input'],
      ['1 2', "invalid character '2' after top-level value"],
    ];
    for (const [text, words] of rows) expect(errorOf(text), text).to.equal(words);
  });

  it('is found for every text that the parser of the platform refuses', () => {
    const marks = [...'{}[],:"\\-+.0e1tn \u0001'.split(''), 'é'];
    let state = 7;
    for (let run = 0; run < 20_000; run += 1) {
      let text = '';
      for (let at = 0; at < 1 + (run % 9); at += 1) {
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
        text += marks[(state >> 8) % marks.length] as string;
      }
      let accepted = true;
      try {
        JSON.parse(text);
      } catch {
        accepted = false;
      }
      expect(errorOf(text) === undefined, JSON.stringify(text)).to.equal(accepted);
    }
  });
});
