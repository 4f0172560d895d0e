import { controller } from '../../../../lib/controller/builder/controller-builder.ts';
import { isConditionTrue } from '../../../../lib/controller/helpers/conditions.ts';
import { controllerOf } from '../../../../lib/meta/object.ts';
import type { Stored } from '../../../../lib/meta/stored.ts';
import type { SimulatedController } from '../../../../lib/simulator/contract/simulated-controller.ts';
import type { StatefulSet } from '../../../../lib/types/built-in/apps-v1-kinds.ts';
import type { Pod, PersistentVolumeClaim } from '../../../../lib/types/built-in/core-v1-kinds.ts';
import { unlessExists } from '../support/quiet.ts';
import { stillThere } from '../support/still-there.ts';
import { claimController } from './claims.ts';
import { kubelet } from './kubelet.ts';

/** How soon it looks again after what it waits for, where no change notifies it. */
const LOOK_AGAIN_MS = 1000;

/**
 * Makes the claims and pods of stateful sets, takes pods over that have no owner, and deletes the pods that are too many, the highest
 * number first. It does not delete claims.
 */
const statefulSetController: SimulatedController = {
  name: 'statefulset-controller',
  run: async ({ client, runtime, logger, signal }) => {
    await controller(client, 'apps/v1', 'statefulsets', {
      name: 'statefulset-controller',
      runtime,
      logger,
    })
      .owns('v1', 'pods')
      .reconcile(async (set, { resource, own, owned, ownerReference }) => {
        if (set.metadata.deletionTimestamp !== undefined) return;
        const pods = resource('v1', 'pods');
        const claims = resource('v1', 'persistentvolumeclaims');
        const names = Array.from({ length: replicasOf(set) }, (_, ordinal) => nameOf(set, ordinal));
        const present = owned('v1', 'pods');
        let waits = false;
        for (const [ordinal, name] of names.entries()) {
          if (present.some(({ metadata }) => metadata.name === name)) continue;
          for (const claim of claimsOf(set, ordinal)) await unlessExists(claims.create(claim));
          if ((await unlessExists(pods.create(own(podOf(set, ordinal))))) !== undefined) continue;
          const found = await pods.get(name);
          waits = true;
          if (controllerOf(found) !== undefined || found.metadata.deletionTimestamp !== undefined)
            continue;
          // A set that is gone adopts nothing: the collector would delete the pods that it leaves behind.
          if (!(await stillThere(resource('apps/v1', 'statefulsets'), set))) continue;
          const { uid, resourceVersion } = found.metadata;
          const ownerReferences = [ownerReference];
          await pods.patch(name, { metadata: { uid, resourceVersion, ownerReferences } });
        }
        const surplus = present
          .filter(({ metadata }) => !names.includes(metadata.name))
          .toSorted((one, other) => ordinalOf(other) - ordinalOf(one));
        for (const { metadata } of surplus) {
          if (metadata.deletionTimestamp !== undefined) continue;
          const preconditions = { uid: metadata.uid };
          await pods.delete(metadata.name, { preconditions, ignoreNotFound: true });
        }
        const status = {
          replicas: present.length,
          readyReplicas: present.filter((pod) => isConditionTrue(pod, 'Ready')).length,
          observedGeneration: set.metadata.generation,
        };
        return waits ? { status, requeueAfterMs: LOOK_AGAIN_MS } : { status };
      })
      .run({ signal });
  },
};

/** The programs that make a stateful set live. */
export const statefulSets: readonly SimulatedController[] = [
  statefulSetController,
  kubelet,
  claimController,
];

/** The number of a pod of a stateful set, at the end of its name. */
export function ordinalOf({ metadata }: Stored<object>): number {
  return Number(metadata.name.slice(metadata.name.lastIndexOf('-') + 1));
}

export interface StatefulSetOptions {
  readonly name: string;
  readonly replicas: number;
  /** Labels of the set, its pods and its claims. */
  readonly labels: Readonly<Record<string, string>>;
  /** The spec of the claim `data` of each pod. @defaultValue no claims */
  readonly claim?: PersistentVolumeClaim['spec'] | undefined;
  /** @defaultValue none */
  readonly finalizersOfPods?: readonly string[] | undefined;
}

export function statefulSet(options: StatefulSetOptions): StatefulSet & { metadata: object } {
  const { name, replicas, claim, finalizersOfPods } = options;
  const labels = { ...options.labels };
  const finalizers = finalizersOfPods && [...finalizersOfPods];
  const containers = [{ name: 'main', image: 'example.com/main:1' }];
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name, labels },
    spec: {
      replicas,
      serviceName: name,
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { ...labels, app: name }, ...(finalizers && { finalizers }) },
        spec: { containers },
      },
      ...(claim && { volumeClaimTemplates: [{ metadata: { name: 'data', labels }, spec: claim }] }),
    },
  };
}

function replicasOf({ spec }: StatefulSet): number {
  return spec?.replicas ?? 1;
}

function nameOf(set: Stored<StatefulSet>, ordinal: number): string {
  return `${set.metadata.name}-${ordinal}`;
}

function claimsOf(set: Stored<StatefulSet>, ordinal: number): PersistentVolumeClaim[] {
  return (set.spec?.volumeClaimTemplates ?? []).map(({ metadata, spec }) => ({
    metadata: { name: `${metadata?.name}-${nameOf(set, ordinal)}`, labels: metadata?.labels },
    spec,
  }));
}

function podOf(set: Stored<StatefulSet>, ordinal: number): Pod {
  const { metadata, spec } = set.spec?.template ?? {};
  const volumes = (set.spec?.volumeClaimTemplates ?? []).map((template) => {
    const name = template.metadata?.name ?? '';
    const claimName = `${name}-${nameOf(set, ordinal)}`;
    return { name, persistentVolumeClaim: { claimName } };
  });
  return {
    metadata: {
      name: nameOf(set, ordinal),
      labels: metadata?.labels,
      finalizers: metadata?.finalizers,
    },
    spec: { containers: spec?.containers ?? [], nodeName: 'node', volumes },
  };
}
