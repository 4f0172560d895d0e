import { expect } from 'chai';
import { checkAddressUpdate } from '../../../lib/kinds/services/service-address-checks.ts';
import { Report } from '../../../lib/server/registry/validation/check.ts';

const both = {
  type: 'ClusterIP',
  clusterIP: '10.0.0.1',
  clusterIPs: ['10.0.0.1', '2001:db8::1'],
  ipFamilies: ['IPv4', 'IPv6'],
  ipFamilyPolicy: 'PreferDualStack',
};

function linesOf(spec: object, old: object): string[] {
  const report = new Report({}, undefined);
  checkAddressUpdate({ ...both, ...spec }, { ...both, ...old }, report);
  return report.causes.map(({ field, message }) => `${field}: ${message}`);
}

/** @see pkg/apis/core/validation/validation.go ValidateServiceClusterIPsRelatedFields @ v1.36.3 */
describe('the addresses of a service over an update', () => {
  it('stay', () => {
    expect(linesOf({}, {})).to.deep.equal([]);
    expect(linesOf({ clusterIPs: ['10.0.0.2', '2001:db8::1'] }, {})).to.deep.equal([
      'spec.clusterIPs[0]: Invalid value: ["10.0.0.2","2001:db8::1"]: may not change once set',
    ]);
    expect(linesOf({ ipFamilies: ['IPv6', 'IPv4'] }, {})).to.have.length(2);
  });

  it('and their families cannot be unset', () => {
    expect(linesOf({ clusterIP: '', clusterIPs: [], ipFamilies: [] }, {})).to.deep.equal([
      'spec.clusterIPs[0]: Invalid value: null: primary clusterIP can not be unset',
      'spec.ipFamilies[0]: Invalid value: null: primary ipFamily can not be unset',
    ]);
  });

  it('can lose the second one with a policy of one stack', () => {
    const single = { clusterIPs: ['10.0.0.1'], ipFamilies: ['IPv4'] };
    expect(linesOf({ ...single, ipFamilyPolicy: 'SingleStack' }, {})).to.deep.equal([]);
    expect(linesOf(single, {})).to.deep.equal(
      ['clusterIP', 'ipFamily'].map(
        (what) =>
          `spec.ipFamilyPolicy: Invalid value: "PreferDualStack": must be set to 'SingleStack' when releasing the secondary ${what}`,
      ),
    );
  });
});
