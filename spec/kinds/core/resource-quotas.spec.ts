import { expect } from 'chai';
import { resourceQuotas } from '../../../lib/kinds/core/resource-quotas.ts';

function warningsOf(hard: Record<string, string>): readonly string[] | undefined {
  const quota = { metadata: { name: 'a' }, spec: { hard } };
  return resourceQuotas.strategy?.warnings?.(quota);
}

describe('a quota', () => {
  // Each as kube-apiserver 1.36.3 answers it.
  for (const [hard, warning] of [
    [{ 'requests.cpu': '1', 'limits.cpu': '2' }, undefined],
    [{ 'requests.cpu': '1', 'limits.cpu': '1000m' }, undefined],
    [
      { 'requests.cpu': '1001m', 'limits.cpu': '1' },
      'ResourceQuota requests.cpu (1001m) should be less than limits.cpu (1)',
    ],
    [
      { memory: '2Gi', 'limits.memory': '1Gi' },
      'ResourceQuota memory (2Gi) should be less than limits.memory (1Gi)',
    ],
    [{ 'limits.cpu': '1' }, undefined],
  ] as const) {
    it(`of ${JSON.stringify(hard)} ${warning === undefined ? 'can be used up' : 'warns'}`, () => {
      expect(warningsOf(hard)).to.deep.equal(warning === undefined ? [] : [warning]);
    });
  }
});
