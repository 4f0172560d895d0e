import { errorMessage } from '../../../kernel/failure/errors.ts';
import type {
  AdmissionContext,
  AdmissionUser,
  DenyOptions,
  Operation,
} from './admission-context.ts';
import { objectDifference, type PatchOperation } from './object-difference.ts';
import {
  failureLine,
  fieldsIn,
  isFields,
  RefusedReview,
  reviewRequest,
  textIn,
  type JsonFields,
} from './review-envelope.ts';

export const ADMISSION_API_VERSION = 'admission.k8s.io/v1';
const KIND = 'AdmissionReview';

/** A function of the author, without its types. */
export type ReviewFunction = (review: never) => unknown;

export interface AdmissionHook {
  readonly kind: 'validate' | 'mutate';
  /** The name of the webhook at the cluster. */
  readonly name: string;
  readonly operations: readonly Operation[];
  readonly call: ReviewFunction;
}

/** A function of the author threw; the failure policy of the registration decides. */
export class HookFailure extends Error {}

interface Denial extends DenyOptions {
  readonly message: string;
}

interface Verdict {
  readonly denials: Denial[];
  readonly warnings: string[];
  readonly annotations: Record<string, string>;
}

/**
 * Asks the function of a hook about the request in `body`, and returns the answer.
 * @throws {RefusedReview} when the body is no review of this hook. @throws {HookFailure} when the function throws.
 */
export async function admissionAnswer(
  { kind, name, operations, call }: AdmissionHook,
  body: Buffer,
  signal: AbortSignal,
): Promise<object> {
  const { uid, request } = reviewRequest(body, ADMISSION_API_VERSION, KIND);
  const operation = textIn(request, 'operation') as Operation;
  if (!operations.includes(operation)) {
    throw new RefusedReview(
      400,
      `${name} is not for the operation ${JSON.stringify(operation)}: the registration at the cluster is of another version of this program`,
    );
  }
  const verdict: Verdict = { denials: [], warnings: [], annotations: {} };
  const object = fieldsIn(request, 'object');
  const draft = kind === 'mutate' ? structuredClone(object) : object;
  const review = {
    ...contextOf(request, verdict, signal),
    ...objectsOf(request, operation, draft),
  };
  const result = await called(name, call, review);
  const isAllowed = verdict.denials.length === 0;
  const patch =
    kind === 'mutate' && isAllowed && object !== undefined
      ? patchOf(name, object, result ?? draft)
      : [];
  return {
    apiVersion: ADMISSION_API_VERSION,
    kind: KIND,
    response: {
      uid,
      allowed: isAllowed,
      ...(isAllowed ? {} : { status: statusOf(request, verdict.denials) }),
      ...(patch.length === 0 ? {} : patchFields(patch)),
      ...(verdict.warnings.length === 0 ? {} : { warnings: verdict.warnings }),
      ...(Object.keys(verdict.annotations).length === 0
        ? {}
        : { auditAnnotations: verdict.annotations }),
    },
  };
}

async function called(name: string, call: ReviewFunction, review: object): Promise<unknown> {
  try {
    return await call(review as never);
  } catch (error) {
    throw new HookFailure(`the function of ${name} failed: ${failureLine(error)}`, {
      cause: error,
    });
  }
}

function objectsOf(request: JsonFields, operation: Operation, object: unknown): object {
  const hasOld = operation === 'UPDATE' || operation === 'DELETE';
  return {
    operation,
    object: operation === 'DELETE' ? undefined : object,
    oldObject: hasOld ? fieldsIn(request, 'oldObject') : undefined,
  };
}

function contextOf(request: JsonFields, verdict: Verdict, signal: AbortSignal): AdmissionContext {
  const user = fieldsIn(request, 'userInfo') ?? {};
  return {
    name: textIn(request, 'name'),
    namespace: textIn(request, 'namespace'),
    subresource: textIn(request, 'subResource'),
    user: userOf(user),
    isDryRun: request['dryRun'] === true,
    options: fieldsIn(request, 'options'),
    signal,
    deny: (message, options = {}) => {
      verdict.denials.push({ message, field: options.field });
    },
    warn: (text) => {
      verdict.warnings.push(text);
    },
    audit: (key, value) => {
      verdict.annotations[key] = value;
    },
  };
}

function userOf(user: JsonFields): AdmissionUser {
  const groups = user['groups'];
  const uid = textIn(user, 'uid');
  return {
    username: textIn(user, 'username'),
    uid: uid === '' ? undefined : uid,
    groups: Array.isArray(groups) ? (groups as string[]) : [],
    extra: fieldsIn(user, 'extra') as AdmissionUser['extra'],
  };
}

/** @throws {HookFailure} for what is no object of JSON. */
function patchOf(name: string, before: JsonFields, result: unknown): PatchOperation[] {
  let after: unknown;
  try {
    // As it is sent: without undefined, and with the texts of dates.
    const text = JSON.stringify(result) as string | undefined;
    after = text === undefined ? undefined : JSON.parse(text);
  } catch (error) {
    throw new HookFailure(
      `the object of ${name} cannot be written as JSON: ${errorMessage(error)}`,
    );
  }
  if (!isFields(after)) {
    throw new HookFailure(
      `the function of ${name} returned ${Array.isArray(after) ? 'a list' : typeof after} and no object; change \`object\` and return nothing, or return the changed object`,
    );
  }
  return objectDifference(before, after);
}

function patchFields(patch: readonly PatchOperation[]): object {
  return {
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
  };
}

/** As an API server refuses an object: all reasons in the message, those of fields as causes too. */
function statusOf(request: JsonFields, denials: readonly Denial[]): object {
  const texts = denials.map(({ message, field }) =>
    field === undefined ? message : `${field}: ${message}`,
  );
  const message = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const causes = denials
    .filter(({ field }) => field !== undefined)
    .map(({ message, field }) => ({ reason: 'FieldValueInvalid', message, field }));
  const kind = fieldsIn(request, 'kind');
  return {
    status: 'Failure',
    message,
    ...(causes.length === 0
      ? { reason: 'Forbidden', code: 403 }
      : {
          reason: 'Invalid',
          code: 422,
          details: {
            name: textIn(request, 'name'),
            group: textIn(kind, 'group'),
            kind: textIn(kind, 'kind'),
            causes,
          },
        }),
  };
}
