import { errorMessage } from '../../../kernel/failure/errors.ts';
import { internalError, isApiError } from '../../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { asJson } from '../../http/body/json-tree.ts';
import type { Json } from '../../http/body/json-tree.ts';
import { applyJsonPatch, parseJsonPatch, type JsonPatch } from '../../patch/json-patch.ts';
import type { AdmissionRequest, AdmittedVersion } from '../../registry/contract/admission.ts';
import { jsonSyntaxError } from '../../../kernel/text/go-json-syntax.ts';
import { isRecord } from '../../../meta/json-value.ts';
import type { Verdict } from './admission-review.ts';
import { FailedCall } from './call-hook.ts';
import type { Hook } from './hook.ts';

const PATCH_ERROR = 'error decoding patch: ';
/** Twice the levels that Go's decoder reads. */
const SHORT_BYTES = 20_000;
/** The type of the patches of requests. */
const REQUEST_PATCH = '[]handlers.jsonPatchOp';

/**
 * The object after the patch of a webhook, read as its kind; undefined if there is no patch.
 * @throws {FailedCall} for what is no JSON patch. @throws {ApiError} 500 when it cannot be applied.
 */
export function patchedObject(
  { hook, target }: { readonly hook: Hook; readonly target: AdmittedVersion },
  { patch: bytes, patchType }: Verdict,
  object: UnstructuredObject | undefined,
  { versions }: AdmissionRequest,
): UnstructuredObject | undefined {
  if (bytes.byteLength === 0) return undefined;
  const patch = patchIn(hook, bytes);
  if (patch.length === 0) return undefined;
  if (object === undefined) {
    throw internalError(
      `admission webhook ${JSON.stringify(hook.name)} attempted to modify the object, which is not supported for this operation`,
    );
  }
  if (patchType !== 'JSONPatch') {
    throw new FailedCall(hook, `unsupported patch type ${JSON.stringify(patchType)}`);
  }
  let patched: Json;
  try {
    patched = applyJsonPatch(asJson(object), patch);
    if (!isRecord(patched)) throw new Error('the patched object is no object');
  } catch (error) {
    throw internalError(reasonOf(error), error);
  }
  try {
    return versions.read(patched, target);
  } catch (error) {
    throw isApiError(error) ? error : internalError(errorMessage(error), error);
  }
}

/** A patch of a request does not say why it is refused, that of a webhook does. */
function reasonOf(error: unknown): string {
  return errorMessage(isApiError(error) && error.cause instanceof Error ? error.cause : error);
}

/** @throws {FailedCall} */
function patchIn(hook: Hook, bytes: Uint8Array): JsonPatch {
  const what = 'received undecodable patch in webhook response';
  // Shorter ones cannot have more levels than kube-apiserver reads.
  const syntax = bytes.byteLength > SHORT_BYTES ? jsonSyntaxError(bytes) : undefined;
  if (syntax !== undefined) throw new FailedCall(hook, `${what}: ${syntax}`);
  let document: Json;
  try {
    document = JSON.parse(Buffer.from(bytes).toString('utf8')) as Json;
  } catch (error) {
    throw new FailedCall(hook, `${what}: ${jsonSyntaxError(bytes) ?? errorMessage(error)}`);
  }
  try {
    return parseJsonPatch(document);
  } catch (error) {
    const text = errorMessage(error);
    const reason = text.startsWith(PATCH_ERROR) ? text.slice(PATCH_ERROR.length) : text;
    throw new FailedCall(hook, `${what}: ${reason.replace(REQUEST_PATCH, 'jsonpatch.Patch')}`);
  }
}
