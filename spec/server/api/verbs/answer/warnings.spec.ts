import { expect } from 'chai';
import { Warnings } from '../../../../../lib/server/api/verbs/answer/warnings.ts';

function valuesOf(...texts: readonly string[]): string[] {
  const warnings = new Warnings();
  for (const text of texts) warnings.add(text);
  return warnings.headerValues();
}

describe('the warnings of a response', () => {
  it('are sent once each, quoted', () => {
    expect(valuesOf('a "b"', 'a "b"', 'ä\n')).to.deep.equal([
      String.raw`299 - "a \"b\""`,
      '299 - "??"',
    ]);
  });

  it('are whole up to 4096 characters together', () => {
    expect(valuesOf('x'.repeat(4096))[0]).to.have.length(4096 + '299 - ""'.length);
  });

  it('are cut to 256 characters each beyond, until 4096 are sent', () => {
    const texts = Array.from({ length: 40 }, (_, index) => `${index} ${'x'.repeat(300)}`);
    const values = valuesOf(...texts);
    expect(values).to.have.length(16);
    expect(values[0]).to.have.length(256 + '299 - ""'.length);
  });
});
