import { expect } from 'chai';
import { VirtualRuntime } from '../../../../lib/kernel/virtual-runtime.ts';
import {
  dns1035LabelProblem,
  dnsLabelProblem,
  dnsSubdomainProblem,
  generateName,
  labelValueProblem,
  maskTrailingDash,
  pathSegmentProblem,
  qualifiedNameProblem,
  type NameRule,
} from '../../../../lib/server/registry/rules/name-validation.ts';

const long = (length: number): string => 'a'.repeat(length);

const rules: readonly (readonly [string, NameRule, readonly string[], readonly string[]])[] = [
  [
    'dnsLabelProblem',
    dnsLabelProblem,
    ['a', '0', 'a-b', long(63)],
    ['', 'A', 'a.b', '-a', 'a-', 'a_b', long(64), 'a\n'],
  ],
  [
    'dns1035LabelProblem',
    dns1035LabelProblem,
    ['a', 'a0', long(63)],
    ['', '0a', 'a.b', long(64), 'a\n'],
  ],
  [
    'dnsSubdomainProblem',
    dnsSubdomainProblem,
    ['a', '0', 'a.b', 'a-1.b', long(253)],
    ['', 'a..b', '.a', 'a.', 'A', 'a_b', 'a.-b', long(254), 'a\n'],
  ],
  [
    'pathSegmentProblem',
    pathSegmentProblem,
    ['a', 'system:node', '...', 'A B'],
    ['.', '..', 'a/b', 'a%2f'],
  ],
  [
    'qualifiedNameProblem',
    qualifiedNameProblem,
    ['a', 'A_b.c', 'x.io/a', `x.io/${long(63)}`],
    ['', '/a', 'x.io/', 'a/b/c', '-a', 'X.io/a', '__proto__', long(64)],
  ],
  [
    'labelValueProblem',
    labelValueProblem,
    ['', 'a', 'A_b.c-1', long(63)],
    ['-a', 'a b', 'a/b', long(64), '__proto__'],
  ],
];

for (const [name, rule, good, bad] of rules) {
  describe(name, () => {
    for (const text of good) {
      it(`accepts ${JSON.stringify(text)}`, () => {
        expect(rule(text)).to.equal(undefined);
      });
    }
    for (const text of bad) {
      it(`refuses ${JSON.stringify(text)}`, () => {
        expect(rule(text)).to.be.a('string');
      });
    }
  });
}

describe('generateName', () => {
  it('cuts a long base so that the name has 63 characters', () => {
    expect(generateName(new VirtualRuntime(), long(100))).to.match(/^a{58}[b-z2-9]{5}$/);
  });
});

describe('maskTrailingDash', () => {
  it('makes a base ending in a dash look like the names it gives', () => {
    expect(dnsLabelProblem(maskTrailingDash('web-'))).to.equal(undefined);
    expect(dnsLabelProblem(maskTrailingDash('-'))).to.equal(undefined);
    expect(maskTrailingDash('web')).to.equal('web');
  });
});

describe('the words of a refused name', () => {
  const subdomain =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
  const label =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
  const key =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

  it('are those of kube-apiserver 1.36.3', () => {
    const rows: readonly [said: string | undefined, words: string][] = [
      [dnsSubdomainProblem('A_b'), subdomain],
      [dnsSubdomainProblem('x'.repeat(254)), 'must be no more than 253 characters'],
      [dnsLabelProblem('-a'), label],
      [dnsLabelProblem('A.b'), label],
      [dnsLabelProblem('a.b'), 'must not contain dots'],
      [pathSegmentProblem('a/%b'), "may not contain '/'"],
      [pathSegmentProblem('a%b'), "may not contain '%'"],
      [qualifiedNameProblem('a/'), 'name part must be non-empty'],
      [qualifiedNameProblem('-'), `name part ${key}`],
      [qualifiedNameProblem('/a'), 'prefix part must be non-empty'],
      [qualifiedNameProblem('A_b/x'), `prefix part ${subdomain}`],
      [qualifiedNameProblem('x'.repeat(64)), 'name part must be no more than 63 bytes'],
      [
        qualifiedNameProblem('a/b/c'),
        `a valid label key ${key} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
      ],
      [labelValueProblem('x'.repeat(64)), 'must be no more than 63 bytes'],
    ];
    for (const [said, words] of rows) expect(said).to.equal(words);
  });
});
