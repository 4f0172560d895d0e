import type { Client } from '../../../../../lib/client/rest/client.ts';
import { controller } from '../../../../../lib/controller/builder/controller-builder.ts';
import type { ControllerOptions } from '../../../../../lib/controller/builder/controller-options.ts';
import type { KubernetesObject } from '../../../../../lib/meta/object.ts';
import type { KnownBug } from '../../known-bug.ts';
import { customResource } from '../../support/custom-resource.ts';
import { operatorOf } from '../../support/operator-of.ts';
import { changes, creates } from '../../support/steps.ts';
import { stillThere } from '../../support/still-there.ts';
import type { ClusterState } from '../../../../../lib/simulator/contract/world.ts';

interface CassandraCluster extends KubernetesObject {
  readonly spec: { readonly maxUnavailable: number; readonly seeds: number };
  readonly status?: { readonly seeds?: number };
}

const CASSANDRA = {
  apiVersion: 'db.orange.com/v2',
  kind: 'CassandraCluster',
  plural: 'cassandraclusters',
};
const { apiVersion, plural } = CASSANDRA;
const GENERATION = 'owner-generation';

/** Makes the disruption budget anew when the wanted number differs. */
function operator(refusesThePast: boolean) {
  return (client: Client, options: ControllerOptions) =>
    controller<CassandraCluster>(client, apiVersion, plural, options)
      .owns('policy/v1', 'poddisruptionbudgets')
      .reconcile(async (cluster, { resource, own }) => {
        const { name, generation = 0 } = cluster.metadata as { name: string; generation?: number };
        const { maxUnavailable, seeds } = cluster.spec;
        const budgets = resource('policy/v1', 'poddisruptionbudgets');
        const { items } = await budgets.list();
        const found = items.find(({ metadata }) => metadata.name === name);
        if (found?.spec?.maxUnavailable === maxUnavailable) return { status: { seeds } };
        const { annotations, uid } = found?.metadata ?? {};
        const isOfThePast = Number(annotations?.[GENERATION] ?? 0) > generation;
        if (refusesThePast && isOfThePast) throw new Error('the cluster is of the past');
        if (found !== undefined) await budgets.delete(name, { preconditions: { uid } });
        if (!(await stillThere(resource(apiVersion, plural), cluster)))
          return { requeueAfterMs: 1000 };
        const metadata = { name, annotations: { [GENERATION]: String(generation) } };
        const spec = { maxUnavailable, selector: { matchLabels: { cluster: name } } };
        await budgets.create(own({ metadata, spec }));
        return { status: { seeds } };
      });
}

function allows(state: ClusterState, pods: number): boolean {
  const budgets = state.list('policy/v1', 'poddisruptionbudgets');
  return budgets.some(({ spec }) => spec?.maxUnavailable === pods);
}

export const casskop321: KnownBug = {
  name: 'casskop-321',
  upstream: {
    project: 'Orange-OpenSource/casskop',
    issue: 'https://github.com/Orange-OpenSource/casskop/issues/321',
    fix: undefined,
    summary:
      'A disruption budget is deleted and made anew when the wanted number of pods differs. An operator that sees the number of the past brings ' +
      'the smaller budget back, for a while. Fixed here as the issue proposes: the budget has the generation of the cluster that it was made ' +
      'for, and older ones are refused. Pull request 355 was closed without a merge.',
  },
  pattern: 'stale',
  world: { objects: [customResource(CASSANDRA)] },
  workload: [
    creates(CASSANDRA, 'ring', { maxUnavailable: 1, seeds: 1 }, (state) => allows(state, 1)),
    changes(CASSANDRA, 'ring', { maxUnavailable: 2 }, (state) => allows(state, 2)),
    changes(CASSANDRA, 'ring', { seeds: 2 }, (state) => {
      const cluster = state.get<CassandraCluster>(apiVersion, plural, 'ring', 'default');
      return cluster?.status?.seeds === 2 && allows(state, 2);
    }),
  ],
  wrong: [operatorOf('casskop', operator(false))],
  fixed: [operatorOf('casskop', operator(true))],
};
