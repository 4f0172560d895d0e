import {
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
} from '../../server/registry/rules/field-causes.ts';
import { numberAt, recordsAt, textAt, valueAt } from '../../meta/json-value.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, each, fields, requiredFor } from '../../server/registry/validation/combine.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { behaviorCheck } from './behavior-checks.ts';
import { metricCheck } from './metric-checks.ts';
import { pathSegment } from '../../server/registry/validation/formats.ts';
import { format } from '../../server/registry/validation/values.ts';

/** The problem of the apiVersion of a reference; undefined when it is valid. */
function apiVersionProblem(
  apiVersion: string,
  { needsGroup }: { readonly needsGroup: boolean },
): string | undefined {
  const slashes = apiVersion.split('/').length - 1;
  if (slashes > 1) return `unexpected GroupVersion string: ${apiVersion}`;
  const hasGroup = slashes === 1 && !apiVersion.startsWith('/');
  return needsGroup && !hasGroup ? 'apiVersion must specify API group' : undefined;
}

const segment = requiredFor('', format(pathSegment));

/** A reference to an object of any kind. `rule` says what its apiVersion has to have; undefined for one that is not checked. */
function objectReference(rule: { readonly needsGroup: boolean } | undefined): Check {
  return all(fields({ kind: segment, name: segment }), (reference, path, report) => {
    if (rule === undefined) return;
    const apiVersion = textAt(reference, 'apiVersion');
    const problem = apiVersionProblem(apiVersion, rule);
    if (problem !== undefined) report.add(fieldInvalid(`${path}.apiVersion`, apiVersion, problem));
  });
}

/** The value is the spec. */
const replicas: Check = (spec, path, report, old) => {
  const [least, most] = [valueAt(spec, 'minReplicas'), numberAt(spec, 'maxReplicas')];
  // Without the feature that scales to zero, an old zero may stay.
  const lowest = valueAt(old, 'minReplicas') === 0 ? 0 : 1;
  if (typeof least === 'number' && least < lowest) {
    const detail = `must be greater than or equal to ${lowest}`;
    report.add(fieldInvalid(`${path}.minReplicas`, least, detail));
  }
  const place = `${path}.maxReplicas`;
  if (most === 0) report.add(fieldRequired(place, 'must be set and greater than 0'));
  else if (most < 0) report.add(fieldInvalid(place, most, 'must be greater than or equal to 1'));
  if (typeof least === 'number' && most < least) {
    report.add(fieldInvalid(place, most, 'must be greater than or equal to `minReplicas`'));
  }
};

const anyTarget = objectReference(undefined);
const groupedTarget = objectReference({ needsGroup: true });
const coreTarget = objectReference({ needsGroup: false });

/** The apiVersion of an unchanged kind is not checked again. */
const scaleTarget: Check = (target, path, report, old) => {
  const isSame = ['kind', 'apiVersion'].every((name) => textAt(target, name) === textAt(old, name));
  const isCore = textAt(target, 'kind') === 'ReplicationController';
  const check = report.isUpdate && isSame ? anyTarget : isCore ? coreTarget : groupedTarget;
  check(target ?? {}, path, report);
};

const metrics = each(metricCheck(coreTarget));
const lenientMetrics = each(metricCheck(anyTarget));

/** Whether a stored metric has a version of before the rule. */
function isWrongAlready(old: unknown): boolean {
  return recordsAt(old, 'metrics').some((metric) => {
    if (metric['type'] !== 'Object') return false;
    const apiVersion = textAt(metric, 'object', 'describedObject', 'apiVersion');
    return apiVersionProblem(apiVersion, { needsGroup: false }) !== undefined;
  });
}

/** The value is the spec. */
const metricsOfSpec: Check = (spec, path, report, old) => {
  const list = recordsAt(spec, 'metrics');
  const place = `${path}.metrics`;
  (isWrongAlready(old) ? lenientMetrics : metrics)(list, place, report);
  if (valueAt(spec, 'minReplicas') !== 0) return;
  if (list.some(({ type }) => type === 'Object' || type === 'External')) return;
  const detail =
    'must specify at least one Object or External metric to support scaling to zero replicas';
  report.add(fieldForbidden(place, detail));
};

/** @see pkg/apis/autoscaling/validation/validation.go ValidateHorizontalPodAutoscaler @ v1.36.3 */
const autoscalerChecks: Check = fields({
  spec: all(
    replicas,
    fields({ scaleTargetRef: scaleTarget }),
    metricsOfSpec,
    fields({ behavior: behaviorCheck }),
  ),
});

export const horizontalPodAutoscalers: KindRules = {
  group: 'autoscaling',
  resource: 'horizontalpodautoscalers',
  strategy: checkedBy(autoscalerChecks),
};
