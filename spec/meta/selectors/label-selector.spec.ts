import { expect } from 'chai';
import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { seededRandom } from '../../../lib/kernel/time/random.ts';
import {
  LabelSelector,
  labelSelectorFromSpec,
  parseLabelSelector,
  type Labels,
  type LabelSelectorSpec,
} from '../../../lib/meta/selectors/label-selector.ts';

const matches = (text: string, labels: Labels): boolean => parseLabelSelector(text).matches(labels);

describe('parseLabelSelector', () => {
  const web: Labels = { app: 'web', tier: 'front', count: '5', empty: '' };
  const cases: readonly (readonly [string, boolean])[] = [
    ['', true],
    ['   ', true],
    ['app=web', true],
    ['app==web', true],
    [' app = web ', true],
    ['app=db', false],
    ['app!=db', true],
    ['app!=web', false],
    ['other!=web', true],
    ['app in (web,db)', true],
    ['app in(web)', true],
    ['app in ( db , web )', true],
    ['app in (db)', false],
    ['other in (web)', false],
    ['app notin (db)', true],
    ['app notin (web)', false],
    ['other notin (web)', true],
    ['app', true],
    ['other', false],
    ['!other', true],
    ['! other', true],
    ['!app', false],
    ['count>4', true],
    ['count > 5', false],
    ['count<6', true],
    ['count<5', false],
    ['app>4', false],
    ['other<4', false],
    ['empty=', true],
    ['empty', true],
    ['app=', false],
    ['empty in (,a)', true],
    ['app=web,tier=front', true],
    ['app=web,tier=back', false],
    ['in', false],
    ['example.com/app=web', false],
  ];
  for (const [text, expected] of cases) {
    it(`reads ${JSON.stringify(text)}, which ${expected ? 'matches' : 'does not match'}`, () => {
      expect(matches(text, web)).to.equal(expected);
    });
  }

  it('compares numbers that no double can hold, and no longer ones', () => {
    expect(matches('n>9007199254740992', { n: '9007199254740993' })).to.equal(true);
    expect(matches('n<9007199254740993', { n: '9007199254740992' })).to.equal(true);
    expect(matches('n>0', { n: '9'.repeat(100_000) })).to.equal(false);
    expect(() => parseLabelSelector(`n>${'9'.repeat(20)}`)).to.throw(ListwatchError);
  });

  it('takes for numbers what fits 64 bits, also with leading zeros', () => {
    expect(matches('n>9223372036854775806', { n: '9223372036854775807' })).to.equal(true);
    expect(matches('n>0', { n: '9223372036854775808' })).to.equal(false);
    expect(matches('n>4', { n: '0'.repeat(40) + '5' })).to.equal(true);
    for (const text of ['n>9223372036854775808', 'n>-1', 'n>+1', `n>${'0'.repeat(64)}`]) {
      expect(() => parseLabelSelector(text), text).to.throw(ListwatchError);
    }
  });

  it('takes no white space but that of ASCII for space between words', () => {
    expect(matches('\t\r\n app = web \n', { app: 'web' })).to.equal(true);
    for (const text of ['\u00a0app', 'app\u00a0', 'app=\u2003web', '\v', '\f']) {
      expect(() => parseLabelSelector(text), JSON.stringify(text)).to.throw(ListwatchError);
    }
  });

  // A cost that grows with the square of the size would be a hang.
  it('reads millions of spaces', () => {
    const spaces = ' '.repeat(1e6);
    expect(matches(`${spaces}app${spaces}=${spaces}web${spaces}`, { app: 'web' })).to.equal(true);
  });

  it('matches nothing but absences on an object without labels', () => {
    for (const labels of [undefined, {}]) {
      expect(matches('!app,app!=web,app notin (web)', labels)).to.equal(true);
      expect(matches('app', labels)).to.equal(false);
    }
  });

  it('is not fooled by names that every object has', () => {
    for (const key of ['constructor', 'toString', 'hasOwnProperty']) {
      expect(matches(key, {})).to.equal(false);
      expect(matches(`!${key}`, {})).to.equal(true);
      expect(matches(key, { [key]: '' })).to.equal(true);
    }
  });

  const WRONG: readonly (readonly [string, number])[] = [
    [',', 0],
    ['a,', 2],
    ['a,,b', 2],
    ['=a', 0],
    ['a b', 2],
    ['a=b c', 4],
    ['a in b', 5],
    ['a in (b', 7],
    ['a in b)', 5],
    ['a in', 4],
    ['!', 1],
    ['!!a', 1],
    ['a>b', 2],
    ['a>', 2],
    ['a=b=c', 3],
    ['a=-b', 2],
    ['-a', 0],
    ['a/b/c', 0],
    ['UPPER.com/a', 0],
    ['/a', 0],
    ['a/', 0],
    ['__proto__=x', 0],
    [`${'a'.repeat(64)}=x`, 0],
    [`a=${'b'.repeat(64)}`, 2],
    [`${'a'.repeat(254)}/b`, 0],
    ['a=b\u0000', 2],
    ['(a)', 0],
  ];
  for (const [text, at] of WRONG) {
    it(`refuses ${JSON.stringify(text.slice(0, 12))}, and points at position ${at}`, () => {
      expect(() => parseLabelSelector(text))
        .to.throw(ListwatchError, `at position ${at}`)
        .with.property('code', 'INVALID_SELECTOR');
    });
  }

  it('prints a text that reads the same', () => {
    for (const [text] of cases) {
      const selector = parseLabelSelector(text);
      expect(parseLabelSelector(selector.toString()).requirements).to.deep.equal(
        selector.requirements,
      );
    }
    expect(parseLabelSelector('a==b, c in (z,y,z) ,!d,e').toString()).to.equal(
      'a=b,c in (y,z),!d,e',
    );
  });

  it('either parses a text or refuses it with its code, for every text', () => {
    const random = seededRandom('selectors');
    const alphabet = [
      'a',
      'in',
      'notin',
      '=',
      '!',
      ',',
      '(',
      ')',
      '<',
      '>',
      ' ',
      '/',
      '.',
      '-',
      '"',
      'é',
    ];
    for (let count = 0; count < 5000; count += 1) {
      let text = '';
      for (let length = random() * 12; length > 0; length -= 1) {
        text += alphabet[Math.floor(random() * alphabet.length)];
      }
      try {
        const selector = parseLabelSelector(text);
        expect(parseLabelSelector(selector.toString()).toString()).to.equal(selector.toString());
      } catch (error) {
        expect(error, text).to.include({ code: 'INVALID_SELECTOR' });
      }
    }
  });

  // A cost that grows with the square of the size would be a hang.
  it('refuses a text of a million characters', () => {
    for (const long of [
      'a'.repeat(1e6),
      'a,'.repeat(5e5),
      `${'a.'.repeat(120)}/b`,
      '('.repeat(1e6),
    ]) {
      expect(() => parseLabelSelector(`${long}!`)).to.throw(ListwatchError);
    }
  });
});

describe('labelSelectorFromSpec', () => {
  it('reads labels and expressions, all of which must hold', () => {
    const selector = labelSelectorFromSpec({
      matchLabels: { app: 'web' },
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['a', 'b'] },
        { key: 'zone', operator: 'NotIn', values: ['c'] },
        { key: 'live', operator: 'Exists' },
        { key: 'old', operator: 'DoesNotExist', values: [] },
      ],
    });
    expect(selector.toString()).to.equal('app=web,live,!old,tier in (a,b),zone notin (c)');
    expect(selector.matches({ app: 'web', tier: 'b', live: '' })).to.equal(true);
    expect(selector.matches({ app: 'web', tier: 'b', live: '', old: '' })).to.equal(false);
  });

  it('matches everything when it is empty', () => {
    expect(labelSelectorFromSpec({}).empty).to.equal(true);
    expect(new LabelSelector([]).matches(undefined)).to.equal(true);
  });

  it('refuses what no server takes', () => {
    const wrong: readonly (readonly [LabelSelectorSpec, string])[] = [
      [
        { matchExpressions: [{ key: 'a', operator: 'Equals', values: ['b'] }] },
        'unknown operator "Equals"',
      ],
      [
        { matchExpressions: [{ key: 'a', operator: 'constructor' }] },
        'unknown operator "constructor"',
      ],
      [{ matchExpressions: [{ key: 'a', operator: 'In', values: [] }] }, 'in needs values'],
      [{ matchExpressions: [{ key: 'a', operator: 'NotIn' }] }, 'notin needs values'],
      [{ matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] }, 'takes no values'],
      [{ matchLabels: { 'a b': 'c' } }, 'is not a label key'],
      [{ matchLabels: { a: 'b c' } }, 'is not a label value'],
    ];
    for (const [spec, message] of wrong) {
      expect(() => labelSelectorFromSpec(spec))
        .to.throw(ListwatchError, message)
        .with.property('code', 'INVALID_SELECTOR');
    }
  });

  it('refuses with its code what only looks like a selector, for it may come out of any object', () => {
    const malformed: readonly unknown[] = [
      null,
      5,
      'app=web',
      [],
      { matchLabels: 'x' },
      { matchLabels: ['x'] },
      { matchLabels: { a: 1 } },
      { matchLabels: { a: null } },
      { matchExpressions: 'no' },
      { matchExpressions: {} },
      { matchExpressions: [null] },
      { matchExpressions: [['a']] },
      { matchExpressions: [{ key: 1, operator: 'Exists' }] },
      { matchExpressions: [{ key: 'a', operator: 'In', values: 'abc' }] },
      { matchExpressions: [{ key: 'a', operator: 'In', values: {} }] },
      { matchExpressions: [{ key: 'a', operator: 'In', values: [1] }] },
      { matchExpressions: [{ key: 'a', operator: 'In', values: [undefined] }] },
    ];
    for (const spec of malformed) {
      expect(() => labelSelectorFromSpec(spec as LabelSelectorSpec), JSON.stringify(spec))
        .to.throw(ListwatchError)
        .with.property('code', 'INVALID_SELECTOR');
    }
    const empty = { matchLabels: null, matchExpressions: null } as unknown as LabelSelectorSpec;
    expect(labelSelectorFromSpec(empty).empty).to.equal(true);
  });
});
