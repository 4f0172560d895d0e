import type { KubernetesObject } from '../../meta/object.ts';
import { textAt, isRecord, jsonEqual, numberAt } from '../../meta/json-value.ts';
import type { SelectableFields } from '../../server/registry/contract/kind-definition.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import {
  causesOf,
  checkedBy,
  type Check,
  type Report,
} from '../../server/registry/validation/check.ts';
import { all, required } from '../../server/registry/validation/combine.ts';
import { isLonger, qualifiedName } from '../../server/registry/validation/formats.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { format } from '../../server/registry/validation/values.ts';

// See pkg/apis/core/validation/events.go @ v1.36.3. Objects are in the form of the core group.

const LONGEST = 128;
const LONGEST_NOTE = 1024;
const OTHER_NAMESPACE = 'does not match event.namespace';

/** Events without a time of their own come from old clients, of which less is asked. */
function isSet(event: unknown, name: string): boolean {
  return textAt(event, name) !== '';
}

function limited(event: unknown, name: string, limit: number, report: Report): void {
  if (!isLonger(textAt(event, name), limit)) return;
  report.invalid(name, '', `can have at most ${limit} characters`);
}

/** The rules of both versions. `reporter` is the name of the field in the version. */
function eventChecks(reporter: string): Check {
  return (event, _path, report) => {
    const namespace = textAt(event, 'metadata', 'namespace');
    const about = textAt(event, 'involvedObject', 'namespace');
    const place = 'involvedObject.namespace';
    if (!isSet(event, 'eventTime')) {
      const fits = about === '' ? ['', 'default'].includes(namespace) : about === namespace;
      if (!fits) report.invalid(place, about, OTHER_NAMESPACE);
      return;
    }
    if (about === '' && !['default', 'kube-system'].includes(namespace)) {
      report.invalid(place, about, OTHER_NAMESPACE);
    }
    const component = textAt(event, 'reportingComponent');
    required()(component, reporter, report);
    format(qualifiedName)(component, reporter, report);
    for (const name of ['reportingInstance', 'action', 'reason']) {
      required()(textAt(event, name), name, report);
      limited(event, name, LONGEST, report);
    }
    limited(event, 'message', LONGEST_NOTE, report);
  };
}

const series: Check = (event, _path, report) => {
  const given = isRecord(event) ? event['series'] : undefined;
  if (!isRecord(given)) return;
  if (numberAt(given, 'count') < 2) report.invalid('series.count', '', 'should be at least 2');
  if (!isSet(given, 'lastObservedTime')) report.required('series.lastObservedTime');
};

const UNSET = 'needs to be unset';

/** Further rules of `events.k8s.io` for a new event. */
const strictNew: Check = (event, _path, report) => {
  series(event, '', report);
  if (!isSet(event, 'eventTime')) report.required('eventTime');
  const type = textAt(event, 'type');
  if (type !== 'Normal' && type !== 'Warning') {
    report.invalid('type', '', `has invalid value: ${type}`);
  }
  for (const name of ['firstTimestamp', 'lastTimestamp']) {
    if (isSet(event, name)) report.invalid(name, '', UNSET);
  }
  if (numberAt(event, 'count') !== 0) report.invalid('count', '', UNSET);
  if (textAt(event, 'source', 'component') !== '' || textAt(event, 'source', 'host') !== '') {
    report.invalid('source', '', UNSET);
  }
};

/** The fields that only a change of the series may leave behind, with their types. */
const IMMUTABLE: readonly (readonly [name: string, type: string, shown?: string])[] = [
  ['involvedObject', 'core.ObjectReference'],
  ['reason', ''],
  ['message', ''],
  ['source', 'core.EventSource'],
  ['firstTimestamp', 'time'],
  ['lastTimestamp', 'time'],
  ['count', 'number'],
  ['reason', ''],
  ['type', ''],
  ['eventTime', 'time'],
  ['action', ''],
  ['related', 'core.ObjectReference'],
  ['reportingComponent', '', 'reportingController'],
  ['reportingInstance', ''],
];

const ZEROS: Readonly<Record<string, unknown>> = { '': '', number: 0 };

const unchanged: Check = (event, _path, report, old) => {
  if (!isRecord(event) || !isRecord(old)) return;
  if (!jsonEqual(event['series'], old['series'])) series(event, '', report);
  for (const [name, type, shown = name] of IMMUTABLE) {
    const zero = ZEROS[type] ?? null;
    const value = event[name] ?? zero;
    if (jsonEqual(value, old[name] ?? zero)) continue;
    const isStruct = type.includes('.') && isRecord(value);
    report.immutable(shown, isStruct ? goForm(type, value) : value);
  }
};

const common = eventChecks('reportingController');

const newEventChecks: Check = all(common, strictNew);
const changedEventChecks: Check = all(common, unchanged);

/** How long events are kept, in seconds. See cmd/kube-apiserver EventTTL @ 24a394e. */
export const EVENT_TTL_SECONDS = 3600;

const INVOLVED = [
  'kind',
  'namespace',
  'name',
  'uid',
  'apiVersion',
  'resourceVersion',
  'fieldPath',
] as const;

function sourceOf(event: KubernetesObject): string {
  return textAt(event, 'source', 'component') || textAt(event, 'reportingComponent');
}

const selectableFields: SelectableFields = {
  ...Object.fromEntries(
    INVOLVED.map((field) => [
      `involvedObject.${field}`,
      (event: KubernetesObject): string => textAt(event, 'involvedObject', field),
    ]),
  ),
  reason: (event) => textAt(event, 'reason'),
  reportingComponent: (event) => textAt(event, 'reportingComponent'),
  source: sourceOf,
  type: (event) => textAt(event, 'type'),
};

export const events: KindRules = {
  resource: 'events',
  ttlSeconds: EVENT_TTL_SECONDS,
  strategy: { ...checkedBy(eventChecks('reportingComponent')), defaultPropagation: 'Unsupported' },
  selectableFields,
};

/** Events through `events.k8s.io`, which is stricter. */
export const groupEvents: KindRules = {
  group: 'events.k8s.io',
  resource: 'events',
  ttlSeconds: EVENT_TTL_SECONDS,
  strategy: {
    validate: (event, policy) => causesOf(newEventChecks, event, undefined, policy),
    validateUpdate: (event, existing, policy) =>
      causesOf(changedEventChecks, event, existing, policy),
    defaultPropagation: 'Unsupported',
  },
  selectableFields,
};
