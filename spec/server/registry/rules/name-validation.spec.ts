import { expect } from 'chai';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import {
  dnsLabel,
  dnsSubdomain,
  labelValue,
  pathSegment,
  qualifiedName,
} from '../../../../lib/server/registry/rules/name-forms.ts';
import {
  generateName,
  maskTrailingDash,
} from '../../../../lib/server/registry/rules/name-validation.ts';

const long = (length: number): string => 'a'.repeat(length);

describe('generateName', () => {
  it('cuts a long base so that the name has 63 characters', () => {
    expect(generateName(new VirtualRuntime(), long(100))).to.match(/^a{58}[b-z2-9]{5}$/);
  });
});

describe('maskTrailingDash', () => {
  it('makes a base ending in a dash look like the names it gives', () => {
    expect(dnsLabel(maskTrailingDash('web-'))).to.deep.equal([]);
    expect(maskTrailingDash('-')).to.equal('-');
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
      [dnsSubdomain('A_b')[0], subdomain],
      [dnsSubdomain('x'.repeat(254))[0], 'must be no more than 253 characters'],
      [dnsLabel('-a')[0], label],
      [dnsLabel('A.b')[0], label],
      [dnsLabel('a.b')[0], 'must not contain dots'],
      [pathSegment('a/%b')[0], "may not contain '/'"],
      [pathSegment('a%b')[0], "may not contain '%'"],
      [qualifiedName('a/')[0], 'name part must be non-empty'],
      [qualifiedName('-')[0], `name part ${key}`],
      [qualifiedName('/a')[0], 'prefix part must be non-empty'],
      [qualifiedName('A_b/x')[0], `prefix part ${subdomain}`],
      [qualifiedName('x'.repeat(64))[0], 'name part must be no more than 63 bytes'],
      [
        qualifiedName('a/b/c')[0],
        `a valid label key ${key} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
      ],
      [labelValue('x'.repeat(64))[0], 'must be no more than 63 bytes'],
    ];
    for (const [said, words] of rows) expect(said).to.equal(words);
  });
});
