import type { ApiError } from '../../../meta/failure/api-error.ts';
import { badRequest } from '../../../meta/failure/failures.ts';
import type { GroupVersionKind } from '../../../meta/resource.ts';

/** The body is no object of the API at all. */
export function unrecognizedBody(kind: string, reason: string, body: Uint8Array): ApiError {
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${reason} (${summary(body)})`,
  );
}

/** The body says what it is, but that cannot be taken for the kind of the endpoint. */
export function unfitBody(found: GroupVersionKind, kind: string, reason: string): ApiError {
  return badRequest(
    `${found.kind} in version "${found.version}" cannot be handled as a ${kind}: ${reason}`,
  );
}

export function otherApiVersion(found: string, expected: string): ApiError {
  return badRequest(
    `the API version in the data (${found}) does not match the expected API version (${expected})`,
  );
}

/** Text that does not name its version and kind. */
export function noTypeMeta(reason: string): string {
  return `couldn't get version/kind; json parse error: ${reason}`;
}

/** A value of JSON of another type than the field of a Go structure. */
export function wrongType(value: unknown, place: string): string {
  return `json: cannot unmarshal ${goType(value)} into Go ${place}`;
}

/** The Go structure that reads version and kind. */
export const TYPE_META: string =
  'value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

export function goType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

const LONGEST_SUMMARY = 30;
const OPENING_BRACE = 0x7b;

/** The beginning of a body: as text if it looks like an object of JSON, otherwise in hexadecimal digits. */
function summary(body: Uint8Array): string {
  if (body.length === 0) return '<empty>';
  const start = Buffer.from(body.subarray(0, LONGEST_SUMMARY));
  const text = body[0] === OPENING_BRACE ? start.toString('utf8') : start.toString('hex');
  return body.length > LONGEST_SUMMARY ? `${text} ...` : text;
}
