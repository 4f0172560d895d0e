import { expect } from 'chai';
import {
  hasWrongAffinitySelectors,
  hasWrongNodeValues,
  hasWrongSpreadKeys,
  hasWrongSpreadSelectors,
} from '../../../../lib/kinds/pods/placement/stored-selectors.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const good = { matchLabels: { app: 'x' } };
const wrong = { matchLabels: { app: 'a b' } };

describe('the faults of a stored pod', () => {
  it('are values of nodes that are no label values', () => {
    const needing = (value: string): Record<string, unknown> => {
      const matchExpressions = [{ key: 'zone', operator: 'In', values: ['ok', value] }];
      return {
        affinity: { nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: [{ matchExpressions }] } } },
      };
    };
    expect(hasWrongNodeValues(needing('a'))).to.equal(false);
    expect(hasWrongNodeValues(needing('a b'))).to.equal(true);
    expect(hasWrongNodeValues(undefined)).to.equal(false);
  });

  it('are selectors of required and of preferred affinities', () => {
    const affine = (selector: object, name: string): Record<string, unknown>[] => [
      { affinity: { podAffinity: { [REQUIRED]: [{ [name]: selector }] } } },
      {
        affinity: { podAntiAffinity: { [PREFERRED]: [{ podAffinityTerm: { [name]: selector } }] } },
      },
    ];
    for (const name of ['labelSelector', 'namespaceSelector']) {
      for (const spec of affine(good, name))
        expect(hasWrongAffinitySelectors(spec)).to.equal(false);
      for (const spec of affine(wrong, name))
        expect(hasWrongAffinitySelectors(spec)).to.equal(true);
    }
    expect(hasWrongAffinitySelectors({})).to.equal(false);
  });

  it('are selectors and keys of spreads', () => {
    const spread = (one: object): Record<string, unknown> => ({ topologySpreadConstraints: [one] });
    expect(hasWrongSpreadSelectors(spread({ labelSelector: good }))).to.equal(false);
    expect(hasWrongSpreadSelectors(spread({ labelSelector: wrong }))).to.equal(true);
    const keys = { matchLabelKeys: ['app'] };
    expect(hasWrongSpreadKeys(spread({ ...keys, labelSelector: {} }))).to.equal(false);
    expect(hasWrongSpreadKeys(spread(keys))).to.equal(true);
  });
});
