import { errorMessage, isListwatchError } from '../../../kernel/failure/errors.ts';
import { randomUuid } from '../../../kernel/time/random.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import { ApiError, failure } from '../../../meta/failure/api-error.ts';
import type { StatusReason } from '../../../meta/failure/status.ts';
import { badRequest, internalError } from '../../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import type { AdmissionRequest } from '../../registry/contract/admission.ts';
import { recordAt, textAt, type JsonRecord } from '../../../meta/json-value.ts';
import { qualifiedName } from '../../registry/rules/name-forms.ts';
import {
  answerType,
  InvalidReview,
  reviewOf,
  UnreadableReview,
  verdictOf,
  type Verdict,
} from './admission-review.ts';
import type { Hook } from './hook.ts';
import type { Invocation } from './match-hook.ts';

/** A call that gave no usable answer: the failure policy decides. */
export class FailedCall extends Error {
  constructor({ name }: Hook, reason: string, cause?: unknown) {
    super(`failed calling webhook ${JSON.stringify(name)}: ${reason}`, { cause });
  }
}

export interface CallParts {
  readonly runtime: Runtime;
  readonly logger: Logger;
}

export interface HookCall {
  readonly invocation: Invocation;
  readonly request: AdmissionRequest;
  /** In the version of the invocation. */
  readonly object: UnstructuredObject | undefined;
  readonly oldObject: UnstructuredObject | undefined;
  readonly isMutating: boolean;
}

/**
 * Calls a webhook and returns its verdict, if that allows the request. Its warnings go to the client, its audit
 * annotations to the record of the request, also when it denies.
 * @throws {FailedCall} without a usable answer.
 * @throws {ApiError} of the webhook, if it denies the request; 400 for a dry run that it does not take.
 */
export async function callHook({ runtime, logger }: CallParts, call: HookCall): Promise<Verdict> {
  const { invocation, request, object, oldObject, isMutating } = call;
  const { hook, target } = invocation;
  if (request.dryRun && !hook.isDryRunSafe) {
    throw badRequest(`admission webhook ${JSON.stringify(hook.name)} does not support dry run`);
  }
  const version = hook.reviewVersion;
  if (version === undefined) {
    const reason = 'webhook does not accept known AdmissionReview versions (v1, v1beta1)';
    throw new FailedCall(hook, `could not create admission objects: ${reason}`);
  }
  const uid = randomUuid(runtime);
  const review = reviewOf({ uid, version, request, target, object, oldObject });
  const answer = await posted(hook, review, answerType(version), request);
  const verdict = verdictIn(answer, { hook, uid, version, isMutating });
  annotate(hook, verdict, request, logger);
  for (const text of verdict.warnings) request.context.warn(text);
  if (!verdict.isAllowed) throw denial(hook, verdict.status);
  return verdict;
}

/** Adds `WEBHOOK/KEY`. What is no key of annotations is left out. @see apiserver pkg/admission/attributes.go checkKeyFormat @ v0.36.3 */
function annotate(
  { name }: Hook,
  { auditAnnotations }: Verdict,
  { context }: AdmissionRequest,
  logger: Logger,
): void {
  for (const [own, value] of Object.entries(auditAnnotations)) {
    const key = `${name}/${own}`;
    const problems = qualifiedName(key);
    if (problems.length === 0) context.annotate?.(key, value);
    else logger.warn('an audit annotation of a webhook is left out', { webhook: name, problems });
  }
}

async function posted(
  hook: Hook,
  review: object,
  type: ReturnType<typeof answerType>,
  { context: { signal } }: AdmissionRequest,
): Promise<JsonRecord> {
  try {
    const { timeoutMs } = hook;
    return await hook.client.post(review, { timeoutMs, ofRequest: true, answerType: type, signal });
  } catch (error) {
    if (isListwatchError(error) && error.code !== 'WEBHOOK_FAILED') throw error;
    throw new FailedCall(hook, `failed to call webhook: ${errorMessage(error)}`, error);
  }
}

interface Answered {
  readonly hook: Hook;
  readonly uid: string;
  readonly version: 'v1' | 'v1beta1';
  readonly isMutating: boolean;
}

/** @throws {FailedCall} */
function verdictIn(answer: JsonRecord, { hook, isMutating, ...asked }: Answered): Verdict {
  try {
    return verdictOf(answer, asked, isMutating);
  } catch (error) {
    if (error instanceof InvalidReview) {
      throw new FailedCall(hook, `received invalid webhook response: ${error.message}`);
    }
    if (!(error instanceof UnreadableReview)) throw error;
    throw new FailedCall(hook, `failed to call webhook: ${error.message}`);
  }
}

/** The error of the request when a call has failed and the policy is `Fail`. */
export function failedClosed(error: FailedCall): ApiError {
  return internalError(error.message, error);
}

/** The error of a request that ran out of time in calls. */
export function outOfTime(): ApiError {
  return failure('Timeout', 'Timeout: request did not complete within requested timeout');
}

const LOWEST_CODE = 400;

/** @see apiserver pkg/admission/plugin/webhook/errors/statuserror.go @ v0.36.3 */
function denial({ name }: Hook, given: JsonRecord | undefined): ApiError {
  const denied = `admission webhook ${JSON.stringify(name)} denied the request`;
  const [said, reason] = [textAt(given, 'message'), textAt(given, 'reason')];
  const text = said || reason;
  const code = given?.['code'];
  const details = recordAt(given, 'details');
  const status = textAt(given, 'status');
  return new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: status === '' || status === 'Success' ? 'Failure' : (status as 'Failure'),
    message: text === '' ? `${denied} without explanation` : `${denied}: ${text}`,
    ...(reason === '' ? {} : { reason: reason as StatusReason }),
    ...(details === undefined ? {} : { details }),
    code: typeof code === 'number' && code >= LOWEST_CODE ? code : LOWEST_CODE,
  });
}
