import { isRecord, setOwn, type JsonRecord } from '../../meta/json-value.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';

// API servers show the internal types of pods in messages. See pkg/apis/core/types.go @ v1.36.3.

/** Fields of the spec that Go keeps at the security context, before its own. */
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
const RENAMED: Readonly<Record<string, string>> = {
  CephFS: 'Cephfs',
  StorageOS: 'Storageos',
};

function ordered(names: readonly string[], form: JsonRecord): JsonRecord {
  const record: JsonRecord = {};
  for (const name of names) {
    const source = Object.hasOwn(RENAMED, name) ? (RENAMED[name] as string) : name;
    setOwn(record, name, form[source] ?? null);
  }
  return record;
}

/** The spec as messages show it. */
export function podSpecForm(spec: JsonRecord): JsonRecord {
  const form = goForm('core.PodSpec', spec) as JsonRecord;
  const context = form['SecurityContext'];
  form['SecurityContext'] = {
    ...ordered(OF_CONTEXT, form),
    ...ordered(
      CONTEXT,
      isRecord(context) ? context : (goForm('core.PodSecurityContext', {}) as JsonRecord),
    ),
  };
  const volumes = form['Volumes'];
  if (Array.isArray(volumes)) {
    form['Volumes'] = volumes.map((one) => ordered(VOLUME, one as JsonRecord));
  }
  return ordered(SPEC, form);
}

/** Go's JSON of a value, a member on each line. */
export function goJson(value: unknown): string {
  return JSON.stringify(value, undefined, 1).replaceAll(
    /[<>&\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
