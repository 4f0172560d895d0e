import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '../../server/registry/rules/field-causes.ts';
import { isRecord, textAt, valueAt } from '../../meta/json-value.ts';
import type { Check } from '../../server/registry/validation/check.ts';
import { all, fields, requiredFor } from '../../server/registry/validation/combine.ts';
import { dnsLabel, pathSegment } from '../../server/registry/validation/formats.ts';
import { nanosOf } from '../../server/registry/validation/quantity-checks.ts';
import { atLeast, format } from '../../server/registry/validation/values.ts';
import { containerResourceName } from '../pods/containers/resource-names.ts';

const TARGET_TYPES: readonly unknown[] = ['Utilization', 'Value', 'AverageValue'];

const targetType: Check = (value = '', path, report) => {
  if (value === '') report.add(fieldRequired(path, 'must specify a metric target type'));
  if (TARGET_TYPES.includes(value)) return;
  report.add(fieldInvalid(path, value, 'must be either Utilization, Value, or AverageValue'));
};

const positiveAmount: Check = (value, path, report) => {
  if (value === undefined || nanosOf(value) > 0n) return;
  report.add(fieldInvalid(path, value, 'must be positive'));
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
    report.add(fieldRequired(`${path}.target.${missing.name}`, missing.detail));
  };
}

/** Not both members of a target may be given. */
function notBoth(names: readonly [string, string], detail: string): Check {
  return (source, path, report) => {
    if (names.some((name) => valueAt(source, 'target', name) === undefined)) return;
    report.add(fieldForbidden(`${path}.target.${names[0]}`, detail));
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
export function metricCheck(reference: Check): Check {
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
    if (type === '') report.add(fieldRequired(place, 'must specify a metric source type'));
    if (!isKnown) report.add(fieldNotSupported(place, type, TYPES));
    const present = names.filter((name) => spec[name] !== undefined);
    // Only the first source is checked.
    for (const name of present.slice(0, 1)) sources[name]?.(spec[name], `${path}.${name}`, report);
    const expected = isKnown ? type.slice(0, 1).toLowerCase() + type.slice(1) : '';
    if (!isKnown) report.add(fieldNotSupported(place, type, TYPES));
    else if (spec[expected] === undefined) {
      const detail = 'must populate information for the given metric source';
      report.add(fieldRequired(`${path}.${expected}`, detail));
    }
    if (present.length < 2) return;
    for (const name of present.filter((one) => one !== expected)) {
      const detail = 'must populate the given metric source only';
      report.add(fieldForbidden(`${path}.${name}`, detail));
    }
  };
}
