import { NEWEST_MINOR } from '../../../lib/meta/releases/kubernetes-releases.ts';
import { expect } from 'chai';
import { KindTypes } from '../../../lib/kinds/kind-types.ts';
import { DecodeProblems } from '../../../lib/server/registry/typed/decode-problems.ts';

describe('the defaults of a priority level', () => {
  const type = new KindTypes(NEWEST_MINOR).of({
    group: 'flowcontrol.apiserver.k8s.io',
    version: 'v1',
    kind: 'PriorityLevelConfiguration',
  });
  const specOf = (spec: object): unknown => type.read({ spec }, new DecodeProblems())['spec'];

  it('are no share for an exempt one, and 30 for a limited one, of which nothing is lent', () => {
    expect(specOf({ type: 'Exempt', exempt: {} })).to.deep.equal({
      type: 'Exempt',
      exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 },
    });
    expect(specOf({ type: 'Limited', limited: {} })).to.deep.include({
      limited: { nominalConcurrencyShares: 30, lendablePercent: 0, limitResponse: { type: '' } },
    });
  });
});

describe('the defaults of a definition', () => {
  it('are names that follow from the kind, and no conversion', () => {
    const type = new KindTypes(NEWEST_MINOR).of({
      group: 'apiextensions.k8s.io',
      version: 'v1',
      kind: 'CustomResourceDefinition',
    });
    const spec = { group: 'example.io', names: { plural: 'widgets', kind: 'Widget' } };
    expect(type.read({ spec }, new DecodeProblems())['spec']).to.deep.include({
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      conversion: { strategy: 'None' },
    });
  });
});
