import { explainedError } from '../../../kernel/failure/explained-error.ts';
import { plainCause, plainText } from '../../../kernel/text/plain-text.ts';
import { withRemedy } from '../../../meta/failure/api-error.ts';
import { failureMessage, errorChain, findCode } from '../../../kernel/failure/error-chain.ts';
import { isListwatchError, type ErrorCode } from '../../../kernel/failure/errors.ts';
import { isApiError } from '../../../meta/failure/failures.ts';
import { missingRule, parseRefusal } from '../../../meta/missing-rule.ts';
import { isConnectionRefused } from './watch-error.ts';

/** The most characters of a cause in a log line; the error has all of it. */
const LONGEST_CAUSE = 300;

/** A failed list or watch in a log line. */
export interface FailureLine {
  /** ` (https://10.0.0.1:6443)`: the server that was asked; empty if it is not known. */
  readonly server: string;
  /** The cause, and what to do about it, once. Without a full stop. */
  readonly text: string;
}

/** An error of a client names cause and remedy itself; for errors of other sources the remedy is added. */
export function failureLine(error: unknown): FailureLine {
  const known = explainedError(error);
  if (known !== undefined) {
    const text = withRemedy(plainCause(known.problem, LONGEST_CAUSE), known.remedy);
    return { server: ` (${known.server})`, text };
  }
  const problem = plainCause(failureMessage(error), LONGEST_CAUSE).replace(/[.;]$/, '');
  return { server: '', text: withRemedy(problem, remedyOf(error)) };
}

const REMEDIES: { readonly [Code in ErrorCode]?: string } = {
  NOT_FOUND:
    'the server does not serve this resource: check group, version and plural name, and that its CustomResourceDefinition is installed',
  UNAUTHORIZED: 'check token, client certificate or exec plug-in of the credentials',
  CERTIFICATE: 'check certificate-authority and the address in the kubeconfig',
  TABLE_OBJECT: 'ask for plain objects: the Accept header must not name Table',
};

const REFUSED = 'nothing listens there: check that the API server runs, and its address';

const UNRESOLVED_CODES: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN']);
const EXPIRED_CERTIFICATE_CODES: ReadonlySet<string> = new Set(['CERT_HAS_EXPIRED']);

const LONGEST_HOST = 253;

/** The remedy for an error that does not name one itself, without a full stop; or the empty string. */
export function remedyOf(error: unknown): string {
  if (isListwatchError(error, 'FORBIDDEN')) return missingRuleOf(error);
  const expired = expiredCertificate(error);
  if (expired !== undefined) return expired;
  const unresolved = findCode(error, UNRESOLVED_CODES);
  if (unresolved !== undefined) return unresolvedName(unresolved.hostname);
  if (isConnectionRefused(error)) return REFUSED;
  return isListwatchError(error) ? (REMEDIES[error.code] ?? '') : '';
}

/** The rule a role has to get, ready to be pasted. */
function missingRuleOf(error: unknown): string {
  const { kind, group } = (isApiError(error) ? error.status.details : undefined) ?? {};
  const refusal = parseRefusal(failureMessage(error)) ?? {
    resource: kind,
    group,
    clusterScope: false,
  };
  if (refusal.resource === undefined || refusal.resource === '')
    return 'give the user the verbs list and watch on this resource';
  return missingRule(refusal, ['list', 'watch']);
}

/** Go and OpenSSL say it in their own ways. */
const EXPIRED_WORDS = /certificate has expired/i;
const EXPIRED_SINCE = /\bis after (\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)/;

function expiredCertificate(error: unknown): string | undefined {
  const coded = findCode(error, EXPIRED_CERTIFICATE_CODES) !== undefined;
  const message = failureMessage(error);
  if (!coded && !EXPIRED_WORDS.test(message)) return undefined;
  const since = EXPIRED_SINCE.exec(message)?.[1] ?? validTo(error);
  const when = since === undefined ? '' : ` (it was valid to ${since})`;
  return `renew the certificate${when}, or set the clock of this machine right`;
}

/** Node leaves the certificate with some of its errors. */
function validTo(error: unknown): string | undefined {
  for (const { cert } of errorChain(error)) {
    if (typeof cert !== 'object' || cert === null) continue;
    const { valid_to: text } = cert as { readonly valid_to?: unknown };
    if (typeof text === 'string') return text.slice(0, 40);
  }
  return undefined;
}

function unresolvedName(hostname: unknown): string {
  const name =
    typeof hostname === 'string' && hostname !== ''
      ? ` ${JSON.stringify(plainText(hostname, LONGEST_HOST))}`
      : '';
  return `the host name${name} does not resolve: check the server address and DNS`;
}
