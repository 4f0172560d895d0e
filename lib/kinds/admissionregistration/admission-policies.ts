import { newStatusStrategy } from '../../server/registry/contract/strategy.ts';
import { isRecord, textAt, recordsAt, textsAt } from '../../meta/json-value.ts';
import { causesOf, checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, each, fields, isEmpty, required } from '../../server/registry/validation/combine.ts';
import { conditionsCheck } from '../../server/registry/validation/condition-checks.ts';
import {
  qualifiedName,
  dnsSubdomain,
  dns1035Label,
  pathSegment,
} from '../../server/registry/validation/formats.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { oneOf, format } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import {
  expression,
  NOT_EVALUATED,
  matchConditions,
  reinvocationPolicy,
  matchResources,
  failurePolicy,
} from './matched-resources.ts';
import { reservedNameWarnings } from './reserved-names.ts';
import { labelSelector } from '../../server/registry/validation/label-selector-checks.ts';

const apiVersion: Check = (value = '', path, report) => {
  const text = String(value);
  const wrong = (bad: string, detail: string): void => report.invalid(path, bad, detail);
  if (text === '') return report.required(path);
  const parts = text === '/' ? [''] : text.split('/');
  if (parts.length > 2) return wrong(text, `unexpected GroupVersion string: ${text}`);
  const [group = '', version = ''] = parts.length === 2 ? parts : ['', parts[0]];
  const badGroup = group === '' ? [] : dnsSubdomain(group);
  if (badGroup.length > 0) wrong(group, badGroup.join(','));
  const badVersion = version === '' ? [] : dns1035Label(version);
  if (version === '') wrong(text, 'version must be specified');
  else if (badVersion.length > 0) wrong(version, badVersion.join(','));
};

const kind: Check = (value = '', path, report) => {
  const text = String(value);
  if (text === '') return report.required(path);
  const problems = dns1035Label(text.toLowerCase());
  if (problems.length === 0) return;
  const detail = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
  report.invalid(path, text, detail);
};

const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

const variableName: Check = (name = '', path, report) => {
  const text = String(name);
  if (text.trim() === '') report.required(path, 'name is not specified');
  else if (!/^[_a-zA-Z]\w*$/.test(text) || RESERVED.has(text)) {
    report.invalid(path, text, 'must be a valid CEL identifier');
  }
};

const constraints: Check = (value, path, report) => {
  if (!isRecord(value)) return report.required(path);
  matchResources(value, path, report);
  if (isEmpty(value['resourceRules'])) report.required(`${path}.resourceRules`);
};

const MUTATING: readonly string[] = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

/** Objects that go away cannot be mutated. */
const mutatingOperations: Check = (value, path, report) => {
  for (const operation of recordsAt(value, 'resourceRules').flatMap((one) =>
    textsAt(one, 'operations'),
  )) {
    if (MUTATING.includes(operation)) continue;
    report.notSupported(`${path}.resourceRules.operations`, operation, MUTATING);
  }
};

/** The fields of both sorts of policies, in this order. */
function policyChecks(...onMatches: readonly Check[]): Check {
  return fields({
    failurePolicy,
    paramKind: fields({ apiVersion, kind }),
    matchConstraints: all(constraints, ...onMatches),
    matchConditions,
    variables: each(
      fields({ name: variableName, expression: expression('expression is not specified') }),
    ),
  });
}

/** Where the parameters of a binding are. */
const paramRef: Check = (value, path, report) => {
  if (!isRecord(value)) return;
  const name = textAt(value, 'name');
  const exclusive = 'name and selector are mutually exclusive';
  const { selector, parameterNotFoundAction: action = '' } = value;
  if (name !== '') format(pathSegment)(name, `${path}.name`, report);
  if (name !== '' && selector !== undefined) report.forbidden(`${path}.name`, exclusive);
  labelSelector()(selector, `${path}.selector`, report);
  if (name !== '' && selector !== undefined) report.forbidden(`${path}.selector`, exclusive);
  if (name === '' && selector === undefined) {
    report.required(path, 'one of name or selector must be specified');
  }
  const place = `${path}.parameterNotFoundAction`;
  const actions: readonly unknown[] = ['Deny', 'Allow'];
  if (action === '') report.required(place);
  else if (!actions.includes(action)) report.notSupported(place, action, actions);
};

const GROUP = 'admissionregistration.k8s.io';
const MOST_ANNOTATIONS = 20;

const action = oneOf(['Audit', 'Deny', 'Warn']);

const validationActions: Check = (list, path, report) => {
  const seen = new Set<unknown>();
  each((one, place) => {
    action(one, place, report);
    if (seen.has(one)) report.duplicate(place, one);
    seen.add(one);
  })(list, path, report);
  if (seen.has('Deny') && seen.has('Warn')) {
    const why =
      '(repeating the same validation failure information in the API response and headers serves no purpose)';
    report.invalid(path, list, `must not contain both Deny and Warn ${why}`);
  }
  if (seen.size === 0) report.required(path, 'at least one validation action is required');
};

const policyName = required(format(dnsSubdomain));

/** @see pkg/apis/admissionregistration/validation validateValidatingAdmissionPolicyBindingSpec @ v1.36.3 */
export const validatingAdmissionPolicyBindings: KindRules = {
  group: GROUP,
  resource: 'validatingadmissionpolicybindings',
  strategy: {
    ...checkedBy(
      fields({ spec: fields({ policyName, paramRef, matchResources, validationActions }) }),
    ),
    warnings: reservedNameWarnings,
  },
};

export const mutatingAdmissionPolicyBindings: KindRules = {
  group: GROUP,
  resource: 'mutatingadmissionpolicybindings',
  strategy: {
    ...checkedBy(
      fields({
        spec: fields({
          policyName,
          paramRef,
          matchResources: all(matchResources, mutatingOperations),
        }),
      }),
    ),
    warnings: reservedNameWarnings,
  },
};

const LONGEST_EXPRESSION = 5 * 1024;

/** A text that may be absent, and not blank. */
const notBlank: Check = (value, path, report) => {
  if (typeof value !== 'string' || value === '' || value.trim() !== '') return;
  report.invalid(path, value, 'must be non-empty if specified');
};

const message: Check = (value, path, report) => {
  notBlank(value, path, report);
  if (typeof value !== 'string' || !/[\n\r]/.test(value.trim())) return;
  report.invalid(path, value, 'must not contain line breaks');
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
  for (const problem of qualifiedName(name)) report.invalid(`${path}.key`, name, problem);
  const text = textAt(one, 'valueExpression').trim();
  const missing = (detail: string): void => report.required(`${path}.valueExpression`, detail);
  if (text === '') missing('valueExpression is not specified');
  else if (Buffer.byteLength(text) > LONGEST_EXPRESSION) {
    missing(`must not exceed ${LONGEST_EXPRESSION} bytes in length`);
  }
};

const auditAnnotations: Check = (list, path, report) => {
  if (Array.isArray(list) && list.length > MOST_ANNOTATIONS) {
    const shown = list.map((one: unknown) => goForm('admission.AuditAnnotation', one));
    const detail = `must not have more than ${MOST_ANNOTATIONS} auditAnnotations`;
    report.invalid(path, shown, detail);
  }
  const keys = new Set<string>();
  each((one, place) => {
    auditAnnotation(one, place, report);
    const key = textAt(one, 'key');
    if (keys.has(key)) report.duplicate(`${place}.key`, key);
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
    report.required(`${path}.${name}`, detail);
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
      validateUpdate: (object, existing, policy) =>
        causesOf(statusChecks, object, existing, policy),
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
  if (type === '') return report.required(`${path}.patchType`);
  if (known === undefined) {
    const types = ['ApplyConfiguration', 'JSONPatch'];
    return report.notSupported(`${path}.patchType`, type, types);
  }
  const [, member, other] = known;
  const rule = `be specified when patchType is ${type}`;
  if (value[member] === undefined) report.required(`${path}.${member}`, `must ${rule}`);
  else fields({ expression: expression() })(value[member], `${path}.${member}`, report);
  if (value[other] === undefined) return;
  report.invalid(`${path}.${other}`, `{${other}}`, `must not ${rule}`);
};

const mutations: Check = (list, path, report) => {
  if (isEmpty(list)) report.required(path, 'mutations must contain at least one item');
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
