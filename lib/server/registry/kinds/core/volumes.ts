import { timestampOf } from '../../rules/duration.ts';
import { recordAt } from '../../rules/json-value.ts';
import type { MutableObject } from '../../rules/mutable-object.ts';
import type { KindRules } from '../contract/kind-rules.ts';

/** Keeps an object in use from being deleted. @see plugin/pkg/admission/storage/storageobjectinuseprotection @ v1.36.3 */
function protect({ metadata }: MutableObject, finalizer: string): void {
  const { finalizers = [] } = metadata;
  if (!finalizers.includes(finalizer)) metadata.finalizers = [...finalizers, finalizer];
}

/** The kinds of data sources that both fields of a claim can name. */
function isVolumeSource(source: Record<string, unknown>): boolean {
  const { kind, apiGroup } = source;
  if (kind === 'PersistentVolumeClaim') return (apiGroup ?? '') === '';
  return kind === 'VolumeSnapshot' && apiGroup === 'snapshot.storage.k8s.io';
}

/** The newer and the older field for the source of the data say the same. */
function joinDataSources(claim: MutableObject): void {
  const spec = recordAt(claim, 'spec');
  const source = recordAt(spec, 'dataSource');
  const reference = recordAt(spec, 'dataSourceRef');
  if (spec === undefined) return;
  if (source !== undefined && !isVolumeSource(source)) delete spec['dataSource'];
  if (source !== undefined && reference === undefined) spec['dataSourceRef'] = { ...source };
  if (source === undefined && reference !== undefined && isVolumeSource(reference)) {
    if ((reference['namespace'] ?? '') === '') spec['dataSource'] = { ...reference };
  }
}

export const persistentVolumes: KindRules = {
  resource: 'persistentvolumes',
  strategy: {
    prepareForCreate(volume, { nowMs }) {
      protect(volume, 'kubernetes.io/pv-protection');
      const status = recordAt(volume, 'status');
      if (status !== undefined) status['lastPhaseTransitionTime'] = timestampOf(nowMs);
    },
  },
};

export const persistentVolumeClaims: KindRules = {
  resource: 'persistentvolumeclaims',
  strategy: {
    prepareForCreate(claim) {
      protect(claim, 'kubernetes.io/pvc-protection');
      joinDataSources(claim);
    },
  },
};
