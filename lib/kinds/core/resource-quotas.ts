import type { KubernetesObject } from '../../meta/object.ts';
import { newStatusStrategy } from '../../server/registry/contract/strategy.ts';
import { isRecord, recordAt, recordsAt, textAt, textsAt } from '../../meta/json-value.ts';
import { causesOf, type Check, type Report } from '../../server/registry/validation/check.ts';
import { all, fields } from '../../server/registry/validation/combine.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { compareQuantities } from '../../server/registry/validation/quantity-checks.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { isQuotaResource, quotaResourceName, resourceAmounts } from './resource-amounts.ts';

// See pkg/apis/core/validation/validation.go ValidateResourceQuota @ v1.36.3.

const OF_PODS = new Set([
  'pods',
  'cpu',
  'memory',
  'limits.cpu',
  'limits.memory',
  'requests.cpu',
  'requests.memory',
]);

/** The standard resources that a quota of the scope can limit. */
const SCOPES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['Terminating', OF_PODS],
  ['NotTerminating', OF_PODS],
  ['BestEffort', new Set(['pods'])],
  ['NotBestEffort', OF_PODS],
  ['PriorityClass', OF_PODS],
  ['CrossNamespacePodAffinity', OF_PODS],
  ['VolumeAttributesClass', new Set(['persistentvolumeclaims', 'requests.storage'])],
]);

const ONLY_EXISTS = new Set([
  'BestEffort',
  'NotBestEffort',
  'Terminating',
  'NotTerminating',
  'CrossNamespacePodAffinity',
]);

/** Reports each standard resource of the quota that the scope cannot be applied to. */
function checkResources(scope: string, spec: unknown, report: (detail: string) => void): void {
  const fitting = SCOPES.get(scope);
  if (fitting === undefined) return;
  for (const name of Object.keys(recordAt(spec, 'hard') ?? {})) {
    if (isQuotaResource(name) && !fitting.has(name))
      report('unsupported scope applied to resource');
  }
}

function checkConflicts(names: readonly string[], report: (detail: string) => void): void {
  for (const scope of ['BestEffort', 'Terminating']) {
    if (names.includes(scope) && names.includes(`Not${scope}`)) report('conflicting scopes');
  }
}

const scopes: Check = (spec, path, report) => {
  const names = textsAt(spec, 'scopes');
  const wrong = (detail: string): void => report.invalid(`${path}.scopes`, names, detail);
  for (const scope of names) {
    if (!SCOPES.has(scope)) wrong('unsupported scope');
    checkResources(scope, spec, wrong);
  }
  checkConflicts(names, wrong);
};

function checkOperator(expression: unknown, path: string, report: Report): void {
  const scope = textAt(expression, 'scopeName');
  const operator = textAt(expression, 'operator');
  const values = textsAt(expression, 'values');
  if (ONLY_EXISTS.has(scope) && operator !== 'Exists') {
    const detail =
      "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
    report.invalid(`${path}.operator`, operator, detail);
  }
  if (operator === 'In' || operator === 'NotIn') {
    const detail =
      "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    if (values.length === 0) report.required(`${path}.values`, detail);
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    const detail =
      "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
    if (values.length > 0) report.invalid(`${path}.values`, values, detail);
  } else {
    report.invalid(`${path}.operator`, operator, 'not a valid selector operator');
  }
}

const scopeSelector: Check = (spec, specPath, report) => {
  const selector = recordAt(spec, 'scopeSelector');
  if (selector === undefined) return;
  const path = `${specPath}.scopeSelector.matchExpressions`;
  const names: string[] = [];
  for (const expression of recordsAt(selector, 'matchExpressions')) {
    const scope = textAt(expression, 'scopeName');
    names.push(scope);
    if (!SCOPES.has(scope)) report.invalid(`${path}.scopeName`, scope, 'unsupported scope');
    checkResources(scope, spec, (detail) =>
      report.invalid(path, goForm('core.ScopeSelector', selector), detail),
    );
    checkOperator(expression, path, report);
  }
  const listed = isRecord(spec) ? (spec['scopes'] ?? null) : null;
  checkConflicts(names, (detail) => report.invalid(path, listed, detail));
};

const amounts = resourceAmounts('[', quotaResourceName);

const sameScopes: Check = (scopesNow, path, report, old) => {
  if (!report.isUpdate) return;
  const now = new Set(textsAt({ scopesNow }, 'scopesNow'));
  const before = new Set(textsAt({ old }, 'old'));
  const same = now.size === before.size && [...now].every((one) => before.has(one));
  if (!same) report.invalid(path, scopesNow ?? null, 'field is immutable');
};

const specChecks: Check = fields({
  spec: all(fields({ hard: amounts }), scopes, scopeSelector, fields({ scopes: sameScopes })),
});

const statusChecks: Check = fields({ status: fields({ hard: amounts, used: amounts }) });

/** A request and a limit of a quota that no pod can use up. */
function warnings(quota: KubernetesObject, existing?: KubernetesObject): readonly string[] {
  const hard = recordAt(quota, 'spec', 'hard');
  if (hard === undefined || existing !== undefined) return [];
  return ['cpu', 'memory', 'storage', 'ephemeral-storage'].flatMap((name) => {
    const bare = name === 'cpu' || name === 'memory' ? name : `requests.${name}`;
    const request = Object.hasOwn(hard, `requests.${name}`) ? `requests.${name}` : bare;
    const limit = `limits.${name}`;
    if (!Object.hasOwn(hard, request) || !Object.hasOwn(hard, limit)) return [];
    const [asked, most] = [hard[request], hard[limit]];
    if (compareQuantities(asked, most) <= 0) return [];
    return [
      `ResourceQuota ${request} (${String(asked)}) should be less than ${limit} (${String(most)})`,
    ];
  });
}

export const resourceQuotas: KindRules = {
  resource: 'resourcequotas',
  strategy: {
    validate: (quota, policy) => causesOf(specChecks, quota, undefined, policy),
    validateUpdate: (quota, existing, policy) => causesOf(specChecks, quota, existing, policy),
    warnings,
  },
  statusStrategy: newStatusStrategy({
    validateUpdate: (quota, _existing, policy) => causesOf(statusChecks, quota, undefined, policy),
  }),
};
