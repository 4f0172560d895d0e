import type { KubernetesObject } from '../../../../meta/object.ts';
import type { FieldCause } from '../../../../meta/failures.ts';
import { fieldInvalid, fieldRequired } from '../../rules/field-causes.ts';
import { textAt } from '../../rules/json-value.ts';
import type { SelectableFields } from '../../contract/kind-definition.ts';
import { type KindRules } from '../contract/kind-rules.ts';
import type { MutableObject } from '../../rules/mutable-object.ts';

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
    defaultPropagation: 'Unsupported',
    // Recorders append a time in hexadecimal to the name of the object, and object names follow different rules.
    nameProblems: () => [],
    validate,
  },
  selectableFields,
};
