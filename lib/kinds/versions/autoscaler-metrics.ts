import { recordAt, textAt, valueAt, type JsonRecord } from '../../meta/json-value.ts';

/** The metrics of an autoscaler in the forms of autoscaling/v1 and v2. See pkg/apis/autoscaling/v1/conversion.go @ 24a394e. */
type Shape = (source: JsonRecord) => JsonRecord;

interface Forms {
  readonly type: string;
  /** The field of the metric that has its source. */
  readonly field: string;
  readonly specToV1: Shape;
  readonly specToV2: Shape;
  readonly statusToV1: Shape;
  readonly statusToV2: Shape;
}

/** A record without the fields that are not set. */
function set(fields: JsonRecord): JsonRecord {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}

function reference(value: unknown): JsonRecord {
  const { kind, name, apiVersion } = recordAt({ value }, 'value') ?? {};
  return set({ kind, name, apiVersion });
}

const target = (source: JsonRecord, name: string): unknown => valueAt(source, 'target', name);
const current = (source: JsonRecord, name: string): unknown => valueAt(source, 'current', name);
const metric = (source: JsonRecord, name: string): unknown => valueAt(source, 'metric', name);
const identifier = (name: unknown, selector: unknown): JsonRecord => set({ name, selector });

/** Resource and ContainerResource differ in the container only. */
function resourceForms(type: string, field: string): Forms {
  const utilizationTarget = (source: JsonRecord): JsonRecord => {
    const { targetAverageUtilization: averageUtilization, targetAverageValue } = source;
    const kind = averageUtilization === undefined ? 'AverageValue' : 'Utilization';
    return set({ type: kind, averageValue: targetAverageValue, averageUtilization });
  };
  return {
    type,
    field,
    specToV1: (source) =>
      set({
        name: source['name'],
        targetAverageUtilization: target(source, 'averageUtilization'),
        targetAverageValue: target(source, 'averageValue'),
        container: source['container'],
      }),
    specToV2: (source) =>
      set({
        name: source['name'],
        target: utilizationTarget(source),
        container: source['container'],
      }),
    statusToV1: (source) =>
      set({
        name: source['name'],
        currentAverageUtilization: current(source, 'averageUtilization'),
        currentAverageValue: current(source, 'averageValue') ?? '0',
        container: source['container'],
      }),
    statusToV2: (source) =>
      set({
        name: source['name'],
        current: set({
          averageValue: source['currentAverageValue'],
          averageUtilization: source['currentAverageUtilization'],
        }),
        container: source['container'],
      }),
  };
}

const pods: Forms = {
  type: 'Pods',
  field: 'pods',
  specToV1: (source) =>
    set({
      metricName: metric(source, 'name'),
      targetAverageValue: target(source, 'averageValue') ?? '0',
      selector: metric(source, 'selector'),
    }),
  specToV2: ({ metricName, selector, targetAverageValue: averageValue }) => ({
    metric: identifier(metricName, selector),
    target: set({ type: 'AverageValue', averageValue }),
  }),
  statusToV1: (source) =>
    set({
      metricName: metric(source, 'name'),
      currentAverageValue: current(source, 'averageValue') ?? '0',
      selector: metric(source, 'selector'),
    }),
  statusToV2: ({ metricName, selector, currentAverageValue: averageValue }) => ({
    metric: identifier(metricName, selector),
    current: set({ averageValue }),
  }),
};

const object: Forms = {
  type: 'Object',
  field: 'object',
  specToV1: (source) =>
    set({
      target: reference(source['describedObject']),
      metricName: metric(source, 'name'),
      targetValue: target(source, 'value') ?? '0',
      selector: metric(source, 'selector'),
      averageValue: target(source, 'averageValue'),
    }),
  specToV2: ({ target: described, metricName, selector, targetValue, averageValue }) => ({
    describedObject: reference(described),
    target:
      averageValue === undefined
        ? set({ type: 'Value', value: targetValue })
        : set({
            type: 'AverageValue',
            // The older form cannot leave the value out: 0 stands for none.
            value: targetValue === '0' ? undefined : targetValue,
            averageValue,
          }),
    metric: identifier(metricName, selector),
  }),
  statusToV1: (source) =>
    set({
      target: reference(source['describedObject']),
      metricName: metric(source, 'name'),
      currentValue: current(source, 'value') ?? '0',
      selector: metric(source, 'selector'),
      averageValue: current(source, 'averageValue'),
    }),
  statusToV2: ({ target: described, metricName, selector, currentValue: value, averageValue }) => ({
    metric: identifier(metricName, selector),
    current: set({ value, averageValue }),
    describedObject: reference(described),
  }),
};

const external: Forms = {
  type: 'External',
  field: 'external',
  specToV1: (source) =>
    set({
      metricName: metric(source, 'name'),
      metricSelector: metric(source, 'selector'),
      targetValue: target(source, 'value'),
      targetAverageValue: target(source, 'averageValue'),
    }),
  specToV2: ({ metricName, metricSelector, targetValue: value, targetAverageValue }) => ({
    metric: identifier(metricName, metricSelector),
    target: set({
      type: value === undefined ? 'AverageValue' : 'Value',
      value,
      averageValue: targetAverageValue,
    }),
  }),
  statusToV1: (source) =>
    set({
      metricName: metric(source, 'name'),
      metricSelector: metric(source, 'selector'),
      currentValue: current(source, 'value') ?? '0',
      currentAverageValue: current(source, 'averageValue'),
    }),
  statusToV2: ({ metricName, metricSelector, currentValue: value, currentAverageValue }) => ({
    metric: identifier(metricName, metricSelector),
    current: set({ value, averageValue: currentAverageValue }),
  }),
};

const FORMS: readonly Forms[] = [
  object,
  pods,
  resourceForms('Resource', 'resource'),
  resourceForms('ContainerResource', 'containerResource'),
  external,
];

/** One metric, or its status, in another form. A metric of an unknown type keeps its type only. */
export function convertedMetric(
  given: JsonRecord,
  shape: 'specToV1' | 'specToV2' | 'statusToV1' | 'statusToV2',
): JsonRecord {
  const type = textAt(given, 'type');
  const converted: JsonRecord = { type };
  for (const forms of FORMS) {
    const source = recordAt(given, forms.field);
    if (source !== undefined) converted[forms.field] = forms[shape](source);
  }
  return converted;
}
