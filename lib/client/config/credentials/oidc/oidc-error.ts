import {
  errorMessage,
  isListwatchError,
  ListwatchError,
} from '../../../../kernel/failure/errors.ts';

/** The remedy when the tokens of a login are of no use any more. */
export const LOG_IN_AGAIN = 'log in again with the tool that wrote the token';

export function oidcError(source: string, problem: string, cause?: unknown): ListwatchError {
  return new ListwatchError('OIDC', `${source}: ${problem}`, { cause });
}

/** An exchange with the issuer without an answer. `address` is what was asked, without its query. */
export function unreachableIssuer(source: string, address: string, error: unknown): ListwatchError {
  if (!isListwatchError(error)) {
    return oidcError(source, `${address} cannot be reached: ${errorMessage(error)}`);
  }
  const detail = errorMessage(error.cause ?? 'no details');
  switch (error.code) {
    case 'CONNECTION_REFUSED':
      return oidcError(source, `nothing listens at ${address}; check idp-issuer-url`, error);
    case 'CERTIFICATE':
      return oidcError(
        source,
        `the certificate of ${address} is not accepted (${detail}); give its authority in idp-certificate-authority`,
        error,
      );
    case 'REDIRECT_REFUSED':
      return oidcError(
        source,
        `${address} answers with a redirect, which is not followed; set idp-issuer-url to the final address`,
        error,
      );
    case 'REQUEST_TIMEOUT':
      return oidcError(
        source,
        `${address} did not answer in time; check idp-issuer-url and the network`,
        error,
      );
    case 'RESPONSE_TOO_LARGE':
      return oidcError(
        source,
        `the answer of ${address} is larger than 1 MiB; check idp-issuer-url`,
        error,
      );
    case 'PROXY':
    case 'CONFIG_INVALID':
    case 'INVALID_OPTION':
      return oidcError(source, `${address} cannot be asked: ${error.message}`, error);
    default:
      return oidcError(
        source,
        `${address} cannot be reached (${detail}); check idp-issuer-url and the network`,
        error,
      );
  }
}

const LONGEST_DESCRIPTION = 200;

/** Text of the issuer for a message: one line, no secret, and nothing that looks like one. */
export function shownText(text: unknown, secrets: readonly string[]): string | undefined {
  if (typeof text !== 'string') return undefined;
  let shown = text;
  for (const secret of secrets) if (secret !== '') shown = shown.replaceAll(secret, '[hidden]');
  shown = shown
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .replaceAll(/[\w.+/=~-]{24,}/g, '[hidden]')
    .trim();
  return shown === '' ? undefined : shown.slice(0, LONGEST_DESCRIPTION);
}
