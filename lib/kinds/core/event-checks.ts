import {
  fieldImmutable,
  fieldInvalid,
  fieldRequired,
} from '../../server/registry/rules/field-causes.ts';
import { isRecord, jsonEqual, numberAt, textAt } from '../../meta/json-value.ts';
import type { Check, Report } from '../../server/registry/validation/check.ts';
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
  report.add(fieldInvalid(name, '', `can have at most ${limit} characters`));
}

/** The rules of both versions. `reporter` is the name of the field in the version. */
export function eventChecks(reporter: string): Check {
  return (event, _path, report) => {
    const namespace = textAt(event, 'metadata', 'namespace');
    const about = textAt(event, 'involvedObject', 'namespace');
    const place = 'involvedObject.namespace';
    if (!isSet(event, 'eventTime')) {
      const fits = about === '' ? ['', 'default'].includes(namespace) : about === namespace;
      if (!fits) report.add(fieldInvalid(place, about, OTHER_NAMESPACE));
      return;
    }
    if (about === '' && !['default', 'kube-system'].includes(namespace)) {
      report.add(fieldInvalid(place, about, OTHER_NAMESPACE));
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
  if (numberAt(given, 'count') < 2) {
    report.add(fieldInvalid('series.count', '', 'should be at least 2'));
  }
  if (!isSet(given, 'lastObservedTime')) report.add(fieldRequired('series.lastObservedTime'));
};

const UNSET = 'needs to be unset';

/** Further rules of `events.k8s.io` for a new event. */
const strictNew: Check = (event, _path, report) => {
  series(event, '', report);
  if (!isSet(event, 'eventTime')) report.add(fieldRequired('eventTime'));
  const type = textAt(event, 'type');
  if (type !== 'Normal' && type !== 'Warning') {
    report.add(fieldInvalid('type', '', `has invalid value: ${type}`));
  }
  for (const name of ['firstTimestamp', 'lastTimestamp']) {
    if (isSet(event, name)) report.add(fieldInvalid(name, '', UNSET));
  }
  if (numberAt(event, 'count') !== 0) report.add(fieldInvalid('count', '', UNSET));
  if (textAt(event, 'source', 'component') !== '' || textAt(event, 'source', 'host') !== '') {
    report.add(fieldInvalid('source', '', UNSET));
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
    report.add(fieldImmutable(shown, isStruct ? goForm(type, value) : value));
  }
};

const common = eventChecks('reportingController');

export const newEventChecks: Check = all(common, strictNew);
export const changedEventChecks: Check = all(common, unchanged);
