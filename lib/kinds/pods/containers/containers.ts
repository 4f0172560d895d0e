import {
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotFound,
  fieldRequired,
} from '../../../server/registry/rules/field-causes.ts';
import {
  isRecord,
  recordAt,
  recordsAt,
  textAt,
  type JsonRecord,
} from '../../../meta/json-value.ts';
import type { Check } from '../../../server/registry/validation/check.ts';
import { fields, required } from '../../../server/registry/validation/combine.ts';
import { dnsLabel } from '../../../server/registry/validation/formats.ts';
import { format } from '../../../server/registry/validation/values.ts';
import { podCheck, type PodReport } from '../report/pod-report.ts';
import { requiredOneOf } from '../report/small-checks.ts';
import { pullPolicy } from '../volumes/volume-sources.ts';
import { env, envFrom } from './env.ts';
import { lifecycle, probes } from './handlers.ts';
import { checkMounts } from './mounts.ts';
import { checkHostPorts, containerPorts } from './ports.ts';
import { containerResourceName } from './resource-names.ts';
import { checkRequirements } from './resource-requirements.ts';
import { checkInitRestart, checkRestartRules, resizePolicy } from './restart-rules.ts';
import { securityContext } from './security-context.ts';

// The rules of containers. See pkg/apis/core/validation/validation.go from validateContainerCommon on @ v1.36.3.

const head = fields({
  name: required(format(dnsLabel)),
  image: required(),
  terminationMessagePolicy: requiredOneOf('File', 'FallbackToLogsOnError'),
  ports: containerPorts,
  env,
  envFrom,
});
const pull = fields({ imagePullPolicy: pullPolicy });
const tail = fields({ resizePolicy, securityContext });

function checkCommon(container: JsonRecord, path: string, pod: PodReport): void {
  head(container, path, pod);
  checkMounts(container, path, pod);
  pull(container, path, pod);
  checkRequirements(recordAt(container, 'resources') ?? {}, `${path}.resources`, pod, {
    nameCheck: containerResourceName,
    claimNames: pod.claimNames,
  });
  tail(container, path, pod);
}

const hooks = fields({ lifecycle });

/** The containers that run on. */
export const containers: Check = podCheck((_value, path, pod) => {
  const list = recordsAt(pod.spec, 'containers');
  if (list.length === 0) pod.add(fieldRequired(path));
  const names = new Set<string>();
  for (const [index, container] of list.entries()) {
    const at = `${path}[${index}]`;
    const name = textAt(container, 'name');
    checkCommon(container, at, pod);
    if (names.has(name)) pod.add(fieldDuplicate(`${at}.name`, name));
    names.add(name);
    hooks(container, at, pod);
    probes(container, at, pod);
    checkRestartRules(container, at, pod);
  }
  checkHostPorts(list, path, pod);
});

const HOOKS = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'];

/** Whether an init container that runs on beside the others. */
export function isSidecar(container: JsonRecord): boolean {
  return container['restartPolicy'] === 'Always';
}

/** Restart policies of resources that only sidecars may have. */
function checkInitResize(container: JsonRecord, at: string, pod: PodReport): void {
  if (isSidecar(container) || restartsForResize(pod.content.oldSpec)) return;
  for (const [index, one] of recordsAt(container, 'resizePolicy').entries()) {
    if (one['restartPolicy'] !== 'RestartContainer') continue;
    const rule = "must not be set to 'RestartContainer' for non-sidecar initContainers";
    pod.add(fieldInvalid(`${at}.resizePolicy[${index}].restartPolicy`, 'RestartContainer', rule));
  }
}

/** Whether a stored spec has such a policy, which then stays allowed. */
function restartsForResize(spec: JsonRecord | undefined): boolean {
  return recordsAt(spec, 'initContainers').some(
    (one) =>
      !isSidecar(one) &&
      recordsAt(one, 'resizePolicy').some(
        ({ restartPolicy }) => restartPolicy === 'RestartContainer',
      ),
  );
}

function namesOf(spec: JsonRecord, ...lists: readonly string[]): Set<string> {
  return new Set(
    lists.flatMap((list) => recordsAt(spec, list).map((container) => textAt(container, 'name'))),
  );
}

/** The containers that run before the others, and sidecars. */
export const initContainers: Check = podCheck((_value, path, pod) => {
  const list = recordsAt(pod.spec, 'initContainers');
  if (list.length === 0) return;
  const names = namesOf(pod.spec, 'containers');
  for (const [index, container] of list.entries()) {
    const at = `${path}[${index}]`;
    const name = textAt(container, 'name');
    checkCommon(container, at, pod);
    checkInitRestart(container, at, pod);
    if (names.has(name)) pod.add(fieldDuplicate(`${at}.name`, name));
    else if (name !== '') names.add(name);
    // They run one after the other. API servers report on each as the first one.
    checkHostPorts([container], path, pod);
    if (isSidecar(container)) {
      hooks(container, at, pod);
      probes(container, at, pod);
    } else {
      const rule = 'may not be set for init containers without restartPolicy=Always';
      for (const hook of HOOKS) {
        if (isRecord(container[hook])) pod.add(fieldForbidden(`${at}.${hook}`, rule));
      }
    }
    checkInitResize(container, at, pod);
  }
});

/** Fields that an ephemeral container may not have, in the order of Go's fields. */
const NOT_EPHEMERAL = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
];
const CANNOT = 'cannot be set for an Ephemeral Container';

function isSet(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  return !Array.isArray(value) || value.length > 0;
}

function checkEphemeralFields(container: JsonRecord, at: string, pod: PodReport): void {
  for (const name of NOT_EPHEMERAL) {
    const value = container[name];
    const isEmptyRecord = name === 'resources' && Object.keys(value ?? {}).length === 0;
    if (isSet(value) && !isEmptyRecord) pod.add(fieldForbidden(`${at}.${name}`, CANNOT));
  }
  for (const [index, mount] of recordsAt(container, 'volumeMounts').entries()) {
    for (const name of ['subPath', 'subPathExpr']) {
      if (textAt(mount, name) === '') continue;
      pod.add(fieldForbidden(`${at}.volumeMounts[${index}].${name}`, CANNOT));
    }
  }
}

/** The containers that were added for debugging. */
export const ephemeralContainers: Check = podCheck((_value, path, pod) => {
  const list = recordsAt(pod.spec, 'ephemeralContainers');
  if (list.length === 0) return;
  const others = namesOf(pod.spec, 'containers', 'initContainers');
  const names = new Set(others);
  for (const [index, container] of list.entries()) {
    const at = `${path}[${index}]`;
    const name = textAt(container, 'name');
    const target = textAt(container, 'targetContainerName');
    checkCommon(container, at, pod);
    checkImage(container, at, pod);
    if (names.has(name)) pod.add(fieldDuplicate(`${at}.name`, name));
    names.add(name);
    if (target !== '' && !others.has(target)) {
      pod.add(fieldNotFound(`${at}.targetContainerName`, target));
    }
    checkEphemeralFields(container, at, pod);
  }
});

/** An image of a pod, not of a template, has no space around it. */
export function checkImage(container: JsonRecord, path: string, pod: PodReport): void {
  const image = textAt(container, 'image');
  if (image.trim() === image) return;
  const rule = 'must not have leading or trailing whitespace';
  pod.add(fieldInvalid(`${path}.image`, image, rule));
}
