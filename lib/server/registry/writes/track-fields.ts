import { timestampOf } from '../rules/duration.ts';
import type { MutableObject } from '../rules/mutable-object.ts';
import { trackNew, trackUpdate } from '../managed-fields/field-manager.ts';
import { fieldRulesOf } from '../managed-fields/field-rules.ts';
import type { FieldWrite } from '../managed-fields/field-updater.ts';
import type { RequestContext, WriteOptions } from '../contract/rest-storage.ts';
import { SERVER_USER } from '../contract/server-context.ts';
import { servedForm, type StoreParts } from './store-parts.ts';

/** The manager of the fields that the server itself writes. */
export const SERVER_MANAGER = 'kube-apiserver';
const UNKNOWN_MANAGER = 'unknown';

/** The endpoint through which an object is written. */
export type TrackedParts = Pick<StoreParts, 'kind' | 'apiVersion' | 'runtime'>;

/** The writer through an endpoint, and its rules. */
export function fieldWriteOf(
  { kind, apiVersion, runtime }: TrackedParts,
  { user }: RequestContext,
  { fieldManager = '', subresource = '' }: WriteOptions,
): FieldWrite {
  const rules = fieldRulesOf(kind);
  return {
    schema: rules.schema,
    versions: rules.versions,
    manager: fieldManager || (user === SERVER_USER ? SERVER_MANAGER : UNKNOWN_MANAGER),
    apiVersion,
    subresource,
    filter: rules.filterOf(subresource),
    now: timestampOf(runtime.wallMs()),
  };
}

/** Records who set the fields of a new object, in its `metadata.managedFields`. */
export function trackCreate(
  parts: TrackedParts,
  context: RequestContext,
  object: MutableObject,
  options: WriteOptions,
): void {
  if (options.applied === true) return;
  const write = fieldWriteOf(parts, context, options);
  inServedForm(parts, object, (served) => {
    trackNew(served, fieldRulesOf(parts.kind), write);
  });
}

/** Records who changed the fields of an object. */
export function trackChange(
  parts: StoreParts,
  context: RequestContext,
  object: MutableObject,
  { live, options }: { readonly live: MutableObject; readonly options: WriteOptions },
): void {
  if (options.applied === true) return;
  const mayReplace = (options.subresource ?? '') === '';
  const write = fieldWriteOf(parts, context, options);
  inServedForm(parts, object, (served) => {
    trackUpdate(served, { ...write, live: servedForm(parts, live), mayReplace });
  });
}

/** Tracks in the version of the endpoint: the fields of a manager are those that it has set. */
function inServedForm(
  parts: TrackedParts,
  object: MutableObject,
  track: (served: MutableObject) => void,
): void {
  if (parts.kind.conversion === undefined) {
    track(object);
    return;
  }
  const served = servedForm(parts, object);
  const copy = { ...served, metadata: { ...served.metadata } } as MutableObject;
  track(copy);
  const { managedFields } = copy.metadata;
  if (managedFields === undefined) delete object.metadata['managedFields'];
  else object.metadata['managedFields'] = managedFields;
}
