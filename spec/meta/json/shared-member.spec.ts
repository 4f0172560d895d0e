import { expect } from 'chai';
import { nameBefore, sameBytes } from '../../../lib/meta/json/shared-member.ts';
import type { KnownValue } from '../../../lib/meta/json/known-values.ts';

function valueIn(text: string, value: string): KnownValue {
  const bytes = Buffer.from(text);
  const start = bytes.lastIndexOf(value);
  return { bytes, start, end: start + Buffer.byteLength(value) };
}

describe('a member that two objects share', () => {
  it('has the name that is written directly before its value', () => {
    expect(nameBefore(valueIn('{"a":1,"spec":[7]}', '[7]'), 0)).to.equal('spec');
    expect(nameBefore(valueIn('{"späc":[7]}', '[7]'), 0)).to.equal('späc');
  });

  for (const [what, text] of [
    ['a space before the value', '{"spec": [7]}'],
    ['a space before the colon', '{"spec" :[7]}'],
    ['an escape in its name', '{"sp\\"ec":[7]}'],
    ['a name that cannot be assigned', '{"__proto__":[7]}'],
  ] as const) {
    it(`has no name with ${what}`, () => {
      expect(nameBefore(valueIn(text, '[7]'), 0)).to.equal(undefined);
    });
  }

  it('is shared by its bytes alone', () => {
    const one = valueIn('{"spec":{"a":1}}', '{"a":1}');
    expect(sameBytes(one, valueIn('{"other":true,"spec":{"a":1}}', '{"a":1}'))).to.equal(true);
    expect(sameBytes(one, valueIn('{"spec":{"a":2}}', '{"a":2}'))).to.equal(false);
    expect(sameBytes(one, valueIn('{"spec":{"a":12}}', '{"a":12}'))).to.equal(false);
  });
});
