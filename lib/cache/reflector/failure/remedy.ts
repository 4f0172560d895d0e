import { isListwatchError, type ErrorCode } from '../../../kernel/errors.ts';
import { isApiError } from '../../../meta/failures.ts';
import { errorChain, failureMessage, findCode } from './error-chain.ts';
import { isConnectionRefused } from './watch-error.ts';

const REMEDIES: { readonly [Code in ErrorCode]?: string } = {
  NOT_FOUND:
    'The server does not serve this resource: check group, version and plural name, and that its CustomResourceDefinition is installed.',
  UNAUTHORIZED:
    'The credentials are missing, wrong or expired: check token, client certificate or exec plugin.',
  CERTIFICATE:
    'The certificate of the server does not verify: check certificate-authority and the address in the kubeconfig.',
  TABLE_OBJECT: 'Ask for plain objects: the Accept header must not name Table.',
};

const REFUSED =
  'Nothing listens at the server address: is the API server running, and is the address right?';

const UNRESOLVED_CODES: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN']);
const EXPIRED_CERTIFICATE_CODES: ReadonlySet<string> = new Set(['CERT_HAS_EXPIRED']);

/** Names in messages come from servers. */
const LONGEST_NAME = 253;

/** The remedy for the error, or the empty string. */
export function remedyOf(error: unknown): string {
  if (isListwatchError(error, 'FORBIDDEN')) return missingRule(error);
  const expired = expiredCertificate(error);
  if (expired !== undefined) return expired;
  const unresolved = findCode(error, UNRESOLVED_CODES);
  if (unresolved !== undefined) return unresolvedName(unresolved.hostname);
  if (isConnectionRefused(error)) return REFUSED;
  return isListwatchError(error) ? (REMEDIES[error.code] ?? '') : '';
}

/** The words of the API server's authorizer: who cannot do what to which resource, and where. */
const SUBJECT = /User "((?:[^"\\]|\\.)+)"/;
const TARGET = /resource "([^"]+)" in API group "([^"]*)"/;
const NAMESPACE = /in the namespace "([^"]+)"/;

/** The rule a role has to get, ready to be pasted. */
function missingRule(error: unknown): string {
  const message = failureMessage(error);
  const details = isApiError(error) ? error.status.details : undefined;
  const [, resource = details?.kind, group = details?.group ?? ''] = TARGET.exec(message) ?? [];
  const namespace = NAMESPACE.exec(message)?.[1];
  const user = SUBJECT.exec(message)?.[1];
  const who = user === undefined ? 'the user' : `the user ${quoted(user)}`;
  const role =
    namespace === undefined
      ? `${message.includes('at the cluster scope') ? '' : 'Role or '}ClusterRole`
      : `Role in namespace ${quoted(namespace)}`;
  if (resource === undefined || resource === '')
    return `Give ${who} the verbs list and watch on this resource, in a ${role}.`;
  const rule = `{apiGroups: [${quoted(group)}], resources: [${quoted(resource)}], verbs: ["list","watch"]}`;
  return `Give ${who} the verbs list and watch in a ${role}: rules: [${rule}]`;
}

/** As JSON, which is YAML too; no control character gets through to a terminal. */
function quoted(name: string): string {
  return JSON.stringify(name.slice(0, LONGEST_NAME));
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
  return `A certificate has expired${when}: renew it, or set the clock of this machine right.`;
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
  const name = typeof hostname === 'string' && hostname !== '' ? ` ${quoted(hostname)}` : '';
  return `The host name${name} does not resolve: check the server address in the kubeconfig, and DNS.`;
}
