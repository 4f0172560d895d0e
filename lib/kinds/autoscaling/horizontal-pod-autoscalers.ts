import { numberAt, recordsAt, textAt, valueAt, isRecord } from '../../meta/json-value.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, each, fields, requiredFor, when } from '../../server/registry/validation/combine.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { pathSegment, dnsLabel } from '../../server/registry/validation/formats.ts';
import { format, oneOf, atLeast } from '../../server/registry/validation/values.ts';
import { nonNegativeQuantity, nanosOf } from '../../server/registry/validation/quantity-checks.ts';
import { containerResourceName } from '../pods/containers/resource-names.ts';

const TARGET_TYPES: readonly unknown[] = ['Utilization', 'Value', 'AverageValue'];

const targetType: Check = (value = '', path, report) => {
  if (value === '') report.required(path, 'must specify a metric target type');
  if (TARGET_TYPES.includes(value)) return;
  report.invalid(path, value, 'must be either Utilization, Value, or AverageValue');
};

const positiveAmount: Check = (value, path, report) => {
  if (value === undefined || nanosOf(value) > 0n) return;
  report.invalid(path, value, 'must be positive');
};

const target = fields({
  type: targetType,
  value: positiveAmount,
  averageValue: positiveAmount,
  averageUtilization: atLeast(1, 'must be greater than 0'),
});

const metric = fields({
  name: requiredFor('must specify a metric name', format(pathSegment)),
});

/** One of two members of a target has to be given; the value is the source. */
function given(
  names: readonly [string, string],
  missing: { readonly name: string; readonly detail: string },
): Check {
  return (source, path, report) => {
    if (names.some((name) => valueAt(source, 'target', name) !== undefined)) return;
    report.required(`${path}.target.${missing.name}`, missing.detail);
  };
}

/** Not both members of a target may be given. */
function notBoth(names: readonly [string, string], detail: string): Check {
  return (source, path, report) => {
    if (names.some((name) => valueAt(source, 'target', name) === undefined)) return;
    report.forbidden(`${path}.target.${names[0]}`, detail);
  };
}

const VALUES = ['value', 'averageValue'] as const;
const AVERAGES = ['averageValue', 'averageUtilization'] as const;

const utilization = all(
  fields({ target }),
  given(AVERAGES, {
    name: 'averageUtilization',
    detail: 'must set either a target raw value or a target utilization',
  }),
  notBoth(AVERAGES, 'may not set both a target raw value and a target utilization'),
);

const resourceName = requiredFor('must specify a resource name');

const containerResource = all(
  fields({
    name: requiredFor('must specify a resource name', (value, path, report) => {
      if (typeof value === 'string') containerResourceName(value, path, report);
    }),
    container: requiredFor('must specify a container', format(dnsLabel)),
  }),
  utilization,
);

const external = all(
  fields({ metric, target }),
  given(VALUES, {
    name: 'averageValue',
    detail: 'must set either a target value for metric or a per-pod target',
  }),
  notBoth(VALUES, 'may not set both a target value for metric and a per-pod target'),
);

const pods = all(
  fields({ metric, target }),
  given(['averageValue', 'averageValue'], {
    name: 'averageValue',
    detail: 'must specify a positive target averageValue',
  }),
);

function objectSource(reference: Check): Check {
  return all(
    fields({ describedObject: reference, metric, target }),
    given(VALUES, {
      name: 'averageValue',
      detail: 'must set either a target value or averageValue',
    }),
  );
}

const TYPES = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];

/**
 * A metric of an autoscaler. `reference` is the rule for the object that an object metric is about.
 * @see pkg/apis/autoscaling/validation/validation.go validateMetricSpec @ v1.36.3
 */
function metricCheck(reference: Check): Check {
  const sources: Readonly<Record<string, Check>> = {
    object: objectSource(reference),
    external,
    pods,
    resource: all(fields({ name: resourceName }), utilization),
    containerResource,
  };
  const names = Object.keys(sources);
  return (spec, path, report) => {
    if (!isRecord(spec)) return;
    const type = textAt(spec, 'type');
    const isKnown = TYPES.includes(type);
    const place = `${path}.type`;
    if (type === '') report.required(place, 'must specify a metric source type');
    if (!isKnown) report.notSupported(place, type, TYPES);
    const present = names.filter((name) => spec[name] !== undefined);
    // Only the first source is checked.
    for (const name of present.slice(0, 1)) sources[name]?.(spec[name], `${path}.${name}`, report);
    const expected = isKnown ? type.slice(0, 1).toLowerCase() + type.slice(1) : '';
    if (!isKnown) report.notSupported(place, type, TYPES);
    else if (spec[expected] === undefined) {
      const detail = 'must populate information for the given metric source';
      report.required(`${path}.${expected}`, detail);
    }
    if (present.length < 2) return;
    for (const name of present.filter((one) => one !== expected)) {
      const detail = 'must populate the given metric source only';
      report.forbidden(`${path}.${name}`, detail);
    }
  };
}

const LONGEST_PERIOD = 1800;
const LONGEST_WINDOW = 3600;

/** A number, 0 when it is absent, that is not below `least` and not above `most`. */
function inLimits(least: number, words: string, most: number): Check {
  return (value = 0, path, report) => {
    if (typeof value !== 'number') return;
    if (value < least) report.invalid(path, value, words);
    if (value > most) report.invalid(path, value, `must be less than or equal to ${most}`);
  };
}

const POLICY_TYPES = ['Percent', 'Pods'];

const aboveZero = 'must be greater than zero';

const policy = fields({
  type: (value = '', path, report) => {
    if (POLICY_TYPES.includes(value as string)) return;
    report.notSupported(path, value, POLICY_TYPES);
  },
  value: inLimits(1, aboveZero, Infinity),
  periodSeconds: inLimits(1, aboveZero, LONGEST_PERIOD),
});

const rules = when(
  (value) => value !== undefined,
  fields({
    stabilizationWindowSeconds: inLimits(
      0,
      'must be greater than or equal to zero',
      LONGEST_WINDOW,
    ),
    selectPolicy: oneOf(['Disabled', 'Max', 'Min']),
    policies: requiredFor('must specify at least one Policy', each(policy)),
    tolerance: nonNegativeQuantity,
  }),
);

/** How fast an autoscaler scales. @see pkg/apis/autoscaling/validation/validation.go validateBehavior @ v1.36.3 */
const behaviorCheck: Check = fields({ scaleUp: rules, scaleDown: rules });

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
    if (problem !== undefined) report.invalid(`${path}.apiVersion`, apiVersion, problem);
  });
}

/** The value is the spec. */
const replicas: Check = (spec, path, report, old) => {
  const [least, most] = [valueAt(spec, 'minReplicas'), numberAt(spec, 'maxReplicas')];
  // Without the feature that scales to zero, an old zero may stay.
  const mayBeZero = report.isSince('scaleToZero') || valueAt(old, 'minReplicas') === 0;
  const lowest = mayBeZero ? 0 : 1;
  if (typeof least === 'number' && least < lowest) {
    const detail = `must be greater than or equal to ${lowest}`;
    report.invalid(`${path}.minReplicas`, least, detail);
  }
  const place = `${path}.maxReplicas`;
  if (most === 0) report.required(place, 'must be set and greater than 0');
  else if (most < 0) report.invalid(place, most, 'must be greater than or equal to 1');
  if (typeof least === 'number' && most < least) {
    report.invalid(place, most, 'must be greater than or equal to `minReplicas`');
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
  report.forbidden(place, detail);
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
