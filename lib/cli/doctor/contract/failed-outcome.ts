import { errorMessage, isListwatchError } from '../../../kernel/failure/errors.ts';
import { explainedError } from '../../../kernel/failure/explained-error.ts';
import { shownText } from '../../terminal/shown-text.ts';
import { commandWords } from './command-words.ts';
import type { Outcome } from './step.ts';

/** Remedies for codes whose messages address programmers, or have none. */
const REMEDIES: Readonly<Record<string, string>> = {
  CONFIG_NOT_FOUND: 'give --kubeconfig FILE or --server URL, or set KUBECONFIG',
  CONNECTION_FAILED: 'check the network, the VPN and the firewall between here and the server',
  REQUEST_TIMEOUT:
    'check that the server is well, or that nothing between here and there holds requests back; raise --timeout if it is slow',
  TIMEOUT:
    'check that the server is well, or that nothing between here and there holds requests back; raise --timeout if it is slow',
  REDIRECT_REFUSED:
    'use the address of the API server itself: something else answers at this one, such as a login page or a load balancer',
  MALFORMED_RESPONSE:
    'something other than an API server answers here, such as a login page, a portal or a proxy: open the address in a browser, and check "server" of the cluster',
  UNAUTHORIZED: 'log in again, or replace the credentials of the user',
  TOO_MANY_REQUESTS: 'the server is overloaded: try again later',
  SERVICE_UNAVAILABLE: 'the server is not ready: try again, and look at /readyz?verbose',
};

/** The longest message that is shown, characters: one of a configuration names each place that was searched. */
const LONGEST = 600;

const OTHERWISE = 'look up the code in docs/errors.md, or run again with --verbose';

/** Messages of the package are `cause; remedy` or `cause; remedy (text of the system)`. */
const CAUSE_AND_REMEDY = /^(.*?); (.*?)( \([^()]*(?:\([^()]*\)[^()]*)*\))?$/;

/** The outcome of a step that threw: the cause in one line, and one remedy. */
export function failedOutcome(error: unknown, remedy?: string): Outcome {
  const code = isListwatchError(error) ? error.code : undefined;
  const explained = explainedError(error);
  // The step says which server and what for.
  const message = commandWords(shownText(explained?.problem ?? errorMessage(error), LONGEST));
  if (code === 'CONFIG_NOT_FOUND') {
    return { status: 'failed', code, detail: withoutAdvice(message), remedy: REMEDIES[code] };
  }
  const own = remedy ?? (code === undefined ? undefined : REMEDIES[code]);
  if (explained?.remedy !== undefined) {
    return { status: 'failed', code, detail: message, remedy: own ?? explained.remedy };
  }
  const [, cause = message, advice, system = ''] = CAUSE_AND_REMEDY.exec(message) ?? [];
  return {
    status: 'failed',
    code,
    detail: cause + system,
    remedy: own ?? advice ?? OTHERWISE,
  };
}

function withoutAdvice(message: string): string {
  return message.replace(/\. Give (?:the option|--).*$/, '');
}
