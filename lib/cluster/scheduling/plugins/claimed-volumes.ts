import { type FilterPlugin, type FilterStep, type Rejection, rejection } from '../model/plugin.ts';
import { claimsOf, NO_VOLUME, NODE_CONFLICT, volumesOn } from '../model/pod-volumes.ts';

const unresolvable = { resolvable: false };
const REJECTIONS: Readonly<Record<string, Rejection>> = {
  [NODE_CONFLICT]: rejection('VolumeBinding', NODE_CONFLICT, unresolvable),
  [NO_VOLUME]: rejection('VolumeBinding', NO_VOLUME, unresolvable),
};

/**
 * The volumes of the pod can be had on the node.
 * @see pkg/scheduler/framework/plugins/volumebinding/volume_binding.go @ v1.37.2
 */
export const claimedVolumes: FilterPlugin = {
  name: 'VolumeBinding',
  prepare: ({ pod, facts }, { volumes }) => {
    if (facts.claims.length === 0) return undefined;
    const claims = claimsOf(pod, volumes);
    if (typeof claims === 'string') {
      return { refusal: rejection('VolumeBinding', claims, unresolvable) };
    }
    return {
      step: {
        filter: (node) => {
          const found = volumesOn(node, claims, volumes);
          return typeof found === 'string' ? REJECTIONS[found] : undefined;
        },
      },
    };
  },
};

const IN_USE = rejection(
  'VolumeRestrictions',
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
  { resolvable: true },
);

/**
 * A claim for one pod has no second one.
 * @see pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go @ v1.37.2
 */
export const exclusiveVolumes: FilterPlugin = {
  name: 'VolumeRestrictions',
  prepare: ({ facts: { namespace, claims } }, { volumes, counts }) => {
    const exclusive = claims.filter((name) =>
      volumes.claim(namespace, name)?.spec?.accessModes?.includes('ReadWriteOncePod'),
    );
    if (exclusive.length === 0) return undefined;
    let users = 0;
    for (const name of exclusive) {
      const byNode = counts.of(
        `claim ${namespace}/${name}`,
        (pod) => pod.namespace === namespace && pod.claims.includes(name),
      );
      for (const count of byNode.values()) users += count;
    }
    return { step: stepOf(namespace, exclusive, users) };
  },
};

function stepOf(namespace: string, exclusive: readonly string[], before: number): FilterStep {
  let users = before;
  return {
    filter: () => (users > 0 ? IN_USE : undefined),
    shift: (pod, _node, by) => {
      if (pod.namespace !== namespace) return;
      users += by * exclusive.filter((name) => pod.claims.includes(name)).length;
    },
    copy: () => stepOf(namespace, exclusive, users),
  };
}
