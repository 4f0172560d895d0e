import { expect } from 'chai';
import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { seededRandom } from '../../../lib/kernel/time/random.ts';
import { parseFieldSelector } from '../../../lib/meta/selectors/field-selector.ts';

describe('parseFieldSelector', () => {
  const fields = { 'metadata.name': 'a', 'status.phase': 'Running', odd: 'x,y=z\\w' };
  const cases: readonly (readonly [string, boolean])[] = [
    ['', true],
    [',', true],
    ['metadata.name=a', true],
    ['metadata.name==a', true],
    ['metadata.name!=a', false],
    ['metadata.name!=b', true],
    ['metadata.name=a,status.phase=Running', true],
    ['metadata.name=a,status.phase=Pending', false],
    ['spec.nodeName=', true],
    ['spec.nodeName!=', false],
    ['spec.nodeName!=n', true],
    ['odd=x\\,y\\=z\\\\w', true],
    ['constructor=', true],
    ['__proto__!=', false],
  ];
  for (const [text, expected] of cases) {
    it(`reads ${JSON.stringify(text)}, which ${expected ? 'matches' : 'does not match'}`, () => {
      const selector = parseFieldSelector(text);
      expect(selector.matches(fields)).to.equal(expected);
      expect(parseFieldSelector(selector.toString()).requirements).to.deep.equal(
        selector.requirements,
      );
    });
  }

  it('takes spaces for part of the value, not of the field', () => {
    const selector = parseFieldSelector('a= b ,c=d');
    expect(selector.requirements.map(({ value }) => value)).to.deep.equal([' b ', 'd']);
    expect(selector.matches({ a: ' b ', c: 'd' })).to.equal(true);
    expect(selector.matches({ a: 'b', c: 'd' })).to.equal(false);
    expect(parseFieldSelector(selector.toString())).to.deep.equal(selector);
    for (const text of [' ', 'a=b, ', 'a=b, c=d', 'a =b', '\na=b']) {
      expect(() => parseFieldSelector(text), JSON.stringify(text)).to.throw(ListwatchError);
    }
  });

  it('returns the value that a field must have', () => {
    const selector = parseFieldSelector('a!=1,b=2,metadata.name=x');
    expect(selector.requiredValue('metadata.name')).to.equal('x');
    expect(selector.requiredValue('a')).to.equal(undefined);
    expect(selector.empty).to.equal(false);
    expect(parseFieldSelector('').empty).to.equal(true);
  });

  for (const text of [
    'a',
    'a,b=c',
    '=b',
    '!=b',
    'a===b',
    'a=b=c',
    'a=b\\',
    'a=b\\n',
    'a\\=b=c',
    'a>b',
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(() => parseFieldSelector(text))
        .to.throw(ListwatchError, JSON.stringify(text))
        .with.property('code', 'INVALID_SELECTOR');
    });
  }

  it('either parses a text or refuses it with its code, for every text', () => {
    const random = seededRandom('fields');
    const alphabet = ['a', '=', '!', ',', '\\', ' ', '.', '\n'];
    for (let count = 0; count < 5000; count += 1) {
      let text = '';
      for (let length = random() * 10; length > 0; length -= 1) {
        text += alphabet[Math.floor(random() * alphabet.length)];
      }
      try {
        const selector = parseFieldSelector(text);
        expect(parseFieldSelector(selector.toString()).toString()).to.equal(selector.toString());
      } catch (error) {
        expect(error, JSON.stringify(text)).to.include({ code: 'INVALID_SELECTOR' });
      }
    }
  });

  // A cost that grows with the square of the size would be a hang.
  it('refuses a text of a million characters', () => {
    for (const long of ['a'.repeat(1e6), '\\'.repeat(1e6), `a=${'='.repeat(1e6)}`]) {
      expect(() => parseFieldSelector(long)).to.throw(ListwatchError);
    }
  });
});
