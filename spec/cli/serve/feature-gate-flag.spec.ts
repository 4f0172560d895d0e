import { expect } from 'chai';
import { UsageError } from '../../../lib/cli/arguments/usage-error.ts';
import { switchedGates } from '../../../lib/cli/serve/feature-gate-flag.ts';

describe('the flag --feature-gates', () => {
  it('leaves all gates off when it is not given', () => {
    expect(switchedGates([''], 'refuse')).to.deep.equal({
      unsafeObjectDeletion: undefined,
      featureGates: {},
    });
  });

  it('switches the gates that it names; of two values the later one counts', () => {
    const pairs = [
      'ManagedFieldsOptOut=true',
      'AllowUnsafeMalformedObjectDeletion=false',
      'AllowUnsafeMalformedObjectDeletion=true',
    ];
    expect(switchedGates(pairs, 'refuse')).to.deep.equal({
      unsafeObjectDeletion: true,
      featureGates: { ManagedFieldsOptOut: true },
    });
  });

  it('refuses a gate that it does not know, and names the known ones', () => {
    expect(() => switchedGates(['WatchList=true'], 'refuse')).to.throw(
      UsageError,
      /--feature-gates: the gates are AllowUnsafeMalformedObjectDeletion, ManagedFieldsOptOut.*, not WatchList/,
    );
  });

  it('passes over a gate that it does not know where it stands for kube-apiserver', () => {
    expect(switchedGates(['WatchList=maybe', 'ManagedFieldsOptOut=true'], 'ignore')).to.deep.equal({
      unsafeObjectDeletion: undefined,
      featureGates: { ManagedFieldsOptOut: true },
    });
  });

  it('refuses a value that is neither true nor false', () => {
    expect(() => switchedGates(['ManagedFieldsOptOut=on'], 'ignore')).to.throw(
      UsageError,
      '--feature-gates: ManagedFieldsOptOut must be true or false, not "on"',
    );
  });
});
