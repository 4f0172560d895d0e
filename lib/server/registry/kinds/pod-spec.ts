import type { FieldCause } from '../../../meta/failures.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import { fieldDuplicate, fieldInvalid, fieldNotSupported, fieldRequired } from '../field-causes.ts';
import {
  defaultTo,
  isRecord,
  recordAt,
  recordsAt,
  textAt,
  type JsonRecord,
} from '../json-value.ts';
import { dnsLabelProblem } from '../name-validation.ts';
import { column, type Column } from '../table-columns.ts';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'] as const;

/** Fills in what a pod spec leaves out. See pkg/apis/core/v1/defaults.go @ 24a394e. */
export function defaultPodSpec(spec: JsonRecord | undefined): void {
  if (spec === undefined) return;
  defaultTo(spec, 'restartPolicy', 'Always');
  defaultTo(spec, 'terminationGracePeriodSeconds', 30);
  defaultTo(spec, 'dnsPolicy', 'ClusterFirst');
  defaultTo(spec, 'securityContext', {});
  defaultTo(spec, 'schedulerName', 'default-scheduler');
  for (const container of [
    ...recordsAt(spec, 'initContainers'),
    ...recordsAt(spec, 'containers'),
  ]) {
    defaultTo(container, 'resources', {});
    defaultTo(container, 'terminationMessagePath', '/dev/termination-log');
    defaultTo(container, 'terminationMessagePolicy', 'File');
    defaultTo(container, 'imagePullPolicy', pullPolicyOf(textAt(container, 'image')));
    for (const port of recordsAt(container, 'ports')) defaultTo(port, 'protocol', 'TCP');
  }
}

/** The tag `latest`, written or implied, is pulled each time. */
function pullPolicyOf(image: string): 'Always' | 'IfNotPresent' {
  const name = image.slice(image.lastIndexOf('/') + 1);
  if (name.includes('@')) return 'IfNotPresent';
  return !name.includes(':') || name.endsWith(':latest') ? 'Always' : 'IfNotPresent';
}

export function validatePodSpec(
  spec: JsonRecord | undefined,
  field: string,
  restartPolicies: readonly string[] = RESTART_POLICIES,
): FieldCause[] {
  if (spec === undefined) return [fieldRequired(field)];
  const causes: FieldCause[] = [];
  const containers = recordsAt(spec, 'containers');
  if (containers.length === 0) causes.push(fieldRequired(`${field}.containers`));
  const names = new Set<string>();
  for (const list of ['initContainers', 'containers']) {
    for (const [index, container] of recordsAt(spec, list).entries()) {
      causes.push(...validateContainer(container, `${field}.${list}[${index}]`, names));
    }
  }
  const policy = textAt(spec, 'restartPolicy');
  if (!restartPolicies.includes(policy)) {
    causes.push(fieldNotSupported(`${field}.restartPolicy`, policy, restartPolicies));
  }
  return causes;
}

function validateContainer(container: JsonRecord, field: string, names: Set<string>): FieldCause[] {
  const causes: FieldCause[] = [];
  const name = textAt(container, 'name');
  const problem = name === '' ? undefined : dnsLabelProblem(name);
  if (name === '') causes.push(fieldRequired(`${field}.name`));
  else if (problem !== undefined) causes.push(fieldInvalid(`${field}.name`, name, problem));
  else if (names.has(name)) causes.push(fieldDuplicate(`${field}.name`, name));
  names.add(name);
  if (textAt(container, 'image') === '') causes.push(fieldRequired(`${field}.image`));
  return causes;
}

/** Fills in a pod template and gives it the empty metadata it may leave out. */
export function defaultPodTemplate(spec: JsonRecord | undefined): void {
  const template = recordAt(spec, 'template');
  if (template === undefined) return;
  defaultTo(template, 'metadata', {});
  defaultPodSpec(recordAt(template, 'spec'));
}

function joined(object: KubernetesObject, property: string): string {
  const containers = recordsAt(object, 'spec', 'template', 'spec', 'containers');
  return containers.map((container) => textAt(container, property)).join(',');
}

/** What workloads show of their pod template with `-o wide`. */
export const containerColumns: readonly Column[] = [
  column('Containers', (object) => joined(object, 'name'), { wide: true }),
  column('Images', (object) => joined(object, 'image'), { wide: true }),
];

/** The quality-of-service class that the resources of the containers come to. */
export function qosClassOf(spec: unknown): 'BestEffort' | 'Burstable' | 'Guaranteed' {
  const containers = [...recordsAt(spec, 'initContainers'), ...recordsAt(spec, 'containers')];
  let any = false;
  let guaranteed = true;
  for (const container of containers) {
    const limits = recordAt(container, 'resources', 'limits') ?? {};
    const requests = recordAt(container, 'resources', 'requests') ?? {};
    if (Object.keys(limits).length + Object.keys(requests).length > 0) any = true;
    for (const name of ['cpu', 'memory']) {
      const same = requests[name] === undefined || requests[name] === limits[name];
      if (limits[name] === undefined || !same) guaranteed = false;
    }
  }
  if (!any) return 'BestEffort';
  return guaranteed && isRecord(spec) ? 'Guaranteed' : 'Burstable';
}
