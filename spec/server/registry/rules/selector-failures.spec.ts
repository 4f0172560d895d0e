import { expect } from 'chai';
import { parseLabelSelector } from '../../../../lib/meta/selectors/label-selector.ts';
import {
  fieldSelectorFailure,
  labelSelectorFailure,
} from '../../../../lib/server/registry/rules/selector-failures.ts';

const NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

/** Selectors, and what kube-apiserver v1.36.3 said about them. */
const LABELS: readonly (readonly [selector: string, message: string])[] = [
  [',', "found ',', expected: !, identifier, or 'end of string'"],
  ['=x', "found '=', expected: !, identifier, or 'end of string'"],
  ['a,', "found '', expected: identifier after ','"],
  ['a=b c', "found 'c', expected: ',' or 'end of string'"],
  ['!=x', "found '!=', expected: !, identifier, or 'end of string'"],
  ['!', "unable to parse requirement: found '', expected: identifier"],
  ['app in demo', "unable to parse requirement: found 'demo' expected: '('"],
  ['app in (demo', "unable to parse requirement: found '', expected: ',' or ')'"],
  ['app in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
  [
    'app near x',
    "unable to parse requirement: found 'near', expected: in, notin, =, ==, !=, gt, lt",
  ],
  ['app=(', "unable to parse requirement: found '(', expected: identifier"],
  [
    'rank>x',
    `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
  ],
  [
    'app=-bad-',
    `unable to parse requirement: values[0][app]: Invalid value: "-bad-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(${NAME})?')`,
  ],
  [
    'a/b/c=1',
    `unable to parse requirement: <nil>: Invalid value: "a/b/c": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${NAME}') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
  ],
];

describe('the failure of a label selector', () => {
  for (const [selector, message] of LABELS) {
    it(`is in the words of kube-apiserver for ${selector}`, () => {
      expect(() => parseLabelSelector(selector)).to.throw();
      expect(labelSelectorFailure(selector)).to.equal(message);
    });
  }

  it('is none for one that can be parsed', () => {
    for (const selector of [
      '',
      'a',
      '!a',
      'a=b,c in (d,,e),f notin ()',
      'in in (in)',
      'a>1',
      'a=',
    ]) {
      expect(labelSelectorFailure(selector), selector).to.equal(undefined);
    }
  });
});

describe('the failure of a field selector', () => {
  it('is in the words of kube-apiserver', () => {
    const messages = ['metadata.name', 'a=b=c', 'a=b\\x', 'a=b\\', 'b,a'].map(fieldSelectorFailure);
    expect(messages).to.deep.equal([
      { message: "invalid selector: 'metadata.name'; can't understand 'metadata.name'" },
      { message: 'invalid field selector: unescaped character in value: 61' },
      { message: 'invalid field selector: invalid escape sequence: \\x' },
      { message: 'invalid field selector: invalid escape sequence: \\' },
      { message: "invalid selector: 'b,a'; can't understand 'a'" },
    ]);
  });

  it('is the first field that cannot exist', () => {
    expect(fieldSelectorFailure('=one')).to.deep.equal({ field: '' });
    expect(fieldSelectorFailure('b=1,a b=2')).to.deep.equal({ field: 'a b' });
  });
});
