import type { KubernetesObject } from '../../meta/object.ts';
import type { RowCells } from '../../server/registry/contract/kind-rules.ts';
import {
  numberAt,
  recordAt,
  recordsAt,
  textAt,
  valueAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import { namedRow, NONE, scalarOr, UNKNOWN, UNSET } from './row-cells.ts';

/** The member of a metric that carries its source, by type. */
const SOURCES: Readonly<Record<string, string>> = {
  External: 'external',
  Pods: 'pods',
  Object: 'object',
  Resource: 'resource',
  ContainerResource: 'containerResource',
};
const MOST_METRICS = 2;

/** A quantity of a status or target; `<nil>` for one that lacks it. */
function quantity(value: JsonRecord | undefined, field: string): string {
  return value === undefined ? UNKNOWN : scalarOr('<nil>', value, field);
}

function percentage(value: unknown, missing: string): string {
  return typeof value === 'number' ? `${value}%` : missing;
}

function resourceMetric(source: JsonRecord, current: JsonRecord | undefined): string {
  const target = recordAt(source, 'target');
  const name = textAt(source, 'name');
  if (valueAt(target, 'averageValue') !== undefined) {
    const wanted = quantity(target, 'averageValue');
    return `${name}: ${quantity(current, 'averageValue')}/${wanted}`;
  }
  const wanted = percentage(valueAt(target, 'averageUtilization'), '<auto>');
  return `${name}: ${percentage(valueAt(current, 'averageUtilization'), UNKNOWN)}/${wanted}`;
}

/** A metric and its target: `cpu: 20%/80%`, `500m/1 (avg)`. */
function metricCell(spec: JsonRecord, status: JsonRecord | undefined): string {
  const type = textAt(spec, 'type');
  const member = SOURCES[type];
  if (member === undefined) return '<unknown type>';
  const source = recordAt(spec, member) ?? {};
  const current = recordAt(status, member, 'current');
  if (member === 'resource' || member === 'containerResource') {
    return resourceMetric(source, current);
  }
  const target = recordAt(source, 'target');
  if (member === 'pods') {
    return `${quantity(current, 'averageValue')}/${quantity(target, 'averageValue')}`;
  }
  if (valueAt(target, 'averageValue') !== undefined) {
    const average = scalarOr(UNKNOWN, current, 'averageValue');
    return `${average}/${quantity(target, 'averageValue')} (avg)`;
  }
  return `${quantity(current, 'value')}/${quantity(target, 'value')}`;
}

function metricsCell(autoscaler: KubernetesObject): string {
  const specs = recordsAt(autoscaler, 'spec', 'metrics');
  if (specs.length === 0) return NONE;
  const statuses = recordsAt(autoscaler, 'status', 'currentMetrics');
  const cells = specs.map((spec, index) => metricCell(spec, statuses[index]));
  const shown = cells.slice(0, MOST_METRICS).join(', ');
  const more = cells.length - MOST_METRICS;
  return more > 0 ? `${shown} + ${more} more...` : shown;
}

/** Of a HorizontalPodAutoscaler in the form of autoscaling/v2, which is the stored one. */
export const horizontalPodAutoscalerCells: RowCells = namedRow((object) => {
  const target = recordAt(object, 'spec', 'scaleTargetRef');
  return [
    `${textAt(target, 'kind')}/${textAt(target, 'name')}`,
    metricsCell(object),
    scalarOr(UNSET, object, 'spec', 'minReplicas'),
    numberAt(object, 'spec', 'maxReplicas'),
    numberAt(object, 'status', 'currentReplicas'),
  ];
});
