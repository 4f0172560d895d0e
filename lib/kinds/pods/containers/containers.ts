import {
  isRecord,
  recordAt,
  recordsAt,
  textAt,
  textsAt,
  numberAt,
  type JsonRecord,
} from '../../../meta/json-value.ts';
import type { Check, Report } from '../../../server/registry/validation/check.ts';
import { fields, required, all } from '../../../server/registry/validation/combine.ts';
import { dnsLabel, portName } from '../../../server/registry/validation/formats.ts';
import { format, oneOf, portNumber } from '../../../server/registry/validation/values.ts';
import { podCheck, partCheck, type PodReport } from '../report/pod-report.ts';
import { requiredOneOf, oneOfTexts } from '../report/small-checks.ts';
import { pullPolicy } from '../volumes/volume-sources.ts';
import { env, envFrom } from './env.ts';
import { lifecycle, probes } from './handlers.ts';
import { checkMounts } from './mounts.ts';
import { containerResourceName } from './resource-names.ts';
import { checkRequirements } from './resource-requirements.ts';
import { goForm } from '../../../server/registry/validation/go-form.ts';
import { appArmorProfile, seccompProfile, unixId } from './security-profiles.ts';
import { windowsOptions } from './windows-options.ts';

const POLICIES = ['Always', 'Never', 'OnFailure'];
const MOST_RULES = 20;
const MOST_CODES = 255;
const NEEDS_POLICY = 'must specify restartPolicy when restart rules are used';

const olderAction = oneOfTexts('Restart');
const newAction = oneOfTexts('Restart', 'RestartAllContainers');
const action: Check = (value, path, report) =>
  (report.isSince('restartAllContainers') ? newAction : olderAction)(value, path, report);
const operator = oneOfTexts('In', 'NotIn');

/**
 * When a container starts again.
 * @see pkg/apis/core/validation/validation.go validateContainerRestartPolicy @ v1.36.3
 */
function checkRestartRules(container: JsonRecord, path: string, report: Report): void {
  const { restartPolicy: policy } = container;
  const rules = recordsAt(container, 'restartPolicyRules');
  if (policy === undefined && rules.length > 0) {
    report.required(`${path}.restartPolicy`, NEEDS_POLICY);
  } else if (policy !== undefined && !POLICIES.includes(policy as string)) {
    report.notSupported(`${path}.restartPolicy`, policy, POLICIES);
  }
  const list = `${path}.restartPolicyRules`;
  if (rules.length > MOST_RULES) report.tooMany(list, rules.length, MOST_RULES);
  for (const [index, rule] of rules.entries()) {
    action(rule['action'], `${list}[${index}].action`, report);
    checkCodes(rule['exitCodes'], `${list}[${index}].exitCodes`, report);
  }
}

/** The same of an init container: without a policy, its rules are not looked at. */
function checkInitRestart(container: JsonRecord, path: string, report: Report): void {
  if (container['restartPolicy'] !== undefined) checkRestartRules(container, path, report);
  else if (recordsAt(container, 'restartPolicyRules').length > 0) {
    report.required(`${path}.restartPolicy`, NEEDS_POLICY);
  }
}

function checkCodes(codes: unknown, path: string, report: Report): void {
  if (!isRecord(codes)) {
    report.required(path, 'must be specified');
    return;
  }
  operator(codes['operator'], `${path}.operator`, report);
  const count = Array.isArray(codes['values']) ? codes['values'].length : 0;
  if (count > MOST_CODES) report.tooMany(`${path}.values`, count, MOST_CODES);
}

const RESIZED = ['cpu', 'memory'];
const RESTARTS = ['NotRequired', 'RestartContainer'];

/** The value of an enumeration that has to be set. */
function checkOneOf(value: string, values: readonly string[], path: string, report: Report): void {
  if (value === '') report.required(path);
  else if (!values.includes(value)) report.notSupported(path, value, values);
}

/** The restart policies of a container when its resources change. API servers report on most of it at the list. */
const resizePolicy: Check = podCheck((list, path, pod) => {
  const seen = new Set<string>();
  for (const [index, one] of recordsAt(list).entries()) {
    const name = textAt(one, 'resourceName');
    const restart = textAt(one, 'restartPolicy');
    if (seen.has(name)) pod.duplicate(`${path}[${index}]`, name);
    seen.add(name);
    checkOneOf(name, RESIZED, path, pod);
    checkOneOf(restart, RESTARTS, path, pod);
    if (textAt(pod.spec, 'restartPolicy') === 'Never' && restart !== 'NotRequired') {
      const rule = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
      pod.invalid(path, restart, rule);
    }
  }
});

const requiredPort: Check = (port, path, report) => {
  if (port === 0 || port === undefined) report.required(path);
  else portNumber(port, path, report);
};

const hostPort: Check = (port, path, report) => {
  if (port !== 0) portNumber(port, path, report);
};

const port: Check = fields({
  containerPort: requiredPort,
  hostPort,
  protocol: requiredOneOf('SCTP', 'TCP', 'UDP'),
});

/** The ports of a container. */
const containerPorts: Check = (list, path, report) => {
  const names = new Set<string>();
  for (const [index, one] of recordsAt(list).entries()) {
    const at = `${path}[${index}]`;
    const name = textAt(one, 'name');
    const problems = name === '' ? [] : portName(name);
    for (const problem of problems) report.invalid(`${at}.name`, name, problem);
    if (names.has(name)) report.duplicate(`${at}.name`, name);
    if (name !== '' && problems.length === 0) names.add(name);
    port(one, at, report);
  }
};

/** Refuses a port of the node that the containers have twice. */
function checkHostPorts(containers: readonly JsonRecord[], path: string, report: Report): void {
  const seen = new Set<string>();
  for (const [index, container] of containers.entries()) {
    for (const [place, one] of recordsAt(container, 'ports').entries()) {
      const number = numberAt(one, 'hostPort');
      if (number === 0) continue;
      const text = `${textAt(one, 'protocol')}/${textAt(one, 'hostIP')}/${number}`;
      if (seen.has(text)) report.duplicate(`${path}[${index}].ports[${place}].hostPort`, text);
      seen.add(text);
    }
  }
}

const procMount: Check = all(
  oneOf(['Default', 'Unmasked']),
  podCheck((value, path, pod) => {
    if (!pod.hostUsers || value !== 'Unmasked') return;
    pod.invalid(path, value, '`hostUsers` must be false to use `Unmasked`');
  }),
);

const escalation = partCheck((context, path, pod) => {
  if (context['allowPrivilegeEscalation'] !== false) return;
  const refuse = (what: string): void => {
    const rule = `cannot set \`allowPrivilegeEscalation\` to false and ${what}`;
    pod.invalid(path, goForm('core.SecurityContext', context), rule);
  };
  if (context['privileged'] === true) refuse('`privileged` to true');
  for (const capability of textsAt(context, 'capabilities', 'add')) {
    if (capability === 'CAP_SYS_ADMIN') refuse('`capabilities.Add` CAP_SYS_ADMIN');
  }
});

const privileged: Check = (value, path, report) => {
  if (value !== true || report.policy.allowPrivileged !== false) return;
  report.forbidden(path, 'disallowed by cluster policy');
};

/**
 * The security context of a container.
 * @see pkg/apis/core/validation/validation.go ValidateSecurityContext @ v1.36.3
 */
const securityContext: Check = all(
  fields({ privileged }),
  fields({ runAsUser: unixId, runAsGroup: unixId, procMount, seccompProfile }),
  escalation,
  fields({ windowsOptions, appArmorProfile }),
);

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
  if (list.length === 0) pod.required(path);
  const names = new Set<string>();
  for (const [index, container] of list.entries()) {
    const at = `${path}[${index}]`;
    const name = textAt(container, 'name');
    checkCommon(container, at, pod);
    if (names.has(name)) pod.duplicate(`${at}.name`, name);
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
    pod.invalid(`${at}.resizePolicy[${index}].restartPolicy`, 'RestartContainer', rule);
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
    if (names.has(name)) pod.duplicate(`${at}.name`, name);
    else if (name !== '') names.add(name);
    // They run one after the other. API servers report on each as the first one.
    checkHostPorts([container], path, pod);
    if (isSidecar(container)) {
      hooks(container, at, pod);
      probes(container, at, pod);
    } else {
      const rule = 'may not be set for init containers without restartPolicy=Always';
      for (const hook of HOOKS) {
        if (isRecord(container[hook])) pod.forbidden(`${at}.${hook}`, rule);
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
    if (isSet(value) && !isEmptyRecord) pod.forbidden(`${at}.${name}`, CANNOT);
  }
  for (const [index, mount] of recordsAt(container, 'volumeMounts').entries()) {
    for (const name of ['subPath', 'subPathExpr']) {
      if (textAt(mount, name) === '') continue;
      pod.forbidden(`${at}.volumeMounts[${index}].${name}`, CANNOT);
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
    if (names.has(name)) pod.duplicate(`${at}.name`, name);
    names.add(name);
    if (target !== '' && !others.has(target)) pod.notFound(`${at}.targetContainerName`, target);
    checkEphemeralFields(container, at, pod);
  }
});

/** An image of a pod, not of a template, has no space around it. */
export function checkImage(container: JsonRecord, path: string, pod: PodReport): void {
  const image = textAt(container, 'image');
  if (image.trim() === image) return;
  const rule = 'must not have leading or trailing whitespace';
  pod.invalid(`${path}.image`, image, rule);
}
