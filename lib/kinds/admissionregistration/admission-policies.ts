import { newStatusStrategy } from '../../server/registry/contract/strategy.ts';
import {
  fieldDuplicate,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '../../server/registry/rules/field-causes.ts';
import { isRecord, textAt } from '../../meta/json-value.ts';
import { causesOf, checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, each, fields, isEmpty, required } from '../../server/registry/validation/combine.ts';
import { conditionsCheck } from '../../server/registry/validation/condition-checks.ts';
import { qualifiedName } from '../../server/registry/validation/formats.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { oneOf } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { expression, NOT_EVALUATED } from './match-conditions.ts';
import { mutatingOperations, policyChecks } from './policy-parts.ts';
import { reservedNameWarnings } from './reserved-names.ts';
import { reinvocationPolicy } from './matched-resources.ts';

const GROUP = 'admissionregistration.k8s.io';
const MOST_ANNOTATIONS = 20;
const LONGEST_EXPRESSION = 5 * 1024;

/** A text that may be absent, and not blank. */
const notBlank: Check = (value, path, report) => {
  if (typeof value !== 'string' || value === '' || value.trim() !== '') return;
  report.add(fieldInvalid(path, value, 'must be non-empty if specified'));
};

const message: Check = (value, path, report) => {
  notBlank(value, path, report);
  if (typeof value !== 'string' || !/[\n\r]/.test(value.trim())) return;
  report.add(fieldInvalid(path, value, 'must not contain line breaks'));
};

const validation = fields({
  expression: expression('expression is not specified'),
  messageExpression: notBlank,
  message,
  reason: oneOf(['Forbidden', 'Invalid', 'RequestEntityTooLarge']),
});

const auditAnnotation: Check = (one, path, report) => {
  const policy = textAt(report.object, 'metadata', 'name');
  const name = `${policy}/${textAt(one, 'key')}`;
  for (const problem of qualifiedName(name)) report.add(fieldInvalid(`${path}.key`, name, problem));
  const text = textAt(one, 'valueExpression').trim();
  const missing = (detail: string): void =>
    report.add(fieldRequired(`${path}.valueExpression`, detail));
  if (text === '') missing('valueExpression is not specified');
  else if (Buffer.byteLength(text) > LONGEST_EXPRESSION) {
    missing(`must not exceed ${LONGEST_EXPRESSION} bytes in length`);
  }
};

const auditAnnotations: Check = (list, path, report) => {
  if (Array.isArray(list) && list.length > MOST_ANNOTATIONS) {
    const shown = list.map((one: unknown) => goForm('admission.AuditAnnotation', one));
    const detail = `must not have more than ${MOST_ANNOTATIONS} auditAnnotations`;
    report.add(fieldInvalid(path, shown, detail));
  }
  const keys = new Set<string>();
  each((one, place) => {
    auditAnnotation(one, place, report);
    const key = textAt(one, 'key');
    if (keys.has(key)) report.add(fieldDuplicate(`${place}.key`, key));
    keys.add(key);
  })(list, path, report);
};

const outcomes: Check = (spec, path, report) => {
  const { validations, auditAnnotations: annotations } = isRecord(spec) ? spec : {};
  if (!isEmpty(validations) || !isEmpty(annotations)) {
    each(validation)(validations, `${path}.validations`, report);
    return auditAnnotations(annotations, `${path}.auditAnnotations`, report);
  }
  for (const name of ['validations', 'auditAnnotations']) {
    const detail = 'validations or auditAnnotations must contain at least one item';
    report.add(fieldRequired(`${path}.${name}`, detail));
  }
};

const statusChecks = fields({
  status: fields({
    typeChecking: fields({
      expressionWarnings: each(fields({ warning: required(), fieldRef: expression() })),
    }),
    conditions: conditionsCheck,
  }),
});

function policyWarnings(object: unknown): readonly string[] {
  return [...reservedNameWarnings(object), `spec: ${NOT_EVALUATED}`];
}

/** @see pkg/apis/admissionregistration/validation validateValidatingAdmissionPolicySpec @ v1.36.3 */
export const validatingAdmissionPolicies: KindRules = {
  group: GROUP,
  resource: 'validatingadmissionpolicies',
  strategy: {
    ...checkedBy(fields({ spec: all(policyChecks(), outcomes) })),
    warnings: policyWarnings,
  },
  statusStrategy: {
    ...newStatusStrategy({
      keepMetadata: true,
      validateUpdate: (object, existing) => causesOf(statusChecks, object, existing),
    }),
    allowCreateOnApply: true,
  },
};

const PATCHES: readonly (readonly [type: string, member: string, other: string])[] = [
  ['JSONPatch', 'jsonPatch', 'applyConfiguration'],
  ['ApplyConfiguration', 'applyConfiguration', 'jsonPatch'],
];

const mutation: Check = (value, path, report) => {
  if (!isRecord(value)) return;
  const type = textAt(value, 'patchType');
  const known = PATCHES.find(([name]) => name === type);
  if (type === '') return report.add(fieldRequired(`${path}.patchType`));
  if (known === undefined) {
    const types = ['ApplyConfiguration', 'JSONPatch'];
    return report.add(fieldNotSupported(`${path}.patchType`, type, types));
  }
  const [, member, other] = known;
  const rule = `be specified when patchType is ${type}`;
  if (value[member] === undefined) report.add(fieldRequired(`${path}.${member}`, `must ${rule}`));
  else fields({ expression: expression() })(value[member], `${path}.${member}`, report);
  if (value[other] === undefined) return;
  report.add(fieldInvalid(`${path}.${other}`, `{${other}}`, `must not ${rule}`));
};

const mutations: Check = (list, path, report) => {
  if (isEmpty(list)) report.add(fieldRequired(path, 'mutations must contain at least one item'));
  else each(mutation)(list, path, report);
};

export const mutatingAdmissionPolicies: KindRules = {
  group: GROUP,
  resource: 'mutatingadmissionpolicies',
  strategy: {
    ...checkedBy(
      fields({
        spec: all(
          policyChecks(mutatingOperations),
          fields({ mutations, reinvocationPolicy: required(reinvocationPolicy) }),
        ),
      }),
    ),
    warnings: policyWarnings,
  },
};
