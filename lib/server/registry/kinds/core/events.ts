import type { KubernetesObject } from '../../../../meta/object.ts';
import type { FieldCause } from '../../../../meta/failures.ts';
import { ageOf } from '../../rules/duration.ts';
import { fieldInvalid, fieldRequired } from '../../rules/field-causes.ts';
import { numberAt, textAt } from '../../rules/json-value.ts';
import type { SelectableFields } from '../../contract/kind-definition.ts';
import { readersOf, type KindRules } from '../contract/kind-rules.ts';
import type { MutableObject } from '../../rules/mutable-object.ts';
import { column, nameColumn, textColumn } from '../../contract/table-columns.ts';

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

function firstSeen(event: KubernetesObject): string {
  return textAt(event, 'firstTimestamp') || textAt(event, 'eventTime');
}

/** The newest time in an event; series events have their own. */
function lastSeen(event: KubernetesObject): string {
  return (
    textAt(event, 'series', 'lastObservedTime') ||
    textAt(event, 'lastTimestamp') ||
    firstSeen(event) ||
    textAt(event, 'metadata', 'creationTimestamp')
  );
}

function objectOf(event: KubernetesObject): string {
  const kind = textAt(event, 'involvedObject', 'kind').toLowerCase();
  return `${kind}/${textAt(event, 'involvedObject', 'name')}`;
}

function sourceCell(event: KubernetesObject): string {
  const host = textAt(event, 'source', 'host') || textAt(event, 'reportingInstance');
  return [sourceOf(event), host].filter((one) => one !== '').join(', ');
}

function countCell(event: KubernetesObject): number {
  return numberAt(event, 'series', 'count') || numberAt(event, 'count') || 1;
}

/** An event must be in the namespace of its object; if that is cluster-scoped, in `default` or `kube-system`. */
function validate(event: MutableObject): FieldCause[] {
  const { namespace = '' } = event.metadata;
  const about = textAt(event, 'involvedObject', 'namespace');
  if (typeof event['involvedObject'] !== 'object') return [fieldRequired('involvedObject')];
  const fits =
    about === namespace || (about === '' && ['default', 'kube-system'].includes(namespace));
  if (fits) return [];
  return [fieldInvalid('involvedObject.namespace', about, 'does not match event.namespace')];
}

export const events: KindRules = {
  resource: 'events',
  ttlSeconds: EVENT_TTL_SECONDS,
  strategy: {
    allowCreateOnUpdate: true,
    // Recorders append a time in hexadecimal to the name of the object, and object names follow different rules.
    nameProblem: () => undefined,
    validate,
  },
  selectableFields,
  cells: readersOf([
    column('Last Seen', (event, nowMs) => ageOf(lastSeen(event), nowMs)),
    textColumn('Type', ['type']),
    textColumn('Reason', ['reason']),
    column('Object', objectOf),
    textColumn('Subobject', ['involvedObject', 'fieldPath'], { wide: true }),
    column('Source', sourceCell, { wide: true }),
    column('Message', (event) => textAt(event, 'message').trim()),
    column('First Seen', (event, nowMs) => ageOf(firstSeen(event) || lastSeen(event), nowMs), {
      wide: true,
    }),
    column('Count', countCell, { type: 'integer', wide: true }),
    { ...nameColumn, definition: { ...nameColumn.definition, priority: 1 } },
  ]),
};
