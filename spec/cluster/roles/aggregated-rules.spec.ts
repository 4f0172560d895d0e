import { expect } from 'chai';
import { aggregatedRules, isAggregated } from '../../../lib/cluster/roles/aggregated-rules.ts';
import type { ClusterRole, PolicyRule } from '../../../lib/types/built-in/rbac-v1-kinds.ts';

function rule(resource: string): PolicyRule {
  return { apiGroups: [''], resources: [resource], verbs: ['get'] };
}

function role(name: string, labels: Record<string, string>, ...resources: string[]): ClusterRole {
  return { metadata: { name, labels }, rules: resources.map(rule) };
}

function made(rules: readonly PolicyRule[], ...labels: Record<string, string>[]): ClusterRole {
  return {
    metadata: { name: 'made', labels: { to: 'made' } },
    aggregationRule: { clusterRoleSelectors: labels.map((matchLabels) => ({ matchLabels })) },
    rules: [...rules],
  };
}

const B = role('b', { to: 'made' }, 'pods', 'nodes');
const A = role('a', { to: 'made' }, 'secrets', 'pods');
const OTHER = role('other', { to: 'x' }, 'services');

describe('aggregatedRules', () => {
  const cases: readonly (readonly [
    string,
    ClusterRole,
    readonly ClusterRole[],
    readonly string[] | undefined,
  ])[] = [
    [
      'are those of the roles that match, by name, each once',
      made([], { to: 'made' }),
      [B, OTHER, A],
      ['secrets', 'pods', 'nodes'],
    ],
    [
      'are in the order of the selectors',
      made([], { to: 'x' }, { to: 'made' }),
      [B, OTHER, A],
      ['services', 'secrets', 'pods', 'nodes'],
    ],
    [
      'leave the role itself out',
      made([rule('mine')], { to: 'made' }),
      [made([rule('mine')], { to: 'made' }), A],
      ['secrets', 'pods'],
    ],
    ['are none when no role matches any more', made([rule('pods')], { to: 'made' }), [OTHER], []],
    [
      'are undefined when the role has them',
      made([rule('secrets'), rule('pods')], { to: 'made' }),
      [A],
      undefined,
    ],
    [
      'are undefined when there are none, and none are wanted',
      made([], { to: 'made' }),
      [OTHER],
      undefined,
    ],
  ];
  for (const [title, of, all, resources] of cases) {
    it(title, () => {
      const rules = aggregatedRules(of, all);
      expect(rules?.map((one) => one.resources?.[0])).to.deep.equal(resources);
    });
  }
});

describe('isAggregated', () => {
  it('is true for a role with selectors', () => {
    const none = JSON.parse('{ "aggregationRule": null }') as ClusterRole;
    const roles = [made([], { to: 'made' }), made([]), A, none];
    expect(roles.map(isAggregated)).to.deep.equal([true, false, false, false]);
  });
});
