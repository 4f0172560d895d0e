import type { ErrorCode } from '../../../kernel/failure/errors.ts';
import type { ApiError } from '../../../meta/failure/api-error.ts';
import { quotedName, versionOfCall, type ApiCall } from '../../../meta/api-call.ts';
import { explainForbidden, explainUnauthorized } from './explain-access.ts';
import {
  explainAlreadyExists,
  explainApplyConflict,
  explainConflict,
  explainInvalid,
} from './explain-conflict.ts';
import {
  explainBadRequest,
  explainExpired,
  explainMediaType,
  explainNotAcceptable,
  explainTooLarge,
} from './explain-request.ts';
import {
  explainForeign,
  isAggregated,
  explainInternal,
  explainTooMany,
  explainUnavailable,
} from './explain-server.ts';
import type { Explanation } from './explanation.ts';
import type { RefusedAnswer } from './refused-answer.ts';
import { resourceAdvice } from './resource-advice.ts';
import type { DiscoveryLookUp } from './discovery-look-up.ts';

type Explain = (
  answer: RefusedAnswer,
  call: ApiCall | undefined,
  error: Pick<ApiError, 'causes' | 'conflicts'>,
) => Explanation;

const EXPLAIN: { readonly [Code in ErrorCode]?: Explain } = {
  BAD_REQUEST: explainBadRequest,
  UNAUTHORIZED: explainUnauthorized,
  FORBIDDEN: explainForbidden,
  NOT_FOUND: explainNotFound,
  METHOD_NOT_ALLOWED: explainMethod,
  NOT_ACCEPTABLE: explainNotAcceptable,
  ALREADY_EXISTS: explainAlreadyExists,
  CONFLICT: explainConflict,
  APPLY_CONFLICT: explainApplyConflict,
  GONE: explainExpired,
  EXPIRED: explainExpired,
  REQUEST_ENTITY_TOO_LARGE: explainTooLarge,
  UNSUPPORTED_MEDIA_TYPE: explainMediaType,
  INVALID: explainInvalid,
  TOO_MANY_REQUESTS: explainTooMany,
  INTERNAL_ERROR: explainInternal,
  STORAGE_READ_ERROR: explainInternal,
  SERVER_TIMEOUT: explainInternal,
  SERVICE_UNAVAILABLE: explainUnavailable,
  GATEWAY_TIMEOUT: explainUnavailable,
};

/** Failures for which it matters what the server serves. Access is checked before a resource is looked up. */
const NEEDS_DISCOVERY: ReadonlySet<ErrorCode> = new Set([
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'FORBIDDEN',
]);

/**
 * The cause of a refusal and its remedy. It may ask the server for at most three discovery documents, for at most two seconds.
 */
export async function explainFailure(
  error: ApiError,
  answer: RefusedAnswer,
  call: ApiCall | undefined,
  served: DiscoveryLookUp,
): Promise<Explanation> {
  const explanation = explainAtOnce(error, answer, call);
  if (call === undefined || !NEEDS_DISCOVERY.has(error.code) || answer.html) return explanation;
  if (namesObject(answer, call)) return explanation;
  if (error.code === 'FORBIDDEN' && !refusesUser(answer)) return explanation;
  return (await resourceAdvice(call, served)) ?? explanation;
}

/** As `explainFailure`, without a question to the server. */
export function explainAtOnce(
  error: Pick<ApiError, 'code' | 'causes' | 'conflicts'>,
  answer: RefusedAnswer,
  call: ApiCall | undefined,
): Explanation {
  // The API server itself answers in plain text for a group that it does not serve, for one whose server is down, and for
  // requests over its limit.
  const plain =
    error.code === 'NOT_FOUND' || error.code === 'TOO_MANY_REQUESTS' || isAggregated(answer);
  const own = !answer.foreign || (plain && !answer.html);
  const explain = own ? EXPLAIN[error.code] : undefined;
  return explain === undefined ? explainForeign(answer) : explain(answer, call, error);
}

/** The Status of an object that does not exist names it; that of a resource that does not exist has no name. */
function namesObject({ status, words }: RefusedAnswer, call: ApiCall | undefined): boolean {
  if (status.reason !== 'NotFound') return false;
  const { name } = status.details ?? {};
  if (typeof name === 'string' && name !== '') return true;
  return call?.name !== undefined && words.includes(`${JSON.stringify(call.name)} not found`);
}

function refusesUser({ status }: RefusedAnswer): boolean {
  const message = status.message ?? '';
  return message.includes(' cannot ') && !message.includes('"system:anonymous"');
}

/** HTTP 404. */
function explainNotFound(answer: RefusedAnswer, call: ApiCall | undefined): Explanation {
  const { name = call?.name, kind = call?.resource } = answer.status.details ?? {};
  if (!namesObject(answer, call)) {
    const what =
      call?.resource === undefined
        ? 'the server serves nothing at this path'
        : `the server does not serve ${quotedName(call.resource)} in ${versionOfCall(call)}`;
    return {
      problem: what,
      remedy:
        'correct apiVersion, plural name and namespace, or install the CustomResourceDefinition',
    };
  }
  if (kind === 'namespaces' && call?.resource !== 'namespaces') {
    return {
      problem: `the namespace ${quotedName(name ?? '')} does not exist`,
      remedy: 'create it, or correct the namespace',
    };
  }
  if (kind !== call?.resource || name !== call?.name) {
    return { problem: answer.words, remedy: 'create what is missing, or correct its name' };
  }
  const where = call?.namespace === undefined ? 'name' : 'name and namespace';
  return { problem: 'it does not exist', remedy: `create it, or correct ${where}` };
}

/** HTTP 405. */
function explainMethod({ words }: RefusedAnswer, call: ApiCall | undefined): Explanation {
  const verb = call === undefined ? 'this method' : call.verb;
  const what = call?.resource === undefined ? 'this path' : call.resource;
  return {
    problem: words === '' ? `${what} does not offer ${verb}` : words,
    remedy: 'use a verb that the resource offers: kubectl api-resources -o wide lists them',
  };
}
