import { plainText } from '../../../kernel/text/plain-text.ts';
import type { ApiCall } from '../../../meta/api-call.ts';
import type { Explanation } from './explanation.ts';
import type { RefusedAnswer } from './refused-answer.ts';

/** HTTP 429. */
export function explainTooMany({ words, status }: RefusedAnswer): Explanation {
  const seconds: unknown = status.details?.retryAfterSeconds;
  const when = typeof seconds === 'number' ? `after ${seconds} s` : 'later';
  return {
    problem: words === '' ? 'the server has too many requests' : words.replace(/\.$/, ''),
    remedy: `try again ${when}, and send fewer requests`,
  };
}

/** Who calls a webhook: the admission of a write, or the conversion of a custom resource. A message may be long, so each search has an end. */
const WEBHOOK = /failed calling webhook "([^"]+)"|conversion webhook for ([^\n]{1,300}?) failed: /;

/** The remedies: for a function of a `WebhookServer` that failed, and for the words of Go for a certificate that it does not accept. */
const WEBHOOK_FAULTS: readonly (readonly [RegExp, (webhook: string) => string])[] = [
  [
    /: (?:the (?:function|object) of \S+ (?:failed|returned|cannot)|there was no answer to the webhook within|(?:toHub|fromHub) of )/,
    (webhook) => `correct the function of ${webhook}`,
  ],
  [
    /x509: certificate signed by unknown authority/,
    (webhook) =>
      `set clientConfig.caBundle of ${webhook} to the authority of its certificate, PEM in base64`,
  ],
  [
    /x509: certificate has expired or is not yet valid/,
    (webhook) => `renew the certificate of ${webhook}, and its caBundle if the authority is new`,
  ],
  [
    /x509: /,
    (webhook) =>
      `${webhook} needs a certificate for SERVICE.NAMESPACE.svc as an alternative name, signed by the authority in its caBundle`,
  ],
];

/** The remedy for a webhook that could not be called; undefined for another failure. */
function webhookRemedy(message: string): string | undefined {
  const found = WEBHOOK.exec(message);
  if (found === null) return undefined;
  const [, admission, converted = ''] = found;
  const webhook =
    admission === undefined
      ? `the conversion webhook of ${plainText(converted, 100)}`
      : `the webhook ${plainText(admission, 100)}`;
  const fault = WEBHOOK_FAULTS.find(([says]) => says.test(message));
  return fault?.[1](webhook) ?? `check the service of ${webhook}`;
}

/** The server begins so when it refuses a field of an applied object, with HTTP 500. */
const UNTYPED = /^failed to create typed patch object \([^)]*\): */;

/** HTTP 500. */
export function explainInternal({ words, status }: RefusedAnswer): Explanation {
  const problem = words === '' ? 'the server failed' : words;
  const { message }: { readonly message?: unknown } = status;
  // The words may be cut.
  const remedy = webhookRemedy(typeof message === 'string' ? message : words);
  if (remedy !== undefined) return { problem, remedy };
  if (UNTYPED.test(words)) {
    return { problem: words.replace(UNTYPED, ''), remedy: 'correct this field' };
  }
  if (/etcdserver|etcd/.test(words)) return { problem, remedy: 'check etcd' };
  return { problem, remedy: 'look into the log of the API server' };
}

/** Whether the API server could not reach the server behind an aggregated API. */
export function isAggregated({ status, words }: RefusedAnswer): boolean {
  return status.code === 503 && /^(service unavailable|error trying to reach service)/i.test(words);
}

/** HTTP 503 and 504 of an API server, also for the server of an aggregated API. */
export function explainUnavailable(answer: RefusedAnswer, call: ApiCall | undefined): Explanation {
  const { words } = answer;
  const { group = '', version = '' } = call ?? {};
  const problem = words === '' ? 'the server is not ready' : words;
  if (/too large resource version/i.test(words)) {
    return { problem, remedy: 'use a resourceVersion of this server, or leave it out' };
  }
  const remedy =
    isAggregated(answer) && group !== ''
      ? `look at kubectl get apiservice ${version}.${group}`
      : 'try again later';
  return { problem, remedy };
}

/** An answer that is no Status: of a proxy, a load balancer or another service. */
export function explainForeign({ status, words, html, sender }: RefusedAnswer): Explanation {
  const { code = 0 } = status;
  const from = sender === '' ? '' : ` from ${JSON.stringify(sender)}`;
  const said = words === '' ? '' : `: ${words}`;
  const problem = `${html ? 'an HTML page' : 'an answer'} with HTTP ${code}${from}, not from an API server${said}`;
  if (code === 502 || code === 503 || code === 504) {
    return { problem, remedy: 'check that the API server behind this proxy runs' };
  }
  return { problem, remedy: 'check the server address, and the proxy in front of it' };
}
