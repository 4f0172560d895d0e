import type { KubernetesObject } from '../../meta/object.ts';
import { newStatusStrategy, type UpdateStrategy } from '../../server/registry/contract/strategy.ts';
import { timestampOf } from '../../server/registry/rules/duration.ts';
import {
  isRecord,
  jsonEqual,
  recordAt,
  recordsAt,
  textAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import { causesOf, type Check } from '../../server/registry/validation/check.ts';
import { all, fields, isChanged } from '../../server/registry/validation/combine.ts';
import { goDiff } from '../../server/registry/validation/go-diff.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { immutable } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { nodeLabelWarning } from '../pods/warnings/placement-warnings.ts';
import { SOURCE_NAMES, volumeSpecChecks } from './persistent-volume-checks.ts';

const MOUNT_OPTIONS = 'volume.beta.kubernetes.io/mount-options';

/** Sources that can be mounted with options. */
const WITH_OPTIONS =
  'gcePersistentDisk awsElasticBlockStore glusterfs nfs rbd quobyte iscsi cinder cephfs azureFile vsphereVolume azureDisk photonPersistentDisk'.split(
    ' ',
  );

const noMountOptions: Check = (volume, _path, report) => {
  const spec = recordAt(volume, 'spec') ?? {};
  const annotations = recordAt(volume, 'metadata', 'annotations') ?? {};
  if (!Object.hasOwn(annotations, MOUNT_OPTIONS)) return;
  if (WITH_OPTIONS.some((name) => isRecord(spec[name]))) return;
  const detail = 'may not specify mount options for this volume type';
  report.forbidden(`metadata.annotations.${MOUNT_OPTIONS}`, detail);
};

const specChecks: Check = fields({ spec: volumeSpecChecks });
const newVolume: Check = all(specChecks, noMountOptions);

function sourcesOf(spec: unknown): JsonRecord {
  const given = isRecord(spec) ? spec : {};
  return Object.fromEntries(
    SOURCE_NAMES.filter((name) => isRecord(given[name])).map((name) => [name, given[name]]),
  );
}

/** The sources as kube-apiserver's own type has them. */
const GO_NAMES =
  'GCEPersistentDisk AWSElasticBlockStore HostPath Glusterfs NFS RBD Quobyte ISCSI FlexVolume Cinder CephFS FC Flocker AzureFile VsphereVolume AzureDisk PhotonPersistentDisk PortworxVolume ScaleIO Local StorageOS CSI'.split(
    ' ',
  );

function inGoOrder(sources: JsonRecord): JsonRecord {
  const form = Object.entries(goForm('core.PersistentVolumeSource', sources) as JsonRecord);
  const byName = new Map(form.map(([name, value]) => [name.toLowerCase(), value]));
  return Object.fromEntries(GO_NAMES.map((name) => [name, byName.get(name.toLowerCase()) ?? null]));
}

const sameSource: Check = (spec, _path, report, old) => {
  const before = sourcesOf(old);
  const now = sourcesOf(spec);
  const driver = recordAt(now, 'csi');
  const allowed = 'controllerExpandSecretRef';
  // A secret for the expansion may be added.
  if (driver !== undefined && isRecord(before['csi']) && before['csi'][allowed] === undefined) {
    const { [allowed]: _, ...rest } = driver;
    now['csi'] = rest;
  }
  if (jsonEqual(before, now)) return;
  const [one, other] = [before, now].map(inGoOrder);
  const detail = `spec.persistentvolumesource is immutable after creation\n${goDiff(one, other)}`;
  report.forbidden('spec.persistentvolumesource', detail);
};

/** Node labels of old servers, which an update may replace by those of today. */
const RENAMED: readonly (readonly [old: string, now: string])[] = [
  ['beta.kubernetes.io/os', 'kubernetes.io/os'],
  ['beta.kubernetes.io/arch', 'kubernetes.io/arch'],
  ['beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
];

function withNewLabels(affinity: unknown): unknown {
  let text = JSON.stringify(affinity) ?? 'null';
  for (const [old, now] of RENAMED) text = text.replaceAll(`"key":"${old}"`, `"key":"${now}"`);
  return JSON.parse(text);
}

const sameAffinity: Check = (value, _path, report, old) => {
  if (old === undefined || jsonEqual(withNewLabels(value), withNewLabels(old))) return;
  const detail = 'field is immutable, except for updating from beta label to GA';
  report.invalid('nodeAffinity', goForm('core.VolumeNodeAffinity', value), detail);
};

const classStays: Check = (value, path, report, old) => {
  if (!isChanged(value, report, old) || old === undefined || value !== undefined) return;
  report.forbidden(path, 'update from non-nil value to nil is forbidden');
};

/** @see pkg/apis/core/validation/validation.go ValidatePersistentVolumeUpdate @ v1.36.3 */
const changedVolume: Check = all(
  newVolume,
  // Updates are checked twice.
  specChecks,
  fields({
    spec: all(
      sameSource,
      fields({
        volumeMode: (value, _path, report, old) => immutable(value, 'volumeMode', report, old),
        nodeAffinity: sameAffinity,
        volumeAttributesClassName: classStays,
      }),
    ),
  }),
);

const BETA_CLASS = 'volume.beta.kubernetes.io/storage-class';

const DEPRECATED: readonly (readonly [source: string, text: string])[] = [
  ['cephfs', 'cephfs: deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'scaleIO: deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'storageOS: deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs: deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'rbd: deprecated in v1.28, non-functional in v1.31+'],
];

function* warningsOf(volume: KubernetesObject): Generator<string> {
  const annotations = recordAt(volume, 'metadata', 'annotations') ?? {};
  const spec = recordAt(volume, 'spec') ?? {};
  for (const [key, since, name] of [
    [BETA_CLASS, 'v1.8', 'storageClassName'],
    [MOUNT_OPTIONS, 'v1.31', 'mountOptions'],
  ] as const) {
    if (!Object.hasOwn(annotations, key)) continue;
    yield `metadata.annotations[${key}]: deprecated since ${since}; use "${name}" attribute instead`;
  }
  if (spec['persistentVolumeReclaimPolicy'] === 'Recycle') {
    yield 'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';
  }
  const terms = 'spec.nodeAffinity.required.nodeSelectorTerms';
  const required = recordAt(spec, 'nodeAffinity', 'required');
  for (const [index, term] of recordsAt(required, 'nodeSelectorTerms').entries()) {
    for (const [at, one] of recordsAt(term, 'matchExpressions').entries()) {
      const key = textAt(one, 'key');
      const text = nodeLabelWarning(key);
      if (text === undefined) continue;
      yield `${terms}[${index}].matchExpressions[${at}].key: ${key} is ${text}`;
    }
  }
  for (const [source, text] of DEPRECATED) if (isRecord(spec[source])) yield `spec.${text}`;
}

const base = newStatusStrategy();

/** The time of the last change of the phase follows the phase. */
const statusStrategy: UpdateStrategy = {
  ...base,
  prepareForUpdate(volume, existing, context) {
    base.prepareForUpdate(volume, existing, context);
    const status = recordAt(volume, 'status');
    const before = recordAt(existing, 'status');
    if (status === undefined) return;
    const name = 'lastPhaseTransitionTime';
    const [time, oldTime] = [status[name], before?.[name]];
    const samePhase = textAt(status, 'phase') === textAt(before, 'phase');
    if (samePhase && time === undefined && oldTime !== undefined) status[name] = oldTime;
    if (!samePhase && (time === undefined || time === oldTime)) {
      status[name] = timestampOf(context.nowMs);
    }
  },
};

export const persistentVolumes: KindRules = {
  resource: 'persistentvolumes',
  strategy: {
    prepareForCreate(volume, { nowMs }) {
      const status = recordAt(volume, 'status');
      if (status !== undefined) status['lastPhaseTransitionTime'] = timestampOf(nowMs);
    },
    validate: (volume, policy) => causesOf(newVolume, volume, undefined, policy),
    validateUpdate: (volume, existing, policy) => causesOf(changedVolume, volume, existing, policy),
    warnings: (volume) => [...warningsOf(volume)],
  },
  statusStrategy,
};
