import {
  isRecord,
  numberAt,
  recordAt,
  recordsAt,
  textAt,
  textsAt,
  type JsonRecord,
} from '../../../meta/json-value.ts';
import { each, fields, required } from '../../../server/registry/validation/combine.ts';
import {
  dnsLabel,
  dnsSubdomain,
  qualifiedName,
  dnsSubdomainWithUnderscore,
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
import { checkPodResources } from './pod-resources.ts';
import { podCheck, type PodReport } from '../report/pod-report.ts';
import { filled, requiredOneOf, text, oneMember } from '../report/small-checks.ts';
import {
  checkHostProcesses,
  checkOperatingSystem,
  checkUserNamespace,
} from '../security/operating-system.ts';
import { podSecurityContext } from '../security/pod-security.ts';
import { goForm } from '../../../server/registry/validation/go-form.ts';
import type { Check, Report } from '../../../server/registry/validation/check.ts';
import { volumeSources } from '../volumes/volume-sources.ts';

const source = oneMember(volumeSources, {
  second: 'may not specify more than 1 volume type',
  none: 'must specify a volume type',
});
const name = fields({ name: required(format(dnsLabel)) });

/** With the volume's name, the address of an iSCSI target has to fit into the name of a session. */
const LONGEST_SESSION = 64;

/** Rules about the name that follow from the source. */
function nameOfSource(volume: JsonRecord, path: string, pod: PodReport): void {
  const own = textAt(volume, 'name');
  const { iscsi, ephemeral } = volume;
  if (isRecord(iscsi) && iscsi['initiatorName'] !== undefined) {
    if (`${own}:${textAt(iscsi, 'targetPortal')}`.length > LONGEST_SESSION) {
      const rule =
        'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
      pod.invalid(`${path}.name`, own, rule);
    }
  }
  if (!isRecord(ephemeral) || pod.name === '' || own === '') return;
  const claim = `${pod.name}-${own}`;
  for (const problem of dnsSubdomain(claim)) {
    const detail = `PVC name ${JSON.stringify(claim)}: ${problem}`;
    pod.invalid(`${path}.name`, own, detail);
  }
}

/**
 * The volumes of a pod. Those without faults are kept in the report, because containers may mount no others.
 * @see pkg/apis/core/validation/validation.go ValidateVolumes @ v1.36.3
 */
const podVolumes: Check = podCheck((_value, path, pod) => {
  const list = recordsAt(pod.spec, 'volumes');
  for (const [index, volume] of list.entries()) {
    const place = `${path}[${index}]`;
    const before = pod.causes.length;
    source(volume, place, pod);
    nameOfSource(volume, place, pod);
    name(volume, place, pod);
    const own = textAt(volume, 'name');
    if (pod.volumes.has(own)) pod.duplicate(`${place}.name`, own);
    if (pod.causes.length === before) pod.volumes.set(own, volume);
    const claim = textAt(volume, 'persistentVolumeClaim', 'claimName');
    if (claim !== '' && createsClaim(list, claim, pod.name)) {
      const rule = 'must not reference a PVC that gets created for an ephemeral volume';
      pod.invalid(`${place}.persistentVolumeClaim.claimName`, claim, rule);
    }
  }
});

/** Whether the claim is one that the pod itself makes. */
function createsClaim(list: readonly JsonRecord[], claim: string, pod: string): boolean {
  if (pod === '') return false;
  return list.some(
    (one) => one['ephemeral'] !== undefined && claim === `${pod}-${textAt(one, 'name')}`,
  );
}

const MOST_SERVERS = 3;
const MOST_SEARCHES = 32;
const LONGEST_SEARCHES = 2048;

const address = text(legacyIp);
const search = text(dnsSubdomainWithUnderscore);

/**
 * How a pod resolves names.
 * @see pkg/apis/core/validation/validation.go validatePodDNSConfig @ v1.36.3
 */
function checkDns(spec: JsonRecord, path: string, report: Report): void {
  const { dnsConfig } = spec;
  const servers = textsAt(dnsConfig, 'nameservers');
  if (textAt(spec, 'dnsPolicy') === 'None') {
    const when = 'when `dnsPolicy` is None';
    if (!isRecord(dnsConfig)) {
      report.required(path, `must provide \`dnsConfig\` ${when}`);
      return;
    }
    if (servers.length === 0) {
      const rule = `must provide at least one DNS nameserver ${when}`;
      report.required(`${path}.nameservers`, rule);
      return;
    }
  }
  if (!isRecord(dnsConfig)) return;
  if (servers.length > MOST_SERVERS) {
    const rule = `must not have more than ${MOST_SERVERS} nameservers`;
    report.invalid(`${path}.nameservers`, servers, rule);
  }
  for (const [index, one] of servers.entries())
    address(one, `${path}.nameservers[${index}]`, report);
  checkSearches(textsAt(dnsConfig, 'searches'), `${path}.searches`, report);
  for (const [index, one] of recordsAt(dnsConfig, 'options').entries()) {
    if (textAt(one, 'name') !== '') continue;
    report.required(`${path}.options[${index}]`, 'must not be empty');
  }
}

function checkSearches(searches: readonly string[], path: string, report: Report): void {
  if (searches.length > MOST_SEARCHES) {
    const rule = `must not have more than ${MOST_SEARCHES} search paths`;
    report.invalid(path, searches, rule);
  }
  if (searches.join(' ').length > LONGEST_SEARCHES) {
    const rule = `must not have more than ${LONGEST_SEARCHES} characters (including spaces) in the search list`;
    report.invalid(path, searches, rule);
  }
  for (const [index, one] of searches.entries()) {
    if (one !== '.')
      search(one.endsWith('.') ? one.slice(0, -1) : one, `${path}[${index}]`, report);
  }
}

const LONGEST_HOSTNAME = 64;
const hostname = text(dnsSubdomain);

/** A name of the host that replaces the other ones. */
function checkHostname(pod: PodReport, path: string): void {
  const { hostnameOverride, setHostnameAsFQDN, hostNetwork } = pod.spec;
  if (typeof hostnameOverride !== 'string') return;
  const at = `${path}.hostnameOverride`;
  const rule = (what: string): string => `may not be specified when ${what} is true`;
  if (setHostnameAsFQDN === true) pod.forbidden(at, rule('setHostnameAsFQDN'));
  if (hostNetwork === true) pod.forbidden(at, rule('hostNetwork'));
  if (hostnameOverride.length > LONGEST_HOSTNAME) pod.tooLong(at, LONGEST_HOSTNAME, 'bytes');
  hostname(hostnameOverride, at, pod);
}

const label = format(dnsLabel);
const sourceNames = fields({
  resourceClaimName: format(dnsSubdomain),
  resourceClaimTemplateName: format(dnsSubdomain),
});

/**
 * The claims of devices of a pod.
 * @see pkg/apis/core/validation/validation.go validatePodResourceClaim @ v1.36.3
 */
const resourceClaims: Check = podCheck((list, path, pod) => {
  const seen = new Set<string>();
  for (const [index, claim] of recordsAt(list).entries()) {
    if (pod.isMirror) {
      pod.forbidden('[]', 'static pods do not support resource claims');
      continue;
    }
    const at = `${path}[${index}]`;
    const name = textAt(claim, 'name');
    if (name === '') pod.required(`${at}.name`);
    else if (seen.has(name)) pod.duplicate(`${at}.name`, name);
    else label(name, `${at}.name`, pod);
    seen.add(name);
    const { resourceClaimName: one, resourceClaimTemplateName: other } = claim;
    if ((one === undefined) === (other === undefined)) {
      const rule =
        one === undefined
          ? 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'
          : 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified';
      pod.invalid(at, goForm('core.PodResourceClaim', claim), rule);
    }
    sourceNames(claim, at, pod);
  }
});

const gate = text(qualifiedName);

/** The gates that hold the scheduling of a pod. */
const schedulingGates: Check = (list, path, report) => {
  const seen = new Set<string>();
  for (const [index, one] of recordsAt(list).entries()) {
    const name = textAt(one, 'name');
    gate(name, `${path}[${index}]`, report);
    if (seen.has(name)) report.duplicate(`${path}[${index}]`, name);
    seen.add(name);
  }
};

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
      pod.invalid(at, host, rule);
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
      if (volume === undefined) pod.notFound(place, name);
      else if (volume['emptyDir'] === undefined) {
        pod.invalid(place, name, 'referenced volume must be of type emptyDir');
      }
    }
  });
}

function lastNamed(list: readonly JsonRecord[], name: string): JsonRecord | undefined {
  return list.findLast((one) => textAt(one, 'name') === name);
}
