import {
  fieldDuplicate,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooMany,
} from '../../../server/registry/rules/field-causes.ts';
import {
  isRecord,
  recordsAt,
  textAt,
  type JsonRecord,
} from '../../../meta/json-value.ts';
import type { Check, Report } from '../../../server/registry/validation/check.ts';
import { podCheck } from '../report/pod-report.ts';
import { oneOfTexts } from '../report/small-checks.ts';

const POLICIES = ['Always', 'Never', 'OnFailure'];
const MOST_RULES = 20;
const MOST_CODES = 255;
const NEEDS_POLICY = 'must specify restartPolicy when restart rules are used';

const action = oneOfTexts('Restart', 'RestartAllContainers');
const operator = oneOfTexts('In', 'NotIn');

/**
 * When a container starts again.
 * @see pkg/apis/core/validation/validation.go validateContainerRestartPolicy @ v1.36.3
 */
export function checkRestartRules(container: JsonRecord, path: string, report: Report): void {
  const { restartPolicy: policy } = container;
  const rules = recordsAt(container, 'restartPolicyRules');
  if (policy === undefined && rules.length > 0) {
    report.add(fieldRequired(`${path}.restartPolicy`, NEEDS_POLICY));
  } else if (policy !== undefined && !POLICIES.includes(policy as string)) {
    report.add(fieldNotSupported(`${path}.restartPolicy`, policy, POLICIES));
  }
  const list = `${path}.restartPolicyRules`;
  if (rules.length > MOST_RULES) report.add(fieldTooMany(list, rules.length, MOST_RULES));
  for (const [index, rule] of rules.entries()) {
    action(rule['action'], `${list}[${index}].action`, report);
    checkCodes(rule['exitCodes'], `${list}[${index}].exitCodes`, report);
  }
}

/** The same of an init container: without a policy, its rules are not looked at. */
export function checkInitRestart(container: JsonRecord, path: string, report: Report): void {
  if (container['restartPolicy'] !== undefined) checkRestartRules(container, path, report);
  else if (recordsAt(container, 'restartPolicyRules').length > 0) {
    report.add(fieldRequired(`${path}.restartPolicy`, NEEDS_POLICY));
  }
}

function checkCodes(codes: unknown, path: string, report: Report): void {
  if (!isRecord(codes)) {
    report.add(fieldRequired(path, 'must be specified'));
    return;
  }
  operator(codes['operator'], `${path}.operator`, report);
  const count = Array.isArray(codes['values']) ? codes['values'].length : 0;
  if (count > MOST_CODES) report.add(fieldTooMany(`${path}.values`, count, MOST_CODES));
}

const RESIZED = ['cpu', 'memory'];
const RESTARTS = ['NotRequired', 'RestartContainer'];

/** The value of an enumeration that has to be set. */
function checkOneOf(value: string, values: readonly string[], path: string, report: Report): void {
  if (value === '') report.add(fieldRequired(path));
  else if (!values.includes(value)) report.add(fieldNotSupported(path, value, values));
}

/** The restart policies of a container when its resources change. API servers report on most of it at the list. */
export const resizePolicy: Check = podCheck((list, path, pod) => {
  const seen = new Set<string>();
  for (const [index, one] of recordsAt(list).entries()) {
    const name = textAt(one, 'resourceName');
    const restart = textAt(one, 'restartPolicy');
    if (seen.has(name)) pod.add(fieldDuplicate(`${path}[${index}]`, name));
    seen.add(name);
    checkOneOf(name, RESIZED, path, pod);
    checkOneOf(restart, RESTARTS, path, pod);
    if (textAt(pod.spec, 'restartPolicy') === 'Never' && restart !== 'NotRequired') {
      const rule = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
      pod.add(fieldInvalid(path, restart, rule));
    }
  }
});
