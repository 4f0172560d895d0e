import { expect } from 'chai';
import { causeOf } from '../../../lib/simulator/contract/cause.ts';
import type { Finding } from '../../../lib/simulator/contract/finding.ts';

const missing: Finding = {
  class: 'end-state',
  subject: 'secrets shop/one',
  message: 'it does not exist at the end; without faults it does',
  difference: 'missing',
};

describe('the cause of a finding', () => {
  it('is the same for objects of one kind that differ in the same way', () => {
    expect(causeOf(missing)).to.equal('end-state: secrets: missing');
    expect(causeOf({ ...missing, subject: 'secrets shop/two' })).to.equal(causeOf(missing));
  });

  it('is another one for another oracle, another kind, and another difference', () => {
    const others: Partial<Finding>[] = [
      { class: 'summary' },
      { subject: 'configmaps shop/one' },
      { difference: 'data.text' },
    ];
    const causes = others.map((other) => causeOf({ ...missing, ...other }));
    expect(new Set([causeOf(missing), ...causes]).size).to.equal(4);
  });

  it('has the whole subject of what is no object', () => {
    const message = 'the certificate is by key 1, trusted are 2';
    const subject = 'brokers trust each other';
    expect(causeOf({ class: 'invariant', subject, message })).to.equal(`invariant: ${subject}`);
  });
});
