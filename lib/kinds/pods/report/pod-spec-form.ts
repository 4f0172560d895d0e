import { isRecord, recordAt, setOwn, type JsonRecord } from '../../../meta/json-value.ts';
import { isSince } from '../../../meta/releases/kubernetes-features.ts';
import type { KubernetesMinor } from '../../../meta/releases/kubernetes-releases.ts';
import { goForm } from '../../../server/registry/validation/go-form.ts';

// API servers show the internal types of pods in messages. See pkg/apis/core/types.go @ v1.36.3 and v1.37.2.

/** Fields of the spec that Go kept at the security context, before its own. */
const OF_CONTEXT = ['HostNetwork', 'HostPID', 'HostIPC', 'ShareProcessNamespace', 'HostUsers'];
const SPEC =
  'Volumes InitContainers Containers EphemeralContainers RestartPolicy TerminationGracePeriodSeconds ActiveDeadlineSeconds DNSPolicy NodeSelector ServiceAccountName AutomountServiceAccountToken NodeName SecurityContext ImagePullSecrets Hostname Subdomain SetHostnameAsFQDN Affinity SchedulerName Tolerations HostAliases PriorityClassName Priority PreemptionPolicy DNSConfig ReadinessGates RuntimeClassName Overhead EnableServiceLinks TopologySpreadConstraints OS SchedulingGates ResourceClaims Resources HostnameOverride SchedulingGroup'.split(
    ' ',
  );
const CONTEXT =
  'SELinuxOptions WindowsOptions RunAsUser RunAsGroup RunAsNonRoot SupplementalGroups SupplementalGroupsPolicy FSGroup FSGroupChangePolicy Sysctls SeccompProfile AppArmorProfile SELinuxChangePolicy'.split(
    ' ',
  );
const VOLUME =
  'Name HostPath EmptyDir GCEPersistentDisk AWSElasticBlockStore GitRepo Secret NFS ISCSI Glusterfs PersistentVolumeClaim RBD Quobyte FlexVolume Cinder CephFS Flocker DownwardAPI FC AzureFile ConfigMap VsphereVolume AzureDisk PhotonPersistentDisk Projected PortworxVolume ScaleIO StorageOS CSI Ephemeral Image'.split(
    ' ',
  );
/** Fields of volumes whose names in Go do not follow from those in JSON. */
const RENAMED: Readonly<Record<string, string>> = { CephFS: 'Cephfs', StorageOS: 'Storageos' };

/** The spec of a pod as messages show it. Since the internal type is that of the API, its members have their order. */
export function podSpecForm(given: unknown, minor: KubernetesMinor | undefined): JsonRecord {
  const spec = isRecord(given) ? given : {};
  const form = goForm('core.PodSpec', spec, minor) as JsonRecord;
  if (isRecord(form['NodeSelector'])) form['NodeSelector'] = sorted(form['NodeSelector']);
  if (isSince(minor, 'podsOfOneForm')) return withGoNames(form);
  const context = goForm(
    'core.PodSecurityContext',
    recordAt(spec, 'securityContext') ?? {},
    minor,
  ) as JsonRecord;
  form['SecurityContext'] = { ...ordered(OF_CONTEXT, form), ...ordered(CONTEXT, context) };
  const volumes = form['Volumes'];
  if (Array.isArray(volumes)) {
    form['Volumes'] = volumes.map((one) => ordered(VOLUME, one as JsonRecord));
  }
  return ordered(SPEC, form);
}

const GO_NAMES: Readonly<Record<string, string>> = {
  ServiceAccount: 'DeprecatedServiceAccount',
  Cephfs: 'CephFS',
  Storageos: 'StorageOS',
};

/** A spec, or one of its volumes, whose members have the names of Go. */
function withGoNames(form: JsonRecord): JsonRecord {
  const named = Object.entries(form).map(([name, value]) => [
    Object.hasOwn(GO_NAMES, name) ? GO_NAMES[name] : name,
    name === 'Volumes' && Array.isArray(value) ? value.map(withGoNames) : value,
  ]);
  return Object.fromEntries(named) as JsonRecord;
}

function sorted(map: JsonRecord): JsonRecord {
  return Object.fromEntries(
    Object.keys(map)
      .toSorted()
      .map((key) => [key, map[key]]),
  );
}

function ordered(names: readonly string[], form: JsonRecord): JsonRecord {
  const record: JsonRecord = {};
  for (const name of names) {
    const source = Object.hasOwn(RENAMED, name) ? (RENAMED[name] as string) : name;
    setOwn(record, name, form[source] ?? null);
  }
  return record;
}
