import { fieldForbidden, fieldRequired } from '../../server/registry/rules/field-causes.ts';
import { isRecord, type JsonRecord } from '../../meta/json-value.ts';
import { newStatusStrategy } from '../../server/registry/contract/strategy.ts';
import { causesOf, checkedBy, type Check } from '../../server/registry/validation/check.ts';
import {
  all,
  fields,
  isChanged,
  isEmpty,
  required,
} from '../../server/registry/validation/combine.ts';
import { dnsSubdomain } from '../../server/registry/validation/formats.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { between, format } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { sizeOf } from './class-parameters.ts';
import { csiDriverName } from '../../server/registry/validation/csi-driver-name.ts';

const IN_CONTEXT = 'in the context of inline volumes';
const NOT_INLINE = `may not be specified ${IN_CONTEXT}`;
const MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
/** Sources of volumes besides `csi`. */
const OTHER_SOURCES =
  `awsElasticBlockStore azureDisk azureFile cephfs cinder fc flexVolume flocker gcePersistentDisk glusterfs
  hostPath iscsi local nfs photonPersistentDisk portworxVolume quobyte rbd scaleIO storageos vsphereVolume`.split(
    /\s+/,
  );

const csi = fields({ driver: csiDriverName, volumeHandle: required() });

const accessModes: Check = (modes, path, report) => {
  if (isEmpty(modes)) report.required(path);
  const given: readonly unknown[] = Array.isArray(modes) ? modes : [];
  for (const mode of given) {
    if (!MODES.includes(mode as string)) report.notSupported(path, mode, MODES);
  }
  const isShared = given.some((one) => one !== MODES[3] && MODES.includes(one as string));
  if (given.includes(MODES[3]) && isShared) {
    report.forbidden(path, 'may not use ReadWriteOncePod with other access modes');
  }
};

/** A volume within an attachment. @see pkg/apis/core/validation ValidatePersistentVolumeSpec @ v1.36.3 */
const inlineVolume: Check = (volume, path, report) => {
  if (!isRecord(volume)) return;
  const refuse = (name: string, detail: string): void =>
    report.forbidden(`${path}.${name}`, detail);
  if (volume['claimRef'] !== undefined) refuse('claimRef', NOT_INLINE);
  if (volume['capacity'] !== undefined) refuse('capacity', NOT_INLINE);
  if (volume['csi'] === undefined) {
    report.required(`${path}.csi`, `has to be specified ${IN_CONTEXT}`);
  }
  accessModes(volume['accessModes'], `${path}.accessModes`, report);
  const policy = volume['persistentVolumeReclaimPolicy'];
  if (!isEmpty(policy) && policy !== 'Retain') {
    refuse('persistentVolumeReclaimPolicy', `may only be Retain ${IN_CONTEXT}`);
  }
  if (volume['nodeAffinity'] !== undefined) refuse('nodeAffinity', NOT_INLINE);
  csi(volume['csi'], `${path}.csi`, report);
  if (!hasSource(volume)) report.required(path, 'must specify a volume type');
  if (!isEmpty(volume['storageClassName'])) refuse('storageClassName', NOT_INLINE);
  const { volumeMode = 'Filesystem' } = volume;
  if (volumeMode !== 'Filesystem') {
    refuse('volumeMode', `may not specify volumeMode other than Filesystem ${IN_CONTEXT}`);
  }
};

function hasSource(volume: JsonRecord): boolean {
  return volume['csi'] !== undefined || OTHER_SOURCES.some((name) => volume[name] !== undefined);
}

const LARGEST_METADATA = 256 * 1024;
const LONGEST_MESSAGE = 1024;
const MOST_INT32 = 2 ** 31 - 1;

const source: Check = (value, path, report) => {
  if (!isRecord(value)) return;
  const { inlineVolumeSpec, persistentVolumeName } = value;
  const rule = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  const hasName = persistentVolumeName !== undefined;
  if ((inlineVolumeSpec !== undefined) === hasName) {
    report.add(hasName ? fieldForbidden(path, rule) : fieldRequired(path, rule));
  } else if (persistentVolumeName === '') {
    const detail = 'must specify non empty persistentVolumeName';
    report.required(`${path}.persistentVolumeName`, detail);
  } else inlineVolume(inlineVolumeSpec, `${path}.inlineVolumeSpec`, report);
};

const attachmentMetadata: Check = (map, path, report) => {
  if (!isRecord(map) || sizeOf(map) <= LARGEST_METADATA) return;
  report.tooLong(path, LARGEST_METADATA, 'bytes');
};

const volumeError = fields({
  message: (text, path, report) => {
    if (typeof text !== 'string' || Buffer.byteLength(text) <= LONGEST_MESSAGE) return;
    // Before, kube-apiserver named the limit of the metadata.
    const most = report.isSince('volumeErrorLimitNamed') ? LONGEST_MESSAGE : LARGEST_METADATA;
    report.tooLong(path, most, 'bytes');
  },
  errorCode: between(0, MOST_INT32),
});

const volumeName: Check = (spec, path, report) => {
  const { persistentVolumeName: name } = (
    isRecord(spec) && isRecord(spec['source']) ? spec['source'] : {}
  ) as { readonly persistentVolumeName?: unknown };
  format(dnsSubdomain)(name, `${path}.source.persistentVolumeName`, report);
};

const sameSpec: Check = (spec, path, report, old) => {
  if (!isChanged(spec, report, old)) return;
  report.immutable(path, goForm('storage.VolumeAttachmentSpec', spec));
};

/** @see pkg/apis/storage/validation ValidateVolumeAttachment @ v1.36.3 */
const checks = all(
  fields({
    spec: fields({ attacher: csiDriverName, source, nodeName: format(dnsSubdomain) }),
    status: fields({ attachmentMetadata, attachError: volumeError, detachError: volumeError }),
  }),
  fields({ spec: all(volumeName, sameSpec) }),
);

export const volumeAttachments: KindRules = {
  group: 'storage.k8s.io',
  resource: 'volumeattachments',
  strategy: checkedBy(checks),
  statusStrategy: newStatusStrategy({
    keepMetadata: true,
    validateUpdate: (object, existing, policy) => causesOf(checks, object, existing, policy),
  }),
};
