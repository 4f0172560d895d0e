import { expect } from 'chai';
import {
  checkLabelKeys,
  checkLegacyLabelKeys,
} from '../../../../lib/kinds/pods/placement/label-keys.ts';
import { Report } from '../../../../lib/server/registry/validation/check.ts';

type Checked = typeof checkLabelKeys;

function causesOf(check: Checked, owner: Record<string, unknown>): string[] {
  const report = new Report({});
  check(owner, 'p', report);
  return report.causes.map(({ field, message }) => `${field}: ${message}`);
}

describe('the label keys of an affinity or a spread', () => {
  for (const check of [checkLabelKeys, checkLegacyLabelKeys]) {
    describe(check.name, () => {
      it('may be absent, and need a label selector otherwise', () => {
        expect(causesOf(check, {})).to.deep.equal([]);
        const [cause] = causesOf(check, { matchLabelKeys: ['app'] });
        expect(cause).to.match(/^p\.matchLabelKeys: Forbidden: must not be specified when labelS/);
        expect(causesOf(check, { matchLabelKeys: ['app'], labelSelector: {} })).to.deep.equal([]);
      });

      it('have the form of label keys', () => {
        const causes = causesOf(check, { matchLabelKeys: ['app', 'a b'], labelSelector: {} });
        expect(causes).to.have.length(1);
        expect(causes[0]).to.match(/^p\.matchLabelKeys\[1\]: Invalid value: "a b"/);
      });
    });
  }

  it('may be in the selector once, for the expression that was made from the key', () => {
    const expression = { key: 'app', operator: 'In', values: ['x'] };
    const owner = { matchLabelKeys: ['app'], labelSelector: { matchExpressions: [expression] } };
    expect(causesOf(checkLabelKeys, owner)).to.deep.equal([]);
    const twice = { ...owner, labelSelector: { matchExpressions: [expression, expression] } };
    expect(causesOf(checkLabelKeys, twice)).to.deep.equal([
      'p[0]: Invalid value: "app": exists in both matchLabelKeys and labelSelector',
    ]);
  });

  it('may not be in the selector at all by the older rule', () => {
    const cause =
      'p.matchLabelKeys[0]: Invalid value: "app": exists in both matchLabelKeys and labelSelector';
    for (const labelSelector of [
      { matchLabels: { app: 'x' } },
      { matchExpressions: [{ key: 'app', operator: 'Exists' }] },
    ]) {
      const owner = { matchLabelKeys: ['app'], labelSelector };
      expect(causesOf(checkLegacyLabelKeys, owner)).to.deep.equal([cause]);
    }
  });

  it('may not be matched and mismatched', () => {
    const owner = { matchLabelKeys: ['a', 'b'], mismatchLabelKeys: ['b'], labelSelector: {} };
    expect(causesOf(checkLabelKeys, owner)).to.deep.equal([
      'p.matchLabelKeys[1]: Invalid value: "b": exists in both matchLabelKeys and mismatchLabelKeys',
    ]);
  });
});
