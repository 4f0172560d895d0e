import type { UnstructuredObject } from '../../../meta/object.ts';
import type { AdmissionRequest, AdmittedVersion } from '../../registry/contract/admission.ts';
import { isRecord, recordAt, textAt, textsAt, type JsonRecord } from '../../../meta/json-value.ts';
import type { Hook } from './hook.ts';

const GROUP = 'admission.k8s.io';
const KIND = 'AdmissionReview';
const VERSIONS = ['v1', 'v1beta1'];

export interface ReviewRequest {
  readonly uid: string;
  readonly version: NonNullable<Hook['reviewVersion']>;
  readonly request: AdmissionRequest;
  /** The version in which the webhook sees the objects. */
  readonly target: AdmittedVersion;
  readonly object: UnstructuredObject | undefined;
  readonly oldObject: UnstructuredObject | undefined;
}

/** The kind of an answer that does not name it. */
export function answerType(version: ReviewRequest['version']): {
  readonly apiVersion: string;
  readonly kind: string;
} {
  return { apiVersion: `${GROUP}/${version}`, kind: KIND };
}

/** The body of a call. @see apiserver pkg/admission/plugin/webhook/request/admissionreview.go @ v0.36.3 */
export function reviewOf({
  uid,
  version,
  request,
  target,
  object,
  oldObject,
}: ReviewRequest): object {
  const { subresource, name, namespace, operation, user, dryRun, options } = request;
  const { username, groups, extra } = user;
  return {
    kind: KIND,
    apiVersion: `${GROUP}/${version}`,
    request: {
      uid,
      kind: kindOf(target),
      resource: resourceOf(target),
      ...(subresource === '' ? {} : { subResource: subresource }),
      requestKind: kindOf(request.target),
      requestResource: resourceOf(request.target),
      ...(subresource === '' ? {} : { requestSubResource: subresource }),
      ...(name === '' ? {} : { name }),
      ...(namespace === '' ? {} : { namespace }),
      operation,
      userInfo: {
        username,
        ...(user.uid === undefined || user.uid === '' ? {} : { uid: user.uid }),
        groups,
        ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra }),
      },
      object: object ?? null,
      oldObject: oldObject ?? null,
      dryRun,
      options: options ?? null,
    },
  };
}

function kindOf(target: AdmittedVersion): object {
  const { group, version, kind } = target.objects ?? target;
  return { group, version, kind };
}

function resourceOf({ group, version, resource }: AdmittedVersion): object {
  return { group, version, resource };
}

/** The decision of a webhook. */
export interface Verdict {
  readonly isAllowed: boolean;
  /** The bytes of a JSON patch; empty for none. */
  readonly patch: Uint8Array;
  readonly patchType: string;
  readonly status: JsonRecord | undefined;
  readonly warnings: readonly string[];
  /** For the record of the request, by key without the name of the webhook. */
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

/** Why the decoder refuses an answer, which is no fault of its content. */
export class UnreadableReview extends Error {}

/** Why an answer that can be read is not taken. */
export class InvalidReview extends Error {}

/**
 * The verdict in an answer.
 * @throws {UnreadableReview} for another kind, or a member of another type.
 * @throws {InvalidReview} for the answer to another call, and for what a webhook of this kind may not answer.
 */
export function verdictOf(
  answer: JsonRecord,
  { uid, version }: Pick<ReviewRequest, 'uid' | 'version'>,
  isMutating: boolean,
): Verdict {
  checkKind(answer, version);
  const response = recordAt(answer, 'response');
  if (response === undefined) throw new InvalidReview('webhook response was absent');
  checkTypes(response);
  const patch = Buffer.from(textAt(response, 'patch'), 'base64');
  const patchType = response['patchType'] ?? undefined;
  if (version === 'v1') {
    const answered = textAt(response, 'uid');
    if (answered !== uid) {
      throw new InvalidReview(
        `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(answered)}`,
      );
    }
    checkPatch(patch, patchType, isMutating);
  }
  const isPatched = version === 'v1beta1' && patch.byteLength > 0;
  return {
    isAllowed: response['allowed'] === true,
    patch: isMutating ? patch : new Uint8Array(),
    patchType: isPatched ? 'JSONPatch' : textAt(response, 'patchType'),
    status: recordAt(response, 'status'),
    warnings: textsAt(response, 'warnings'),
    auditAnnotations: annotationsOf(response),
  };
}

/** @throws {UnreadableReview} In the words of Go. */
function checkKind(answer: JsonRecord, version: ReviewRequest['version']): void {
  const [apiVersion, kind] = [textAt(answer, 'apiVersion'), textAt(answer, 'kind')];
  const known = VERSIONS.find((one) => apiVersion === `${GROUP}/${one}`);
  if (known === version && kind === KIND) return;
  throw new UnreadableReview(
    known !== undefined && kind === KIND
      ? `converting (${known}.${KIND}) to (${version}.${KIND}): unknown conversion`
      : `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
  );
}

/** @throws {InvalidReview} */
function checkPatch(patch: Uint8Array, patchType: unknown, isMutating: boolean): void {
  const hasPatch = patch.byteLength > 0;
  const hasType = patchType !== undefined;
  let problem: string | undefined;
  if (!isMutating) {
    if (hasPatch) problem = 'validating webhook may not return response.patch';
    else if (hasType) problem = 'validating webhook may not return response.patchType';
  } else if (hasPatch && !hasType) {
    problem = 'webhook returned response.patch but not response.patchType';
  } else if (!hasPatch && hasType) {
    problem = 'webhook returned response.patchType but not response.patch';
  } else if (patchType === '') {
    problem = 'webhook returned invalid response.patchType of ""';
  }
  if (problem !== undefined) throw new InvalidReview(problem);
}

const TYPES: Readonly<Record<string, 'string' | 'boolean' | 'object' | 'array'>> = {
  uid: 'string',
  allowed: 'boolean',
  status: 'object',
  patch: 'string',
  patchType: 'string',
  auditAnnotations: 'object',
  warnings: 'array',
};
const GO_TYPES: Readonly<Record<string, string>> = {
  uid: 'types.UID',
  allowed: 'bool',
  status: 'v1.Status',
  patch: '[]uint8',
  patchType: 'v1.PatchType',
  auditAnnotations: 'map[string]string',
  warnings: '[]string',
};
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** @throws {UnreadableReview} */
function checkTypes(response: JsonRecord): void {
  for (const [name, type] of Object.entries(TYPES)) {
    const value = response[name] ?? undefined;
    if (value === undefined || typeOf(value) === type) continue;
    throw cannotRead(value, name, GO_TYPES[name]);
  }
  const text = textAt(response, 'patch').replaceAll(/[\r\n]/g, '');
  if (BASE64.test(text)) return;
  const at = text.search(/[^A-Za-z0-9+/]/);
  throw new UnreadableReview(
    `illegal base64 data at input byte ${at < 0 ? text.length - (text.length % 4) : at}`,
  );
}

/** Go reads a null as an empty text. @throws {UnreadableReview} */
function annotationsOf(response: JsonRecord): Readonly<Record<string, string>> {
  const entries = Object.entries(recordAt(response, 'auditAnnotations') ?? {});
  return Object.fromEntries(entries.map(([key, value]) => [key, annotationText(value)]));
}

/** @throws {UnreadableReview} */
function annotationText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  throw cannotRead(value, 'auditAnnotations', 'string');
}

function cannotRead(value: unknown, name: string, type: string | undefined): UnreadableReview {
  const found = typeOf(value) === 'boolean' ? 'bool' : typeOf(value);
  return new UnreadableReview(
    `json: cannot unmarshal ${found} into Go struct field AdmissionResponse.response.${name} of type ${type}`,
  );
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return isRecord(value) ? 'object' : typeof value;
}
