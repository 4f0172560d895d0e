import type { ApiError } from '../../../meta/failure/api-error.ts';
import { internalError, invalid, type FieldCause } from '../../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { apiVersionOf, type GroupVersionKind } from '../../../meta/resource.ts';
import { fieldInvalid } from '../../registry/rules/field-causes.ts';
import { hasProtobuf } from '../../../meta/protobuf/object-codec.ts';
import { noTypeMeta, otherApiVersion, TYPE_META, unfitBody, wrongType } from './body-failures.ts';
import { asObject, getOwn, isJsonObject, type Json, type JsonObject } from './json-tree.ts';

/** Makes the failure of a body that is no object of the API. */
type Refuse = (reason: string) => ApiError;

const NULL_VERSION = '.apiVersion accessor error: <nil> is of the type <nil>, expected string';
const UNREGISTERED_IN = 'in scheme "pkg/runtime/scheme.go:111"';

/**
 * An object for an endpoint of a built-in kind. What it does not say about its kind is taken from the endpoint.
 * @param refuseUnfit the failure of a kind, version or metadata that does not fit the endpoint. @defaultValue 400
 * @throws {ApiError} 400.
 */
export function builtInObject(
  value: Json,
  expected: GroupVersionKind,
  refuse: Refuse,
  refuseUnfit?: Refuse,
): UnstructuredObject {
  const object = objectOf(value, refuse);
  const declared = declaredKind(object, refuse);
  const found = { ...withDefaults(declared, expected), kind: declared.kind || expected.kind };
  if (!isSame(found, expected)) {
    throw oldScale(object, found, expected, refuseUnfit) ?? otherKind(found, expected, refuseUnfit);
  }
  const metadata = getOwn(object, 'metadata') ?? null;
  if (metadata !== null && !isJsonObject(metadata)) {
    const place = `struct field ${expected.kind}.metadata of type v1.ObjectMeta`;
    const reason = wrongType(metadata, place);
    throw refuseUnfit?.(reason) ?? unfitBody(found, expected.kind, reason);
  }
  return withKind(object, expected);
}

/**
 * The custom object after a patch. It still has to name its kind.
 * @param text the result as JSON, for the failure
 * @throws {ApiError} 422, 500.
 */
export function patchedCustomObject(
  object: JsonObject,
  expected: GroupVersionKind,
  refuse: Refuse,
  text: () => string,
): UnstructuredObject {
  const found = declaredKind(object, refuse);
  if (found.kind === '') throw refuse(kindMissing(text()));
  if (found.version === '') {
    throw internalError("Object 'apiVersion' is missing in 'object has no apiVersion field'");
  }
  const metadata = getOwn(object, 'metadata') ?? null;
  if (metadata !== null && !isJsonObject(metadata)) {
    throw refuse(wrongType(metadata, 'value of type v1.ObjectMeta'));
  }
  const causes: FieldCause[] = [];
  const apiVersion = apiVersionOf(expected);
  if (found.kind !== expected.kind) {
    causes.push(fieldInvalid('kind', found.kind, `must be ${expected.kind}`));
  }
  if (apiVersionOf(found) !== apiVersion) {
    causes.push(fieldInvalid('apiVersion', apiVersionOf(found), `must be ${apiVersion}`));
  }
  if (causes.length > 0) throw invalid(found, nameIn(metadata), causes);
  return withKind(object, expected);
}

function kindMissing(text: string): string {
  return `Object 'Kind' is missing in '${text}'`;
}

function nameIn(metadata: JsonObject | null): string {
  const name = metadata === null ? null : getOwn(metadata, 'name');
  return typeof name === 'string' ? name : '';
}

/**
 * An object for an endpoint of a custom resource. It has to say its kind.
 * @param text the object as JSON, for the failure
 * @throws {ApiError} 400, 422.
 */
export function customObject(
  value: Json,
  expected: GroupVersionKind,
  refuse: Refuse,
  text: () => string,
): UnstructuredObject {
  const object = value === null ? {} : objectOf(value, refuse);
  const found = declaredKind(object, refuse);
  if (found.kind === '') throw refuse(kindMissing(text()));
  const metadata = getOwn(object, 'metadata') ?? null;
  if (metadata !== null && !isJsonObject(metadata)) {
    throw unfitBody(found, expected.kind, wrongType(metadata, 'value of type v1.ObjectMeta'));
  }
  if (getOwn(object, 'apiVersion') === null) throw unfitBody(found, expected.kind, NULL_VERSION);
  const apiVersion = apiVersionOf(expected);
  if (apiVersionOf(found) !== apiVersion) throw otherApiVersion(apiVersionOf(found), apiVersion);
  if (found.kind !== expected.kind) {
    const cause = fieldInvalid('kind', found.kind, `must be ${expected.kind}`);
    throw invalid(found, nameIn(metadata), [cause]);
  }
  return withKind(object, expected);
}

function objectOf(value: Json, refuse: Refuse): JsonObject {
  if (isJsonObject(value)) return value;
  throw refuse(noTypeMeta(wrongType(value, TYPE_META)));
}

/** The kind that the object names; empty where it names none. */
function declaredKind(object: JsonObject, refuse: Refuse): GroupVersionKind {
  const kind = textField(object, 'kind', refuse);
  const apiVersion = textField(object, 'apiVersion', refuse);
  const parts = apiVersion.split('/');
  if (parts.length > 2) throw refuse(`unexpected GroupVersion string: ${apiVersion}`);
  const [first = '', second] = parts;
  return second === undefined
    ? { group: '', version: first, kind }
    : { group: first, version: second, kind };
}

function textField(object: JsonObject, name: string, refuse: Refuse): string {
  const value = getOwn(object, name) ?? '';
  if (typeof value === 'string') return value;
  throw refuse(noTypeMeta(wrongType(value, `struct field .${name} of type string`)));
}

function withDefaults(found: GroupVersionKind, expected: GroupVersionKind): GroupVersionKind {
  const { group, version } = found;
  if (group === '' && version === '') return expected;
  return version === '' && group === expected.group
    ? { ...found, version: expected.version }
    : found;
}

function isSame(one: GroupVersionKind, other: GroupVersionKind): boolean {
  return one.kind === other.kind && one.version === other.version && one.group === other.group;
}

function otherKind(
  found: GroupVersionKind,
  expected: GroupVersionKind,
  refuseUnfit: Refuse = (reason) => unfitBody(found, expected.kind, reason),
): ApiError {
  const apiVersion = apiVersionOf(found);
  if (!hasProtobuf(apiVersion, found.kind)) {
    const reason = `no kind "${found.kind}" is registered for version "${apiVersion}" ${UNREGISTERED_IN}`;
    return refuseUnfit(reason);
  }
  if (found.kind === expected.kind && found.group === expected.group) {
    return otherApiVersion(apiVersion, apiVersionOf(expected));
  }
  const reason = `converting (v1.${found.kind}) to (${internalName(expected)}): unknown conversion`;
  return refuseUnfit(reason);
}

/** The versions in which a Scale was served once; kube-apiserver knows their types. */
const OLD_SCALES: ReadonlySet<string> = new Set([
  'extensions/v1beta1',
  'apps/v1beta1',
  'apps/v1beta2',
]);

/** The failure of a Scale in such a version, whose selector is a map. Undefined for other objects. */
function oldScale(
  object: JsonObject,
  found: GroupVersionKind,
  { kind, group, version }: GroupVersionKind,
  refuseUnfit?: Refuse,
): ApiError | undefined {
  const apiVersion = apiVersionOf(found);
  if (kind !== 'Scale' || found.kind !== kind || !OLD_SCALES.has(apiVersion)) return undefined;
  const status = getOwn(object, 'status') ?? null;
  const selector = isJsonObject(status) ? (getOwn(status, 'selector') ?? null) : null;
  if (typeof selector !== 'string')
    return otherApiVersion(apiVersion, apiVersionOf({ group, version }));
  const field = 'Go struct field ScaleStatus.status.selector of type map[string]string';
  const reason = `json: cannot unmarshal string into ${field}`;
  return refuseUnfit?.(reason) ?? unfitBody(found, kind, reason);
}

/** The Go package and type of a kind within the server, which some messages of kube-apiserver name. */
export function internalName({ group, kind }: Pick<GroupVersionKind, 'group' | 'kind'>): string {
  const [first = ''] = group.split('.', 1);
  return `${first === '' || first === 'events' ? 'core' : first}.${kind}`;
}

/** The fields `apiVersion` and `kind` as the endpoint has them. */
function withKind(object: JsonObject, expected: GroupVersionKind): UnstructuredObject {
  const apiVersion = apiVersionOf(expected);
  if (object['apiVersion'] === apiVersion && object['kind'] === expected.kind) {
    return asObject(object);
  }
  return asObject({ ...object, apiVersion, kind: expected.kind });
}
