import type { OwnerReference } from '../../meta/object.ts';
import type { ReplicaSet } from '../../types/built-in/apps-v1-kinds.ts';
import type { StoredDeployment, StoredSet } from './replica-counts.ts';
import { missingAnnotations, nextRevision, sizeAnnotations } from './revisions.ts';
import { newSetReplicas } from './scaling-plan.ts';
import { HASH_LABEL, templateHash } from './template-hash.ts';

const LONGEST_NAME = 253;

/** The ReplicaSet for the present template; its name follows from the template, so that it is made once. */
export function newReplicaSet(
  deployment: StoredDeployment,
  oldSets: readonly StoredSet[],
  ownerReference: OwnerReference,
): ReplicaSet {
  const { metadata, spec, status } = deployment;
  const { template, minReadySeconds, selector } = spec;
  const hash = templateHash(template, status?.collisionCount);
  const labels = { ...template.metadata?.labels, [HASH_LABEL]: hash };
  const matchLabels = { ...selector.matchLabels, [HASH_LABEL]: hash };
  const annotations = {
    ...missingAnnotations(deployment, {}, nextRevision(oldSets)),
    ...sizeAnnotations(deployment),
  };
  const name = `${metadata.name.slice(0, LONGEST_NAME - 1 - hash.length)}-${hash}`;
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name,
      namespace: metadata.namespace,
      labels,
      annotations,
      ownerReferences: [ownerReference],
    },
    spec: {
      replicas: newSetReplicas(deployment, oldSets, 0),
      minReadySeconds,
      selector: { ...selector, matchLabels },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}
