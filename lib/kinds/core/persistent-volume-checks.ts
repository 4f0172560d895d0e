import { posix } from 'node:path';
import { isRecord, recordAt, textAt, textsAt, type JsonRecord } from '../../meta/json-value.ts';
import type { Check, Report } from '../../server/registry/validation/check.ts';
import { all, fields, isEmpty, required } from '../../server/registry/validation/combine.ts';
import { dnsLabel, dnsSubdomain } from '../../server/registry/validation/formats.ts';
import { positiveQuantity, wholeOf } from '../../server/registry/validation/quantity-checks.ts';
import { between, format, oneOf } from '../../server/registry/validation/values.ts';
import { nodeSelector } from '../pods/placement/affinity.ts';
import { filled } from '../pods/report/small-checks.ts';
import { withoutBacksteps } from '../pods/volumes/local-path.ts';
import { csiDriverName, volumeSources } from '../pods/volumes/volume-sources.ts';

// See pkg/apis/core/validation/validation.go ValidatePersistentVolumeSpec @ v1.36.3.

const ONE_TYPE = 'may not specify more than 1 volume type';
const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** Modes of access; at least one. */
export function accessModes(detail: string): Check {
  return (value, path, report) => {
    const modes = textsAt({ value }, 'value');
    if (modes.length === 0) report.required(path, detail);
    const known = modes.filter((mode) => ACCESS_MODES.includes(mode));
    for (const mode of modes) {
      if (!known.includes(mode)) report.notSupported(path, mode, ACCESS_MODES);
    }
    if (known.includes('ReadWriteOncePod') && known.some((mode) => mode !== 'ReadWriteOncePod')) {
      report.forbidden(path, 'may not use ReadWriteOncePod with other access modes');
    }
  };
}

/** An amount that is not negative, in the words for capacities. */
export function basicAmount(value: unknown, path: string, report: Report): void {
  const whole = wholeOf(value);
  if (whole >= 0n) return;
  report.invalid(path, Number(whole), 'must be a valid resource quantity');
}

const capacity: Check = (value, path, report) => {
  const amounts = isRecord(value) ? value : {};
  const names = Object.keys(amounts);
  if (names.length === 0) report.required(path);
  if (!names.includes('storage') || names.length > 1) {
    report.notSupported(path, value ?? null, ['storage']);
  }
  for (const name of names) {
    basicAmount(amounts[name], `${path}[${name}]`, report);
    positiveQuantity(amounts[name], `${path}[${name}]`, report);
  }
};

const ISCSI_FORMS: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.([a-zA-Z0-9\-.]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[a-zA-Z0-9]{16}$/,
  naa: /^naa.[a-zA-Z0-9]{32}$/,
};

const iscsiName = format((name) =>
  ISCSI_FORMS[name.slice(0, 3)]?.test(name) === true ? [] : ['must be valid format'],
);

const LONGEST_ISCSI = 64;

const iscsi: Check = (source, path, report) => {
  const { initiatorName, chapAuthDiscovery, chapAuthSession, secretRef } = source as JsonRecord;
  const portal = textAt(source, 'targetPortal');
  if (portal === '') report.required(`${path}.targetPortal`);
  const name = textAt(report.object, 'metadata', 'name');
  if (initiatorName !== undefined && `${name}:${portal}`.length > LONGEST_ISCSI) {
    const detail =
      'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
    report.invalid(`${path}.targetportal`, portal, detail);
  }
  fields({ iqn: required(iscsiName), lun: between(0, 255) })(source, path, report);
  if ((chapAuthDiscovery === true || chapAuthSession === true) && secretRef === undefined) {
    report.required(`${path}.secretRef`);
  }
  fields({ secretRef: fields({ name: required() }) })(source, path, report);
  iscsiName(initiatorName, `${path}.initiatorname`, report);
};

/** A reference whose name and namespace are set. */
const namedSecret = fields({ secretRef: fields({ name: required(), namespace: required() }) });

const secretReference = fields({
  name: required(format(dnsSubdomain)),
  namespace: required(format(dnsLabel)),
});

const csi: Check = fields({
  driver: csiDriverName,
  volumeHandle: required(),
  controllerPublishSecretRef: secretReference,
  controllerExpandSecretRef: secretReference,
  nodePublishSecretRef: secretReference,
  nodeExpandSecretRef: secretReference,
});

const local: Check = (source, path, report, old) => {
  fields({ path: required(format(withoutBacksteps)) })(source, path, report, old);
  if (recordAt(report.object, 'spec', 'nodeAffinity') !== undefined) return;
  report.required('spec.nodeAffinity', 'Local volume requires node affinity');
};

const endpointsNamespace: Check = (value, path, report) => {
  if (value !== '') return format(dnsLabel)(value, path, report);
  const detail = 'if the endpointnamespace is set, it must be a valid namespace name';
  report.invalid(path, value, detail);
};

const ofPods = new Map(volumeSources.map((source) => [source.name, source]));

function ofPod(name: string): Check {
  return ofPods.get(name)?.check ?? all();
}

const OWN: Readonly<Record<string, Check>> = {
  glusterfs: all(ofPod('glusterfs'), fields({ endpointsNamespace })),
  iscsi,
  cinder: all(fields({ volumeID: required() }), namedSecret),
  azureFile: all(
    ofPod('azureFile'),
    fields({
      secretNamespace: (value, path, report) => {
        if (value === '') report.required(path);
      },
    }),
  ),
  local,
  storageos: all(
    fields({ volumeName: required(format(dnsLabel)), volumeNamespace: filled(dnsLabel) }),
    namedSecret,
  ),
  csi,
};

/** In the order in which API servers check them. */
const SOURCES =
  `hostPath gcePersistentDisk awsElasticBlockStore glusterfs flocker nfs rbd quobyte cephfs iscsi cinder fc
  flexVolume azureFile vsphereVolume photonPersistentDisk portworxVolume azureDisk scaleIO local storageos csi`
    .split(/\s+/)
    .map((name) => ({
      name,
      check: OWN[name] ?? ofPod(name),
      refusedAt: ofPods.get(name)?.refusedAt ?? name,
      checkedAt: ofPods.get(name)?.checkedAt ?? name,
    }));

export const SOURCE_NAMES: readonly string[] = SOURCES.map(({ name }) => name);

const oneSource: Check = (spec, path, report) => {
  if (!isRecord(spec)) return;
  let count = 0;
  for (const { name, check, refusedAt, checkedAt } of SOURCES) {
    const source = spec[name];
    if (!isRecord(source)) continue;
    // As API servers do, which never refuse this one as the second.
    if (count > 0 && name !== 'flexVolume') report.forbidden(`${path}.${refusedAt}`, ONE_TYPE);
    else check(source, `${path}.${checkedAt}`, report);
    count += 1;
  }
  if (count === 0) report.required(path, 'must specify a volume type');
};

const noRootRecycling: Check = (spec, path, report) => {
  const host = textAt(spec, 'hostPath', 'path');
  if (host === '' || textAt(spec, 'persistentVolumeReclaimPolicy') !== 'Recycle') return;
  if (posix.normalize(host).replace(/(?!^)\/$/, '') !== '/') return;
  const detail = "may not be 'recycle' for a hostPath mount of '/'";
  report.forbidden(`${path}.persistentVolumeReclaimPolicy`, detail);
};

const attributesClass: Check = (spec, path, report) => {
  const name = isRecord(spec) ? spec['volumeAttributesClassName'] : undefined;
  if (name === undefined || !isRecord(spec)) return;
  const place = `${path}.volumeAttributesClassName`;
  if (isEmpty(name)) report.required(place, 'an empty string is disallowed');
  else format(dnsSubdomain)(name, place, report);
  if (isRecord(spec['csi'])) return;
  const detail = 'has to be specified when using volumeAttributesClassName';
  report.required(`${path}.csi`, detail);
};

const nodeAffinity: Check = (value, path, report) => {
  if (!isRecord(value)) return;
  const { required: needed } = value;
  if (isRecord(needed)) nodeSelector(true)(needed, `${path}.required`, report);
  else report.required(`${path}.required`, 'must specify required node constraints');
};

export const volumeSpecChecks: Check = all(
  fields({
    accessModes: accessModes(''),
    capacity,
    persistentVolumeReclaimPolicy: oneOf(['Delete', 'Recycle', 'Retain']),
    nodeAffinity,
  }),
  oneSource,
  noRootRecycling,
  fields({
    storageClassName: filled(dnsSubdomain),
    volumeMode: oneOf(['Block', 'Filesystem']),
  }),
  attributesClass,
);
