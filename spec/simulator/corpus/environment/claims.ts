import { controller } from '../../../../lib/controller/builder/controller-builder.ts';
import type { KubernetesObject } from '../../../../lib/meta/object.ts';
import type { SimulatedController } from '../../../../lib/simulator/contract/simulated-controller.ts';
import type { PersistentVolumeClaim } from '../../../../lib/types/built-in/core-v1-kinds.ts';
import type { StorageClass } from '../../../../lib/types/built-in/storage-v1-kinds.ts';

const PROTECTION = 'kubernetes.io/pvc-protection';

const storageClass: StorageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'standard' },
  provisioner: 'example.com/disk',
  allowVolumeExpansion: true,
};

/** A class of storage whose claims may grow. */
export const STORAGE_CLASS: KubernetesObject = storageClass;

/** The request of a claim of `STORAGE_CLASS`. */
export function claimSpec(storage: string): NonNullable<PersistentVolumeClaim['spec']> {
  return {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'standard',
    resources: { requests: { storage } },
  };
}

/** Binds claims, lets them grow, and lets deleted claims go when no pod uses them. */
export const claimController: SimulatedController = {
  name: 'claim-controller',
  run: async ({ client, runtime, logger, signal }) => {
    await controller(client, 'v1', 'persistentvolumeclaims', {
      name: 'claim-controller',
      runtime,
      logger,
    })
      .watches('v1', 'pods', ({ metadata: { namespace }, spec }) =>
        (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) =>
          persistentVolumeClaim === undefined
            ? []
            : [{ namespace, name: persistentVolumeClaim.claimName }],
        ),
      )
      .reconcile(async ({ metadata, spec, status }, { resource, lister }) => {
        const claims = resource('v1', 'persistentvolumeclaims');
        const { name, namespace = '', finalizers = [], deletionTimestamp } = metadata;
        if (deletionTimestamp !== undefined) {
          const pods = lister('v1', 'pods').namespace(namespace).list();
          const used = pods.some(({ spec: pod }) =>
            pod?.volumes?.some((one) => one.persistentVolumeClaim?.claimName === name),
          );
          if (used || !finalizers.includes(PROTECTION)) return;
          const left = finalizers.filter((one) => one !== PROTECTION);
          const { uid, resourceVersion } = metadata;
          await claims.patch(name, { metadata: { uid, resourceVersion, finalizers: left } });
          return;
        }
        const storage = spec?.resources?.requests?.['storage'];
        if (status?.phase === 'Bound' && status.capacity?.['storage'] === storage) return;
        const grown = { phase: 'Bound', accessModes: spec?.accessModes, capacity: { storage } };
        await claims.patch(name, { status: grown }, { subresource: 'status' });
      })
      .run({ signal });
  },
};
