import { expect } from 'chai';
import * as forms from '../../../../lib/server/registry/validation/formats.ts';

const long = (length: number): string => 'a'.repeat(length);
const dotted = (length: number): string => 'ab.'.repeat(length).slice(0, length - 1) + 'a';

/** A form, texts that have it, and texts that have not, with the number of their faults. */
type Row = readonly [
  form: forms.Format,
  right: readonly string[],
  wrong: Readonly<Record<string, number>>,
];

const rows: Readonly<Record<string, Row>> = {
  dnsLabel: [
    forms.dnsLabel,
    ['a', '0', 'a-b', long(63)],
    { '': 1, A: 1, 'a.b': 1, '-a': 1, 'a-': 1, a_b: 1, [long(64)]: 1, [`A${long(63)}`]: 2 },
  ],
  dnsSubdomain: [
    forms.dnsSubdomain,
    ['a', 'a.b', 'a-1.b', dotted(253)],
    { '': 1, 'a..b': 1, '.a': 1, 'a.': 1, [`A${long(253)}`]: 2, é: 1, 'a\n': 1 },
  ],
  dnsSubdomainWithUnderscore: [
    forms.dnsSubdomainWithUnderscore,
    ['a', '_a.b_c', '_tcp.x'],
    { '': 1, a_: 1, __a: 1 },
  ],
  dns1035Label: [
    forms.dns1035Label,
    ['a', 'a0', long(63)],
    { '0a': 1, 'a.b': 1, [`0${long(63)}`]: 2 },
  ],
  qualifiedName: [
    forms.qualifiedName,
    ['a', 'A_b.c', 'x.io/a', `x.io/${long(63)}`],
    {
      '': 2,
      '/a': 1,
      'x.io/': 2,
      'a/b/c': 1,
      'X/-': 2,
      '/': 3,
      [`x.io/${long(63)}-`]: 2,
      __proto__x_: 1,
    },
  ],
  labelValue: [forms.labelValue, ['', 'a', 'A_b.c-1'], { '-a': 1, 'a b': 1, [`-${long(63)}`]: 2 }],
  pathSegment: [forms.pathSegment, ['system:a', '...'], { '.': 1, '..': 1, 'a/%': 2 }],
  wildcardSubdomain: [
    forms.wildcardSubdomain,
    ['*.a.b'],
    { '*': 1, '*.': 1, '*.*.a': 1, 'a.b': 1 },
  ],
  cIdentifier: [forms.cIdentifier, ['_a1'], { '': 1, '1a': 1, 'a-b': 1 }],
  percent: [forms.percent, ['0%', '150%'], { '': 1, '%': 1, '-1%': 1, '1': 1 }],
  httpHeaderName: [forms.httpHeaderName, ['X-1'], { '': 1, X_1: 1 }],
  conditionReason: [forms.conditionReason, ['A', 'A,b:c_'], { '': 1, '1': 1, 'A,': 1 }],
  portName: [
    forms.portName,
    ['http', 'a-1', long(15)],
    { '': 2, '1': 1, 'a--b': 1, '-a': 1, A: 2, [long(16)]: 1, '-': 2 },
  ],
  configMapKey: [
    forms.configMapKey,
    ['a', '.a', 'A_b-c'],
    { '': 1, '.': 1, '..': 1, '..a': 1, 'a/..': 1 },
  ],
  envVarName: [forms.envVarName, ['1A', 'a b', '..'], { '': 1, 'a=b': 1, é: 1, 'a\n': 1 }],
  decimalInteger: [forms.decimalInteger, ['0', '-12'], { '': 1, '-0': 1, '01': 1, '+1': 1 }],
};

for (const [name, [form, right, wrong]] of Object.entries(rows)) {
  describe(name, () => {
    for (const text of right) {
      it(`accepts ${JSON.stringify(text)}`, () => {
        expect(form(text)).to.deep.equal([]);
      });
    }
    for (const [text, count] of Object.entries(wrong)) {
      it(`names ${count} faults of ${JSON.stringify(text)}`, () => {
        expect(form(text)).to.have.lengthOf(count);
      });
    }
  });
}

describe('messages of forms', () => {
  it('count characters in name rules and bytes in generated rules', () => {
    expect(forms.dnsLabel(long(64))).to.deep.equal(['must be no more than 63 characters']);
  });

  it('name the examples and the regular expression', () => {
    expect(forms.percent('x')).to.deep.equal([
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
    ]);
  });
});
