import type { KubernetesObject } from '../../meta/object.ts';
import { textAt } from '../../meta/json-value.ts';
import type { SelectableFields } from '../../server/registry/contract/kind-definition.ts';
import { type KindRules } from '../../server/registry/contract/kind-rules.ts';
import { causesOf, checkedBy } from '../../server/registry/validation/check.ts';
import { changedEventChecks, eventChecks, newEventChecks } from './event-checks.ts';

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
    validate: (event) => causesOf(newEventChecks, event),
    validateUpdate: (event, existing) => causesOf(changedEventChecks, event, existing),
    defaultPropagation: 'Unsupported',
  },
  selectableFields,
};
