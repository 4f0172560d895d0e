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

/** The server begins so when it refuses a field of an applied object, with HTTP 500. */
const UNTYPED = /^failed to create typed patch object \([^)]*\): */;

/** HTTP 500. */
export function explainInternal({ words }: RefusedAnswer): Explanation {
  const problem = words === '' ? 'the server failed' : words;
  const webhook = /failed calling webhook "([^"]+)"/.exec(words)?.[1];
  if (webhook !== undefined) {
    return { problem, remedy: `check the service of the webhook ${plainText(webhook, 100)}` };
  }
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
