import type { Client } from '../../../lib/client/rest/client.ts';
import { aggregatedRoles } from '../../../lib/cluster/roles/role-aggregation.ts';
import { sameContent } from '../../../lib/meta/content/same-content.ts';
import type { ClusterState, Invariant } from '../../../lib/simulator/contract/world.ts';
import type { ClusterRole } from '../../../lib/types/built-in/rbac-v1-kinds.ts';
import {
  randomWorkload,
  simulatedParts,
  type DrawnStep,
  type PartSimulation,
  type Pick,
} from './part-simulation.ts';

const API = 'rbac.authorization.k8s.io/v1';
const roles = (user: Client) => user.resource(API, 'clusterroles');

const rule = (resource: string) => ({ apiGroups: [''], resources: [resource], verbs: ['get'] });

async function put(user: Client, name: string, role: Partial<ClusterRole>): Promise<void> {
  const { items } = await roles(user).list();
  if (items.some(({ metadata }) => metadata.name === name)) {
    const { metadata, ...rest } = role;
    await roles(user).patch(name, { ...rest, metadata: { labels: null } });
    await roles(user).patch(name, { metadata: { ...metadata } });
    return;
  }
  await roles(user).create({
    apiVersion: API,
    kind: 'ClusterRole',
    ...role,
    metadata: { ...role.metadata, name },
  });
}

const LABELS = ['to-a', 'to-b'];

/** A part, which the one or the other aggregated role selects, or none of them. */
const putPart = (pick: Pick): DrawnStep => {
  const name = `part-${pick(3)}`;
  const label = LABELS[pick(3)];
  const resources = ['pods', 'services', 'secrets'].slice(0, 1 + pick(3));
  return {
    title: `write ${name} with ${resources.join()} for ${label}`,
    act: (user) =>
      put(user, name, {
        metadata: { labels: label === undefined ? {} : { [label]: 'true' } },
        rules: resources.map(rule),
      }),
  };
};

const deletePart = (pick: Pick): DrawnStep => {
  const name = `part-${pick(3)}`;
  return {
    title: `delete ${name}`,
    act: (user) => roles(user).delete(name, { ignoreNotFound: true }),
  };
};

/** `b` may be a part of `a`. */
const aggregated = (name: string, pick: Pick): DrawnStep => {
  const matchLabels = { [`to-${name}`]: 'true' };
  const labels = name === 'b' && pick(2) === 0 ? { 'to-a': 'true' } : {};
  return {
    title: `write the aggregated role ${name} with the labels ${JSON.stringify(labels)}`,
    act: (user) =>
      put(user, name, {
        metadata: { labels },
        aggregationRule: { clusterRoleSelectors: [{ matchLabels }] },
      }),
  };
};

function partsOf(
  state: ClusterState,
  { aggregationRule, metadata }: ClusterRole,
): readonly ClusterRole[] {
  const [selector] = aggregationRule?.clusterRoleSelectors ?? [];
  const [label = ''] = Object.keys(selector?.matchLabels ?? {});
  return state
    .list(API, 'clusterroles')
    .filter(
      (role) => role.metadata?.labels?.[label] === 'true' && role.metadata.name !== metadata?.name,
    );
}

function filled(state: ClusterState): boolean {
  return ['a', 'b'].every((name) => {
    const role = state.get(API, 'clusterroles', name);
    if (role === undefined) return true;
    const lines = (all: ClusterRole['rules']): string[] =>
      [...new Set((all ?? []).map(({ resources }) => resources?.join() ?? ''))].toSorted();
    const wanted = lines(partsOf(state, role).flatMap(({ rules }) => rules ?? []));
    return sameContent(wanted, lines(role.rules)) && (role.rules ?? []).length === wanted.length;
  });
}

function leavesParts(): Invariant {
  return {
    name: 'roles that are not aggregated have no rule of another one',
    always: (state) => {
      const parts = state
        .list(API, 'clusterroles')
        .filter(({ metadata }) => metadata?.name?.startsWith('part-'));
      const managers = parts.flatMap(({ metadata }) => metadata?.managedFields ?? []);
      return managers.some(({ manager }) => manager?.includes('aggregation') === true)
        ? 'one was written'
        : undefined;
    },
  };
}

export const roleSimulation: PartSimulation = {
  name: 'clusterrole-aggregation',
  options: (variant) => ({
    controllers: [simulatedParts('clusterrole-aggregation', aggregatedRoles)],
    workload: randomWorkload({
      variant,
      first: [],
      draws: [
        putPart,
        putPart,
        putPart,
        deletePart,
        (pick) => aggregated('a', pick),
        (pick) => aggregated('b', pick),
      ],
      count: 12,
      settled: filled,
    }),
    invariants: [
      leavesParts(),
      { name: 'aggregated roles have the rules of their parts', eventually: filled },
    ],
  }),
};
