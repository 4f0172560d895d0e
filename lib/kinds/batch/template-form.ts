import {
  isRecord,
  recordAt,
  valueAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { shownMap } from '../apps/workload-checks.ts';

/** The order of the members of the internal type, and which of them lie in its security context. */
const POD_MEMBERS =
  'Volumes InitContainers Containers EphemeralContainers RestartPolicy TerminationGracePeriodSeconds ActiveDeadlineSeconds DNSPolicy NodeSelector ServiceAccountName AutomountServiceAccountToken NodeName SecurityContext ImagePullSecrets Hostname Subdomain SetHostnameAsFQDN Affinity SchedulerName Tolerations HostAliases PriorityClassName Priority PreemptionPolicy DNSConfig ReadinessGates RuntimeClassName Overhead EnableServiceLinks TopologySpreadConstraints OS SchedulingGates ResourceClaims Resources HostnameOverride SchedulingGroup'.split(
    ' ',
  );
const SECURITY_MEMBERS =
  'SELinuxOptions WindowsOptions RunAsUser RunAsGroup RunAsNonRoot SupplementalGroups SupplementalGroupsPolicy FSGroup FSGroupChangePolicy Sysctls SeccompProfile AppArmorProfile SELinuxChangePolicy'.split(
    ' ',
  );
const HOST_MEMBERS = ['HostNetwork', 'HostPID', 'HostIPC', 'ShareProcessNamespace', 'HostUsers'];

/** The spec of a pod as messages show it. @see pkg/apis/core/types.go PodSpec @ v1.36.3 */
export function shownPodSpec(spec: unknown): unknown {
  const form = goForm('core.PodSpec', spec ?? {}) as JsonRecord;
  const security = goForm('core.PodSecurityContext', recordAt(spec, 'securityContext') ?? {});
  const SecurityContext = {
    ...picked(form, HOST_MEMBERS),
    ...picked(security as JsonRecord, SECURITY_MEMBERS),
  };
  return picked(
    { ...form, SecurityContext, NodeSelector: sortedMap(form['NodeSelector']) },
    POD_MEMBERS,
  );
}

/** A pod template as messages show it: its metadata has no member of its own. */
export function shownTemplate(template: unknown): unknown {
  const { labels, annotations, ...others } = recordAt(template, 'metadata') ?? {};
  return {
    ...others,
    ...(isRecord(labels) ? { labels: shownMap(labels) } : {}),
    ...(isRecord(annotations) ? { annotations: shownMap(annotations) } : {}),
    Spec: shownPodSpec(valueAt(template, 'spec')),
  };
}

function sortedMap(map: unknown): unknown {
  return isRecord(map) ? shownMap(map) : (map ?? null);
}

function picked(form: JsonRecord, names: readonly string[]): JsonRecord {
  return Object.fromEntries(names.map((name) => [name, form[name] ?? null]));
}
