import { expect } from 'chai';
import * as forms from '../../../../../lib/server/registry/validation/addresses/ip-formats.ts';

const NO_IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const ZEROS = 'must not have leading 0s';
const MAPPED = 'must not be an IPv4-mapped IPv6 address';
const canonical = (text: string): string => `must be in canonical form ("${text}")`;

const addresses: Readonly<Record<string, string>> = {
  '10.9.8.7': '',
  '::': '',
  '::1': '',
  '1::': '',
  '2001:db8::ffff': '',
  '1:0:0:2::3': '',
  '0:0:1:0:0:0:0:1': canonical('0:0:1::1'),
  'FE80:0:0:0:0:0:0:0abc': canonical('fe80::abc'),
  '::1.2.3.4': canonical('::102:304'),
  '010.9.8.7': ZEROS,
  '::00001': ZEROS,
  '::ffff:1.2.3.4': MAPPED,
  '': NO_IP,
  '1.2.3': NO_IP,
  '1.2.3.256': NO_IP,
  '1.2.3.4.5': NO_IP,
  '1:2:3:4:5:6:7': NO_IP,
  '1:2:3:4:5:6:7:8:9': NO_IP,
  '1::2::3': NO_IP,
  ':::': NO_IP,
  '1:2:3:4::5:6:7:8': NO_IP,
  '1.2.3.4::': NO_IP,
  'fe80::1%eth0': NO_IP,
  '12345::': NO_IP,
};
const networks: Readonly<Record<string, string>> = {
  '10.0.0.0/8': '',
  '2001:db8::/64': '',
  '0.0.0.0/0': '',
  '10.0.0.1/32': '',
  '10.0.0.1/8': 'must not have bits set beyond the prefix length',
  '10.0.0.0/08': 'must not have leading 0s in IP or prefix length',
  '::ffff:10.0.0.0/104': 'must not have an IPv4-mapped IPv6 address',
  'FE80::/10': canonical('fe80::/10'),
  '10.0.0.0': 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
  '10.0.0.0/33': 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
  '::/129': 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
  '10.0.0.0/-1': 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
};

for (const [name, form, texts] of [
  ['ip', forms.ip, addresses],
  ['cidr', forms.cidr, networks],
] as const) {
  describe(name, () => {
    for (const [text, problem] of Object.entries(texts)) {
      it(`answers ${JSON.stringify(text)} with ${problem === '' ? 'no fault' : problem}`, () => {
        expect(form(text)).to.deep.equal(problem === '' ? [] : [problem]);
      });
    }
  });
}

describe('legacy forms', () => {
  it('accept a text that is not canonical, with a warning', () => {
    expect(forms.legacyIp('FE80::1')).to.deep.equal([]);
    expect(forms.ipWarnings('spec.ip', 'FE80::1')).to.deep.equal([
      'spec.ip: IPv6 address "FE80::1" should be in RFC 5952 canonical format ("fe80::1")',
    ]);
    expect(forms.legacyCidr('FE80::/10')).to.deep.equal([]);
    expect(forms.cidrWarnings('spec.cidr', 'FE80::/10')).to.deep.equal([
      'spec.cidr: IPv6 CIDR value "FE80::/10" should be in RFC 5952 canonical format ("fe80::/10")',
    ]);
  });

  it('accept what the stored object has', () => {
    expect(forms.unlessStored(forms.legacyIp, ['010.0.0.1'])('010.0.0.1')).to.deep.equal([]);
  });

  it('warn of a network that could be an address', () => {
    expect(forms.cidrWarnings('spec.cidr', '10.1.2.3/8')).to.deep.equal([
      'spec.cidr: CIDR value "10.1.2.3/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.1.2.3/32"?)',
    ]);
  });
});

describe('interfaceAddress', () => {
  it('keeps the bits after the prefix', () => {
    expect(forms.interfaceAddress('192.168.1.5/24')).to.deep.equal([]);
    expect(forms.interfaceAddress('::ffff:192.168.0.1/120')).to.deep.equal([
      canonical('192.168.0.1/24'),
    ]);
  });
});
