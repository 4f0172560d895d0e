import { expect } from 'chai';
import type { ResourceClient } from '../../../lib/client/rest/resource-client.ts';
import { aggregatedRoles } from '../../../lib/cluster/roles/role-aggregation.ts';
import type { ClusterRole, PolicyRule } from '../../../lib/types/built-in/rbac-v1-kinds.ts';
import { NetworkWorld } from '../support/network-world.ts';

const API = 'rbac.authorization.k8s.io/v1';

function rolesIn({ world }: NetworkWorld): ResourceClient<ClusterRole> {
  return world.client.resource<ClusterRole>(API, 'clusterroles');
}

async function rulesOf(world: NetworkWorld, name: string): Promise<readonly PolicyRule[]> {
  const { rules } = await rolesIn(world).get(name);
  return rules ?? [];
}

/** Each right of the rules once: a verb on a resource of a group. */
function rights(rules: readonly PolicyRule[]): string[] {
  const all = rules.flatMap(({ apiGroups = [], resources = [], verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}.${group}`)),
    ),
  );
  return [...new Set(all)].toSorted();
}

async function create(
  world: NetworkWorld,
  name: string,
  role: Partial<ClusterRole>,
): Promise<void> {
  const { metadata, ...rest } = role;
  await rolesIn(world).create({
    apiVersion: API,
    kind: 'ClusterRole',
    metadata: { ...metadata, name },
    ...rest,
  });
}

async function untilRules(
  world: NetworkWorld,
  name: string,
  count: number,
): Promise<readonly PolicyRule[]> {
  return await world.eventually(
    () => rulesOf(world, name),
    (rules) => rules.length === count,
  );
}

const PODS: PolicyRule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
const JOBS: PolicyRule = { apiGroups: ['batch'], resources: ['jobs'], verbs: ['list'] };

describe('the aggregation of roles', () => {
  it('gives admin, edit and view the rights of their parts', async () => {
    await NetworkWorld.run([aggregatedRoles], async (world) => {
      await world.world.sleep(5000);
      const of = (name: string): Promise<readonly PolicyRule[]> => rulesOf(world, name);
      const [toAdmin, toEdit, toView] = [
        await of('system:aggregate-to-admin'),
        await of('system:aggregate-to-edit'),
        await of('system:aggregate-to-view'),
      ];
      expect(rights(await of('view'))).to.deep.equal(rights(toView));
      expect(rights(await of('edit'))).to.deep.equal(rights([...toEdit, ...toView]));
      const all = rights([...toAdmin, ...toEdit, ...toView]);
      expect(rights(await of('admin'))).to.deep.equal(all);
      expect(all.length).to.be.greaterThan(300);
    });
  });

  it('follows the parts of a role of a user, and those of its parts', async () => {
    await NetworkWorld.run([aggregatedRoles], async (world) => {
      const roles = rolesIn(world);
      const selects = (part: string): Partial<ClusterRole> => ({
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [part]: 'yes' } }] },
      });
      await create(world, 'outer', selects('inner'));
      await create(world, 'inner', { ...selects('part'), metadata: { labels: { inner: 'yes' } } });
      await create(world, 'one', { metadata: { labels: { part: 'yes' } }, rules: [PODS] });
      expect(await untilRules(world, 'outer', 1)).to.deep.equal([PODS]);
      await create(world, 'two', { metadata: { labels: { part: 'yes' } }, rules: [JOBS] });
      expect(await untilRules(world, 'outer', 2)).to.deep.equal([PODS, JOBS]);
      await roles.patch('one', { metadata: { labels: { part: 'no' } } });
      expect(await untilRules(world, 'outer', 1)).to.deep.equal([JOBS]);
      await roles.delete('two');
      await untilRules(world, 'outer', 0);
    });
  });

  it('adds the rights of a role with a label of the cluster to admin', async () => {
    await NetworkWorld.run([aggregatedRoles], async (world) => {
      const labels = { 'rbac.authorization.k8s.io/aggregate-to-admin': 'true' };
      const widgets = { apiGroups: ['example.com'], resources: ['widgets'], verbs: ['*'] };
      await create(world, 'widgets', { metadata: { labels }, rules: [widgets] });
      const rules = await world.eventually(
        () => rulesOf(world, 'admin'),
        (all) => rights(all).includes('* widgets.example.com'),
      );
      expect(rights(rules)).to.include('get pods.');
    });
  });

  it('writes as the manager that tools know, and repairs what somebody edits', async () => {
    await NetworkWorld.run([aggregatedRoles], async (world) => {
      const roles = rolesIn(world);
      await create(world, 'one', { metadata: { labels: { part: 'yes' } }, rules: [PODS] });
      await create(world, 'made', {
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: 'yes' } }] },
      });
      await untilRules(world, 'made', 1);
      const { metadata } = await roles.get('made');
      const managers = metadata.managedFields?.filter(({ operation }) => operation === 'Apply');
      expect(managers?.map(({ manager }) => manager)).to.deep.equal([
        'clusterrole-aggregation-controller',
      ]);
      await roles.patch('made', { rules: [PODS, JOBS] }, { type: 'merge' });
      await untilRules(world, 'made', 1);
    });
  });
});
