import {
  isRecord,
  recordsAt,
  textAt,
  textsAt,
  valueAt,
  type JsonRecord,
} from '../../../meta/json-value.ts';
import type { Check } from '../../../server/registry/validation/check.ts';
import { all, fields, isEmpty, required } from '../../../server/registry/validation/combine.ts';
import { dnsLabel, dnsSubdomain } from '../../../server/registry/validation/formats.ts';
import { between, format, oneOf } from '../../../server/registry/validation/values.ts';
import { partCheck } from '../report/pod-report.ts';
import { fileMode, filled, requiredOneOf, within, type OneMember } from '../report/small-checks.ts';
import { descendingPath, withoutBacksteps } from './local-path.ts';
import { ephemeralVolume } from './ephemeral-volume.ts';
import { projectedVolume } from './projected-volume.ts';
import { downwardFile, keyedFiles } from './volume-files.ts';

// The rules of each source of volumes. See pkg/apis/core/validation/validation.go validateVolumeSource @ v1.36.3.

/** Members that have to be set. */
function needs(...names: readonly string[]): Check {
  return fields(Object.fromEntries(names.map((name) => [name, required()])));
}

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

const hostPathRest = fields({ path: format(withoutBacksteps), type: oneOf(HOST_PATH_TYPES) });

const hostPath: Check = (source, path, report) => {
  if (textAt(source, 'path') === '') report.required(`${path}.path`);
  else hostPathRest(source, path, report);
};

const partition = within(0, 255, 'must be between 1 and 255, inclusive');
const mode = fields({ defaultMode: fileMode });
const secretName = fields({ secretRef: fields({ name: required() }) });

const absolutePath: Check = (value, path, report) => {
  const given = typeof value === 'string' ? value : '';
  if (given === '') report.required(path);
  if (!given.startsWith('/')) report.invalid(path, given, 'must be an absolute path');
};

const ISCSI_FORMS: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.([a-zA-Z0-9\-.]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[a-zA-Z0-9]{16}$/,
  naa: /^naa.[a-zA-Z0-9]{32}$/,
};

function iscsiName(name: string): readonly string[] {
  const form = ISCSI_FORMS[name.slice(0, 3)];
  if (form === undefined) return ['must be valid format starting with iqn, eui, or naa'];
  return form.test(name) ? [] : ['must be valid format'];
}

const initiator = format(iscsiName);

const iscsiSecret: Check = (source, path, report) => {
  const { chapAuthDiscovery, chapAuthSession, secretRef, initiatorName } = source as JsonRecord;
  if ((chapAuthDiscovery === true || chapAuthSession === true) && secretRef === undefined) {
    report.required(`${path}.secretRef`);
  }
  initiator(initiatorName, `${path}.initiatorname`, report);
};

const lunNumber = between(0, 255);

const fibreChannel: Check = (source, path, report) => {
  const targets = textsAt(source, 'targetWWNs');
  const ids = textsAt(source, 'wwids');
  const at = `${path}.targetWWNs`;
  if (targets.length === 0 && ids.length === 0) {
    report.required(at, 'must specify either targetWWNs or wwids, but not both');
  }
  if (targets.length === 0) return;
  if (ids.length > 0) {
    const both = 'targetWWNs and wwids can not be specified simultaneously';
    report.invalid(at, targets, both);
  }
  const lun = valueAt(source, 'lun');
  if (lun === undefined) {
    report.required(`${path}.lun`, 'lun is required if targetWWNs is specified');
  } else lunNumber(lun, `${path}.lun`, report);
};
const HOST_PORT = /^(?:\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/;
const PAIRS = 'must be a host:port pair or multiple pairs separated by commas';

const quobyte: Check = (source, path, report) => {
  const registry = textAt(source, 'registry');
  if (registry === '') report.required(`${path}.registry`, PAIRS);
  else if (textAt(source, 'tenant').length > 64) {
    const rule = 'must be a UUID and may not exceed a length of 64 characters';
    report.required(`${path}.tenant`, rule);
  } else {
    for (const pair of registry.split(',')) {
      if (!HOST_PORT.test(pair)) report.invalid(`${path}.registry`, registry, PAIRS);
    }
  }
  if (textAt(source, 'volume') === '') report.required(`${path}.volume`);
};

const flocker: Check = (source, path, report) => {
  const name = textAt(source, 'datasetName');
  const id = textAt(source, 'datasetUUID');
  if (name === '' && id === '') {
    report.required(path, 'one of datasetName and datasetUUID is required');
  }
  if (name !== '' && id !== '') {
    const both = 'datasetName and datasetUUID can not be specified simultaneously';
    report.invalid(path, 'resource', both);
  }
  if (name.includes('/')) report.invalid(`${path}.datasetName`, name, "must not contain '/'");
};

const RESERVED_OPTION = /\.(?:kubernetes|k8s)\.io$/i;

const flexOptions: Check = (options, path, report) => {
  for (const key of Object.keys(isRecord(options) ? options : {})) {
    if (!RESERVED_OPTION.test(`.${key.split('/')[0]}`)) continue;
    const rule = 'kubernetes.io and k8s.io namespaces are reserved';
    report.invalid(`${path}[${key}]`, key, rule);
  }
};

const MANAGED_DISK =
  '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const BLOB_DISK = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

const azureUri: Check = (source, path, report) => {
  const { kind } = source as JsonRecord;
  const uri = textAt(source, 'diskURI');
  const [start, form] =
    kind === 'Managed' ? ['/subscriptions/', MANAGED_DISK] : ['https://', BLOB_DISK];
  if (kind === undefined || uri.startsWith(start)) return;
  report.notSupported(`${path}.diskURI`, uri, [form]);
};

const LONGEST_DRIVER = 63;

/** The name of a CSI driver. */
export const csiDriverName: Check = required((value, path, report) => {
  const name = String(value);
  if (name.length > LONGEST_DRIVER) report.tooLong(path, LONGEST_DRIVER, 'bytes');
  for (const problem of dnsSubdomain(name.toLowerCase())) report.invalid(path, name, problem);
});

const subdomain = format(dnsSubdomain);

const csiSecret: Check = (source, path, report) => {
  const secret = valueAt(source, 'nodePublishSecretRef');
  if (!isRecord(secret)) return;
  const name = textAt(secret, 'name');
  if (name === '') report.required(`${path}.nodePublishSecretRef.name`);
  // API servers name this field without its parent.
  else subdomain(name, `${path}.name`, report);
};

const emptyDir: Check = (source, path, report) => {
  if (!textAt(source, 'sizeLimit').startsWith('-')) return;
  const rule = 'SizeLimit field must be a valid resource quantity';
  report.forbidden(`${path}.sizeLimit`, rule);
};

const downwardFiles: Check = (source, path, report) => {
  for (const file of recordsAt(source, 'items')) downwardFile(file, path, report);
};

export const pullPolicy: Check = requiredOneOf('Always', 'IfNotPresent', 'Never');

const image = partCheck((source, path, pod) => {
  const isNeeded = pod.isPod || pod.isSince('templateImageReference');
  if (isNeeded && isEmpty(source['reference'])) pod.required(`${path}.reference`);
  pullPolicy(source['pullPolicy'], `${path}.pullPolicy`, pod);
});

const iscsi: Check = all(
  fields({ targetPortal: required(), iqn: required(format(iscsiName)), lun: lunNumber }),
  iscsiSecret,
);

const azureDisk: Check = all(
  fields({
    diskName: required(),
    diskURI: required(),
    cachingMode: oneOf(['None', 'ReadOnly', 'ReadWrite']),
    kind: oneOf(['Dedicated', 'Managed', 'Shared']),
  }),
  azureUri,
);

const storageOs = all(
  fields({ volumeName: required(format(dnsLabel)), volumeNamespace: filled(dnsLabel) }),
  secretName,
);

/** The sources in the order in which API servers check them, with their misspellings. */
export const volumeSources: readonly OneMember[] = [
  { name: 'emptyDir', check: emptyDir },
  { name: 'hostPath', check: hostPath },
  {
    name: 'gitRepo',
    check: fields({ repository: required(), directory: format(descendingPath) }),
  },
  {
    name: 'gcePersistentDisk',
    check: fields({ pdName: required(), partition }),
    checkedAt: 'persistentDisk',
  },
  { name: 'awsElasticBlockStore', check: fields({ volumeID: required(), partition }) },
  {
    name: 'secret',
    check: all(needs('secretName'), mode, fields({ items: keyedFiles })),
  },
  { name: 'nfs', check: fields({ server: required(), path: absolutePath }) },
  { name: 'iscsi', check: iscsi },
  { name: 'glusterfs', check: needs('endpoints', 'path') },
  { name: 'flocker', check: flocker },
  { name: 'persistentVolumeClaim', check: needs('claimName') },
  { name: 'rbd', check: needs('monitors', 'image') },
  { name: 'cinder', check: all(needs('volumeID'), secretName) },
  { name: 'cephfs', check: needs('monitors'), refusedAt: 'cephFS' },
  { name: 'quobyte', check: quobyte },
  { name: 'downwardAPI', check: all(mode, downwardFiles), refusedAt: 'downwarAPI' },
  { name: 'fc', check: fibreChannel },
  { name: 'flexVolume', check: fields({ driver: required(), options: flexOptions }) },
  { name: 'configMap', check: all(needs('name'), mode, fields({ items: keyedFiles })) },
  { name: 'azureFile', check: needs('secretName', 'shareName') },
  { name: 'vsphereVolume', check: needs('volumePath') },
  { name: 'photonPersistentDisk', check: needs('pdID') },
  { name: 'portworxVolume', check: needs('volumeID') },
  { name: 'azureDisk', check: azureDisk },
  { name: 'storageos', check: storageOs },
  { name: 'projected', check: projectedVolume },
  { name: 'scaleIO', check: needs('gateway', 'system', 'volumeName') },
  { name: 'csi', check: all(fields({ driver: csiDriverName }), csiSecret) },
  { name: 'ephemeral', check: ephemeralVolume },
  { name: 'image', check: image },
];
