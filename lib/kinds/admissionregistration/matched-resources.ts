import type { Check } from '../../server/registry/validation/check.ts';
import {
  all,
  each,
  fields,
  required,
  requiredFor,
} from '../../server/registry/validation/combine.ts';
import { pathSegment, qualifiedName } from '../../server/registry/validation/formats.ts';
import { labelSelector } from '../../server/registry/validation/label-selector-checks.ts';
import { format, oneOf } from '../../server/registry/validation/values.ts';
import { textAt } from '../../meta/json-value.ts';

const MOST_CONDITIONS = 64;

/** Ends the warning of each expression that is stored and not evaluated. */
export const NOT_EVALUATED = 'CEL expressions are not evaluated by this server';

/** An expression must not be blank. Whether it compiles is not checked. */
export function expression(detail = ''): Check {
  return (value, path, report) => {
    if (typeof value === 'string' && value.trim() !== '') return;
    report.required(path, detail);
  };
}

const condition = fields({
  expression: expression(),
  name: required(format(qualifiedName)),
});

/** @see pkg/apis/admissionregistration/validation validateMatchConditions @ v1.36.3 */
export const matchConditions: Check = (list, path, report) => {
  if (Array.isArray(list) && list.length > MOST_CONDITIONS) {
    report.tooMany(path, list.length, MOST_CONDITIONS);
  }
  const names = new Set<string>();
  each((one, place) => {
    condition(one, place, report);
    const name = textAt(one, 'name');
    if (name !== '' && names.has(name)) report.duplicate(`${place}.name`, name);
    names.add(name);
  })(list, path, report);
};

export const failurePolicy: Check = oneOf(['Fail', 'Ignore']);
export const matchPolicy: Check = oneOf(['Equivalent', 'Exact']);
export const reinvocationPolicy: Check = oneOf(['IfNeeded', 'Never']);

/** A list in which `*` stands alone. */
function alone(others: string): Check {
  return (list, path, report) => {
    if (!Array.isArray(list) || list.length < 2 || !list.includes('*')) return;
    report.invalid(path, list, `if '*' is present, must not specify other ${others}`);
  };
}

/** Resources and subresources, of which one may not cover another. @see validateResources */
const resources: Check = (list, path, report) => {
  const whole = new Set<string>();
  const anySub = new Set<string>();
  let hasPlain = false;
  const all = list as readonly string[];
  for (const [index, text] of all.entries()) {
    const place = `${path}[${index}]`;
    const slash = text.indexOf('/');
    if (text === '') report.required(place);
    if (text === '' || slash < 0) {
      // The last one decides, as in kube-apiserver.
      if (text !== '') hasPlain = text !== '*';
      continue;
    }
    const [resource, sub] = [text.slice(0, slash), text.slice(slash + 1)];
    const covered = (by: string): void =>
      report.invalid(place, text, `if '${by}' is present, must not specify ${text}`);
    if (whole.has(resource)) covered(`${resource}/*`);
    if (anySub.has(sub)) covered(`*/${sub}`);
    if (sub === '*') whole.add(resource);
    if (resource === '*') anySub.add(sub);
  }
  const others = 'must not specify other resources';
  if (all.length > 1 && all.includes('*/*')) {
    report.invalid(path, list, `if '*/*' is present, ${others}`);
  }
  if (all.includes('*') && hasPlain) {
    report.invalid(path, list, `if '*' is present, ${others} without subresources`);
  }
};

/** @see pkg/apis/admissionregistration/validation validateRuleWithOperations @ v1.36.3 */
export const resourceRule: Check = fields({
  operations: requiredFor(
    '',
    alone('operations'),
    each(oneOf(['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'])),
  ),
  apiGroups: requiredFor('', alone('API groups')),
  apiVersions: requiredFor('', alone('API versions'), each(required())),
  resources: requiredFor('', resources),
  scope: oneOf(['*', 'Cluster', 'Namespaced']),
});

const resourceNames: Check = (list, path, report) => {
  const seen = new Set<unknown>();
  each((name, place) => {
    format(pathSegment)(name, place, report);
    if (seen.has(name)) report.duplicate(place, name);
    seen.add(name);
  })(list, path, report);
};

const namedRules = each(all(fields({ resourceNames }), resourceRule));

/** The resources to which a policy or its binding applies. */
export const matchResources: Check = fields({
  matchPolicy,
  namespaceSelector: labelSelector(),
  objectSelector: labelSelector(),
  resourceRules: namedRules,
  excludeResourceRules: namedRules,
});
