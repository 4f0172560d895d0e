import {
  fieldForbidden,
  fieldNotSupported,
  fieldRequired,
} from '../../server/registry/rules/field-causes.ts';
import { isRecord, type JsonRecord } from '../../meta/json-value.ts';
import type { Check } from '../../server/registry/validation/check.ts';
import { fields, isEmpty, required } from '../../server/registry/validation/combine.ts';
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
  if (isEmpty(modes)) report.add(fieldRequired(path));
  const given: readonly unknown[] = Array.isArray(modes) ? modes : [];
  for (const mode of given) {
    if (!MODES.includes(mode as string)) report.add(fieldNotSupported(path, mode, MODES));
  }
  const isShared = given.some((one) => one !== MODES[3] && MODES.includes(one as string));
  if (given.includes(MODES[3]) && isShared) {
    report.add(fieldForbidden(path, 'may not use ReadWriteOncePod with other access modes'));
  }
};

/** A volume within an attachment. @see pkg/apis/core/validation ValidatePersistentVolumeSpec @ v1.36.3 */
export const inlineVolume: Check = (volume, path, report) => {
  if (!isRecord(volume)) return;
  const refuse = (name: string, detail: string): void =>
    report.add(fieldForbidden(`${path}.${name}`, detail));
  if (volume['claimRef'] !== undefined) refuse('claimRef', NOT_INLINE);
  if (volume['capacity'] !== undefined) refuse('capacity', NOT_INLINE);
  if (volume['csi'] === undefined) {
    report.add(fieldRequired(`${path}.csi`, `has to be specified ${IN_CONTEXT}`));
  }
  accessModes(volume['accessModes'], `${path}.accessModes`, report);
  const policy = volume['persistentVolumeReclaimPolicy'];
  if (!isEmpty(policy) && policy !== 'Retain') {
    refuse('persistentVolumeReclaimPolicy', `may only be Retain ${IN_CONTEXT}`);
  }
  if (volume['nodeAffinity'] !== undefined) refuse('nodeAffinity', NOT_INLINE);
  csi(volume['csi'], `${path}.csi`, report);
  if (!hasSource(volume)) report.add(fieldRequired(path, 'must specify a volume type'));
  if (!isEmpty(volume['storageClassName'])) refuse('storageClassName', NOT_INLINE);
  const { volumeMode = 'Filesystem' } = volume;
  if (volumeMode !== 'Filesystem') {
    refuse('volumeMode', `may not specify volumeMode other than Filesystem ${IN_CONTEXT}`);
  }
};

function hasSource(volume: JsonRecord): boolean {
  return volume['csi'] !== undefined || OTHER_SOURCES.some((name) => volume[name] !== undefined);
}
