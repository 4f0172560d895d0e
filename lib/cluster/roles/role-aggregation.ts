import { controller } from '../../controller/builder/controller-builder.ts';
import type { ClusterRole } from '../../types/built-in/rbac-v1-kinds.ts';
import type { ClusterPart } from '../resources/cluster-parts.ts';
import { runningController } from '../resources/running-controller.ts';
import type { WorkloadParts } from '../resources/workload-parts.ts';
import { aggregatedRules, isAggregated, isPartOf } from './aggregated-rules.ts';

const API = 'rbac.authorization.k8s.io/v1';
const AGGREGATED = 'roles that are made of others';
/** As in kube-controller-manager (startClusterRoleAggregationController). */
const WORKERS = 5;
/** Tools know it, and leave the rules alone that it has written. */
const FIELD_MANAGER = 'clusterrole-aggregation-controller';

function aggregated(role: ClusterRole): readonly string[] {
  return isAggregated(role) ? [''] : [];
}

/**
 * The controller that fills ClusterRoles with the rules of those that their `aggregationRule` selects: `admin`, `edit` and `view`, and the
 * roles of users. A role that is made of others may be a part of a third one.
 * @see kubernetes pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go @ v1.37.2
 */
export function aggregatedRoles({
  client,
  informers,
  runtime,
  logger,
}: WorkloadParts): ClusterPart {
  const roles = informers.for(API, 'clusterroles', { indexers: { [AGGREGATED]: aggregated } });
  const made = controller(client, API, 'clusterroles', {
    name: 'ClusterRoleAggregator',
    informers,
    concurrency: WORKERS,
    runtime,
    logger,
  })
    .watches(API, 'clusterroles', ({ metadata }) =>
      roles.indexer
        .byIndex(AGGREGATED, '')
        .filter((role) => isPartOf(role, metadata))
        .map((role) => role.metadata.name),
    )
    .reconcile(async (role, { resource }) => {
      if (!isAggregated(role)) return;
      const rules = aggregatedRules(role, roles.indexer.list());
      if (rules === undefined) return;
      const { name } = role.metadata;
      const part = { apiVersion: API, kind: 'ClusterRole', metadata: { name } } as const;
      await resource(API, 'clusterroles').apply(rules.length === 0 ? part : { ...part, rules }, {
        fieldManager: FIELD_MANAGER,
      });
    });
  return runningController(made, { logger });
}
