import {
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
} from '../../../server/registry/rules/field-causes.ts';
import {
  isRecord,
  recordAt,
  recordsAt,
  textAt,
  type JsonRecord,
} from '../../../meta/json-value.ts';
import { required } from '../../../server/registry/validation/combine.ts';
import { dnsLabel, dnsSubdomain } from '../../../server/registry/validation/formats.ts';
import { format } from '../../../server/registry/validation/values.ts';
import type { PodReport } from '../report/pod-report.ts';
import { text } from '../report/small-checks.ts';

const claimName = format(dnsSubdomain);
const requiredClaim = required(claimName);
const requestName = text(dnsLabel);

/** The claims that were made for the pod. @see pkg/apis/core/validation/validation.go validatePodResourceClaimStatuses @ v1.36.3 */
export function checkClaimStatuses(pod: PodReport): void {
  const path = 'status.resourceClaimStatuses';
  const seen = new Set<string>();
  for (const [index, one] of recordsAt(pod.object, 'status', 'resourceClaimStatuses').entries()) {
    const name = textAt(one, 'name');
    const at = `${path}[${index}]`;
    if (!pod.claimNames.has(name)) {
      const rule = 'must match the name of an entry in `spec.resourceClaims`';
      pod.add(fieldInvalid(`${at}.name`, name, rule));
    }
    if (seen.has(name)) pod.add(fieldDuplicate(`${at}.name`, name));
    seen.add(name);
    claimName(one['resourceClaimName'], `${at}.resourceClaimName`, pod);
  }
}

const OF_SPEC = (member: string): string =>
  `spec.initContainers${member} or spec.containers${member}`;

/** The claim of the extended resources of the pod. */
export function checkExtendedClaim(pod: PodReport): void {
  const status = recordAt(pod.object, 'status', 'extendedResourceClaimStatus');
  if (!isRecord(status)) return;
  const path = 'status.extendedResourceClaimStatus';
  const mappings = recordsAt(status, 'requestMappings');
  if (mappings.length === 0) {
    const rule = 'at least one request mapping is required';
    pod.add(fieldRequired(`${path}.requestMappings`, rule));
  }
  const seen = new Set<string>();
  for (const [index, one] of mappings.entries()) {
    checkMapping(one, `${path}.requestMappings[${index}]`, pod);
    // API servers report on it without its place.
    requestName(one['requestName'], `${path}.requestName`, pod);
    const members = ['containerName', 'resourceName', 'requestName'];
    const key = JSON.stringify(members.map((member) => textAt(one, member)));
    for (const member of seen.has(key) ? members : []) {
      const at = `${path}.requestMappings[${index}].${member}`;
      pod.add(fieldDuplicate(at, textAt(one, member)));
    }
    seen.add(key);
  }
  requiredClaim(status['resourceClaimName'], `${path}.resourceClaimName`, pod);
}

function checkMapping(one: JsonRecord, at: string, pod: PodReport): void {
  const name = textAt(one, 'containerName');
  const resource = textAt(one, 'resourceName');
  const containers = ['initContainers', 'containers'].flatMap((list) => recordsAt(pod.spec, list));
  const container = containers.findLast((other) => textAt(other, 'name') === name);
  if (container === undefined) {
    const rule = `must match the name of an entry in ${OF_SPEC('.name')}`;
    pod.add(fieldInvalid(`${at}.containerName`, name, rule));
  } else if (!Object.hasOwn(recordAt(container, 'resources', 'requests') ?? {}, resource)) {
    const rule = `must match the extended resource name of an entry in ${OF_SPEC('.resources.requests')}`;
    pod.add(fieldInvalid(`${at}.resourceName`, resource, rule));
  }
}
