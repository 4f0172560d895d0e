import type { UnstructuredObject } from '../../meta/object.ts';
import type { VersionConversion } from '../../server/registry/contract/version-conversion.ts';
import {
  isRecord,
  recordAt,
  recordsAt,
  textAt,
  valueAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import { convertedMetric } from './autoscaler-metrics.ts';

const PREFIX = 'autoscaling.alpha.kubernetes.io/';
/** Fields that autoscaling/v1 does not have stay in annotations. */
const METRICS = `${PREFIX}metrics`;
const CURRENT_METRICS = `${PREFIX}current-metrics`;
const CONDITIONS = `${PREFIX}conditions`;
const BEHAVIOR = `${PREFIX}behavior`;
export const AUTOSCALER_ANNOTATIONS: readonly string[] = [
  METRICS,
  CURRENT_METRICS,
  CONDITIONS,
  BEHAVIOR,
  `${PREFIX}scale-down-tolerance`,
  `${PREFIX}scale-up-tolerance`,
];
/** See pkg/apis/autoscaling DefaultCPUUtilization @ 24a394e. */
const DEFAULT_UTILIZATION = 80;

/**
 * Autoscalers of autoscaling/v1 over those of v2.
 * @see pkg/apis/autoscaling/v1/conversion.go @ 24a394e
 */
export const autoscalerVersions: VersionConversion = { toStored, fromStored };

function fromStored(stored: UnstructuredObject): UnstructuredObject {
  const metrics = recordsAt(stored, 'spec', 'metrics');
  const currentMetrics = recordsAt(stored, 'status', 'currentMetrics');
  const conditions = recordsAt(stored, 'status', 'conditions');
  const behavior = recordAt(stored, 'spec', 'behavior');
  const others = metrics.filter((one) => !isCpuUtilization(one));
  const annotations = { ...withoutKept(stored) };
  const keep = (name: string, list: readonly unknown[]): void => {
    if (list.length > 0) annotations[name] = JSON.stringify(list);
  };
  keep(
    METRICS,
    others.map((one) => convertedMetric(one, 'specToV1')),
  );
  keep(
    CURRENT_METRICS,
    currentMetrics.map((one) => convertedMetric(one, 'statusToV1')),
  );
  keep(CONDITIONS, conditions.map(conditionForm));
  if (behavior !== undefined) annotations[BEHAVIOR] = JSON.stringify(behaviorToGo(behavior));
  const { scaleTargetRef, minReplicas, maxReplicas } = recordAt(stored, 'spec') ?? {};
  const { kind, apiVersion } = stored;
  return {
    kind,
    apiVersion,
    ...withAnnotations(stored, annotations),
    spec: given({
      scaleTargetRef: scaleTargetRef ?? {},
      minReplicas,
      maxReplicas: maxReplicas ?? 0,
      targetCPUUtilizationPercentage: utilizationOf(metrics.find(isCpuUtilization), 'target'),
    }),
    status: statusToV1(stored, currentMetrics),
  };
}

function statusToV1(stored: UnstructuredObject, metrics: readonly JsonRecord[]): JsonRecord {
  const status = recordAt(stored, 'status') ?? {};
  const cpu = metrics.findLast((one) => isCpu(one) && utilizationOf(one, 'current') !== undefined);
  return given({
    observedGeneration: status['observedGeneration'],
    lastScaleTime: status['lastScaleTime'],
    currentReplicas: status['currentReplicas'] ?? 0,
    desiredReplicas: status['desiredReplicas'] ?? 0,
    currentCPUUtilizationPercentage: utilizationOf(cpu, 'current'),
  });
}

function toStored(object: UnstructuredObject): UnstructuredObject {
  const annotations = recordAt(object, 'metadata', 'annotations') ?? {};
  const spec = recordAt(object, 'spec') ?? {};
  const others = listIn(annotations, METRICS)?.map((one) => convertedMetric(one, 'specToV2')) ?? [];
  const percentage = spec['targetCPUUtilizationPercentage'] ?? undefined;
  const metrics = percentage === undefined ? others : [...others, cpuMetric(percentage)];
  const behavior = parsed(annotations, BEHAVIOR);
  const { scaleTargetRef, minReplicas, maxReplicas } = spec;
  const { kind, apiVersion } = object;
  return {
    kind,
    apiVersion,
    ...withAnnotations(object, withoutKept(object)),
    spec: given({
      scaleTargetRef,
      minReplicas,
      maxReplicas,
      metrics: metrics.length === 0 ? [cpuMetric(DEFAULT_UTILIZATION)] : metrics,
      behavior: isRecord(behavior) ? behaviorToJson(behavior) : undefined,
    }),
    status: statusToV2(object, annotations),
  };
}

function statusToV2(object: UnstructuredObject, annotations: JsonRecord): JsonRecord {
  const status = recordAt(object, 'status') ?? {};
  const percentage = status['currentCPUUtilizationPercentage'];
  const kept = listIn(annotations, CURRENT_METRICS)?.map((one) =>
    convertedMetric(one, 'statusToV2'),
  );
  const cpu = { name: 'cpu', current: { averageUtilization: percentage } };
  const implied = typeof percentage === 'number' ? [{ type: 'Resource', resource: cpu }] : null;
  return {
    ...given({
      observedGeneration: status['observedGeneration'],
      lastScaleTime: status['lastScaleTime'],
      currentReplicas: status['currentReplicas'] === 0 ? undefined : status['currentReplicas'],
      conditions: listIn(annotations, CONDITIONS),
    }),
    desiredReplicas: status['desiredReplicas'] ?? 0,
    currentMetrics: kept ?? implied,
  };
}

function cpuMetric(averageUtilization: unknown): JsonRecord {
  const target = { type: 'Utilization', averageUtilization };
  return { type: 'Resource', resource: { name: 'cpu', target } };
}

function isCpu(metric: JsonRecord): boolean {
  return metric['type'] === 'Resource' && textAt(metric, 'resource', 'name') === 'cpu';
}

function isCpuUtilization(metric: JsonRecord): boolean {
  return isCpu(metric) && utilizationOf(metric, 'target') !== undefined;
}

function utilizationOf(metric: JsonRecord | undefined, part: 'target' | 'current'): unknown {
  return valueAt(metric, 'resource', part, 'averageUtilization') ?? undefined;
}

/** The fields in the order in which they are encoded. */
function conditionForm(condition: JsonRecord): JsonRecord {
  const { type, status, lastTransitionTime = null, reason, message } = condition;
  return given({ type, status, lastTransitionTime, reason, message });
}

function given(fields: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function withoutKept(object: UnstructuredObject): JsonRecord {
  const annotations = recordAt(object, 'metadata', 'annotations') ?? {};
  return Object.fromEntries(
    Object.entries(annotations).filter(([name]) => !AUTOSCALER_ANNOTATIONS.includes(name)),
  );
}

function withAnnotations(
  { metadata }: UnstructuredObject,
  annotations: JsonRecord,
): Pick<UnstructuredObject, 'metadata'> {
  const { annotations: _before, ...rest } = metadata ?? {};
  if (Object.keys(annotations).length === 0) return { metadata: rest };
  return { metadata: { ...rest, annotations: annotations as Record<string, string> } };
}

/** Undefined for an annotation that is missing or unreadable. */
function parsed(annotations: JsonRecord, name: string): unknown {
  const text = annotations[name];
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function listIn(annotations: JsonRecord, name: string): JsonRecord[] | undefined {
  const list = parsed(annotations, name);
  return Array.isArray(list) ? list.filter(isRecord) : undefined;
}

/** The annotation of the behaviour has the names of Go's fields, because it is the encoding of an internal type. */
function behaviorToGo(behavior: JsonRecord): JsonRecord {
  const rules = (name: string): JsonRecord | null => {
    const found = recordAt(behavior, name);
    if (found === undefined) return null;
    const policies = Array.isArray(found['policies']) ? found['policies'].filter(isRecord) : null;
    return {
      StabilizationWindowSeconds: found['stabilizationWindowSeconds'] ?? null,
      SelectPolicy: found['selectPolicy'] ?? null,
      Policies:
        policies?.map(({ type, value, periodSeconds }) => ({
          Type: type,
          Value: value,
          PeriodSeconds: periodSeconds,
        })) ?? null,
      Tolerance: found['tolerance'] ?? null,
    };
  };
  return { ScaleUp: rules('scaleUp'), ScaleDown: rules('scaleDown') };
}

/** The same names in lower case; those without a value are left out. */
function behaviorToJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(behaviorToJson);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([, one]) => one !== null);
  return Object.fromEntries(
    entries.map(([name, one]) => [
      `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`,
      behaviorToJson(one),
    ]),
  );
}
