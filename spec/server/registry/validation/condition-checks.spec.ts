import { expect } from 'chai';
import type { MutableObject } from '../../../../lib/server/registry/rules/mutable-object.ts';
import { causesOf } from '../../../../lib/server/registry/validation/check.ts';
import { fields } from '../../../../lib/server/registry/validation/combine.ts';
import { conditionsCheck } from '../../../../lib/server/registry/validation/condition-checks.ts';

const condition = {
  type: 'Ready',
  status: 'True',
  reason: 'Because',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

function linesOf(...conditions: readonly object[]): string[] {
  const object = { metadata: {}, conditions } as unknown as MutableObject;
  const causes = causesOf(fields({ conditions: conditionsCheck }), object);
  return causes.map(({ field, message }) => `${field}: ${message}`);
}

describe('a condition', () => {
  it('has a reason of at most 1024 bytes and a message of at most 32768', () => {
    expect(linesOf({ ...condition, reason: 'R'.repeat(1024) })).to.deep.equal([]);
    expect(linesOf({ ...condition, reason: 'R'.repeat(1025) })).to.deep.equal([
      'conditions[0].reason: Too long: may not be more than 1024 bytes',
    ]);
    expect(linesOf({ ...condition, message: 'm'.repeat(32_768) })).to.deep.equal([]);
    expect(linesOf({ ...condition, message: 'm'.repeat(32_769) })).to.deep.equal([
      'conditions[0].message: Too long: may not be more than 32768 bytes',
    ]);
    expect(linesOf({ ...condition, message: '\u00e9'.repeat(16_385) })).to.have.length(1);
  });

  it('has a generation from 0 on, a known status, a time, and a type of its own', () => {
    expect(linesOf(condition, { ...condition, type: 'Other' })).to.deep.equal([]);
    expect(linesOf({ ...condition, observedGeneration: 0 })).to.deep.equal([]);
    expect(linesOf({ ...condition, observedGeneration: -1 })).to.deep.equal([
      'conditions[0].observedGeneration: Invalid value: -1: must be greater than or equal to zero',
    ]);
    expect(linesOf(condition, condition)).to.deep.equal([
      'conditions[1].type: Duplicate value: "Ready"',
    ]);
    expect(linesOf({ ...condition, status: 'true' })).to.deep.equal([
      'conditions[0].status: Unsupported value: "true": supported values: "False", "True", "Unknown"',
    ]);
    expect(linesOf({ ...condition, lastTransitionTime: undefined })).to.deep.equal([
      'conditions[0].lastTransitionTime: Required value',
    ]);
  });
});
