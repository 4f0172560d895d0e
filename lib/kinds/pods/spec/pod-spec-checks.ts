import { fieldInvalid, fieldNotFound } from '../../../server/registry/rules/field-causes.ts';
import {
  isRecord,
  numberAt,
  recordAt,
  recordsAt,
  textAt,
  type JsonRecord,
} from '../../../meta/json-value.ts';
import { each, fields, required } from '../../../server/registry/validation/combine.ts';
import {
  dnsLabel,
  dnsSubdomain,
  qualifiedName,
} from '../../../server/registry/validation/formats.ts';
import { legacyIp } from '../../../server/registry/validation/addresses/ip-formats.ts';
import { labelMap } from '../../../server/registry/validation/label-selector-checks.ts';
import { between, format, oneOf } from '../../../server/registry/validation/values.ts';
import { containers, ephemeralContainers, initContainers } from '../containers/containers.ts';
import { containerResourceName } from '../containers/resource-names.ts';
import { checkRequirements } from '../containers/resource-requirements.ts';
import { affinity } from '../placement/affinity.ts';
import { tolerations } from '../placement/tolerations.ts';
import { topologySpread } from '../placement/topology-spread.ts';
import { resourceClaims, schedulingGates } from './pod-claims.ts';
import { checkDns, checkHostname } from './pod-dns.ts';
import { checkPodResources } from './pod-resources.ts';
import type { PodReport } from '../report/pod-report.ts';
import { filled, requiredOneOf, text } from '../report/small-checks.ts';
import {
  checkHostProcesses,
  checkOperatingSystem,
  checkUserNamespace,
} from '../security/operating-system.ts';
import { podSecurityContext } from '../security/pod-security.ts';
import { podVolumes } from '../volumes/pod-volumes.ts';

const content = fields({
  terminationGracePeriodSeconds: required(),
  volumes: podVolumes,
  resourceClaims,
  containers,
  initContainers,
  ephemeralContainers,
});

const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

const placement = fields({
  restartPolicy: requiredOneOf('Always', 'OnFailure', 'Never'),
  dnsPolicy: requiredOneOf(...DNS_POLICIES),
  nodeSelector: labelMap,
  securityContext: podSecurityContext,
  affinity,
});

const gates = fields({
  readinessGates: each(fields({ conditionType: text(qualifiedName) })),
  schedulingGates,
  topologySpreadConstraints: topologySpread,
});

const hostAlias = fields({ ip: text(legacyIp), hostnames: each(format(dnsSubdomain)) });

const names = fields({
  serviceAccountName: filled(dnsSubdomain),
  nodeName: filled(dnsSubdomain),
  activeDeadlineSeconds: between(1, 2 ** 31 - 1),
  hostname: filled(dnsLabel),
  subdomain: filled(dnsLabel),
  tolerations,
  hostAliases: each(hostAlias),
  priorityClassName: filled(dnsSubdomain),
  runtimeClassName: format(dnsSubdomain),
});

const preemption = required(oneOf(['PreemptLowerPriority', 'Never']));

/**
 * The rules of a spec of pods, in the order of API servers.
 * @see pkg/apis/core/validation/validation.go ValidatePodSpec @ v1.36.3
 */
export function checkPodSpec(pod: PodReport): void {
  const {
    spec,
    content: { path },
  } = pod;
  content(spec, path, pod);
  checkPodResources(pod, path);
  checkHostNetworkPorts(pod, path);
  placement(spec, path, pod);
  checkDns(spec, `${path}.dnsConfig`, pod);
  gates(spec, path, pod);
  checkHostProcesses(pod, path);
  checkUserNamespace(pod, path);
  checkHostname(pod, path);
  names(spec, path, pod);
  if (spec['preemptionPolicy'] !== undefined) {
    preemption(spec['preemptionPolicy'], `${path}.preemptionPolicy`, pod);
  }
  if (isRecord(spec['overhead'])) {
    const { overhead: limits } = spec;
    checkRequirements({ limits }, `${path}.overhead`, pod, {
      nameCheck: containerResourceName,
      claimNames: pod.claimNames,
    });
  }
  checkOperatingSystem(pod, path);
  checkFileVariables(pod);
}

/** On the network of its node, a pod has its ports there under the same numbers. */
function checkHostNetworkPorts(pod: PodReport, path: string): void {
  if (pod.spec['hostNetwork'] !== true) return;
  for (const [index, container] of recordsAt(pod.spec, 'containers').entries()) {
    for (const [place, port] of recordsAt(container, 'ports').entries()) {
      const host = numberAt(port, 'hostPort');
      if (host === numberAt(port, 'containerPort') || (host === 0 && !pod.isPod)) continue;
      const at = `${path}.containers[${index}].ports[${place}].hostPort`;
      const rule = 'must match `containerPort` when `hostNetwork` is true';
      pod.add(fieldInvalid(at, host, rule));
    }
  }
}

/** Variables that are read from a file of a volume. */
function checkFileVariables(pod: PodReport): void {
  pod.visitContainers((container, at) => {
    for (const [index, variable] of recordsAt(container, 'env').entries()) {
      const reference = recordAt(variable, 'valueFrom', 'fileKeyRef');
      if (reference === undefined) continue;
      const place = `${at}.env[${index}].valueFrom.fileKeyRef.volumeName`;
      const name = textAt(reference, 'volumeName');
      const volume = lastNamed(recordsAt(pod.spec, 'volumes'), name);
      if (volume === undefined) pod.add(fieldNotFound(place, name));
      else if (volume['emptyDir'] === undefined) {
        pod.add(fieldInvalid(place, name, 'referenced volume must be of type emptyDir'));
      }
    }
  });
}

function lastNamed(list: readonly JsonRecord[], name: string): JsonRecord | undefined {
  return list.findLast((one) => textAt(one, 'name') === name);
}
