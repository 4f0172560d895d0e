import type { ApiCall } from '../../../meta/api-call.ts';
import type { Explanation } from './explanation.ts';
import type { RefusedAnswer } from './refused-answer.ts';

/** Remedies for requests that the server cannot read, by its words. */
const BAD_REQUESTS: readonly (readonly [RegExp, string])[] = [
  [
    /field label not supported|not a known field selector/,
    'select by labels, or by metadata.name and metadata.namespace',
  ],
  [/unable to parse requirement|invalid selector/, 'correct the selector'],
  [/does not match the namespace/, 'use the same namespace in the object and in the call'],
  [/does not match the name on the URL/, 'use the same name in the object and in the call'],
  [/does not match the expected API version/, 'set apiVersion of the object to that of the call'],
  [/unknown conversion|no kind "/, "use apiVersion and kind of the call's resource in the object"],
  [/cannot be handled as/, 'correct the type of the field'],
  [/unrecognized|json parse error|yaml/i, 'send an object with apiVersion and kind'],
  [/continue token|continue key/, 'list again without a continue token'],
  [/invalid resource version/i, 'use a resourceVersion that the server has returned'],
  [/HTTP request to an HTTPS server/i, 'use https:// in the server address'],
  [/certificate/i, 'give the client certificate that the proxy before the server requires'],
];

/** HTTP 400. */
export function explainBadRequest({ words }: RefusedAnswer): Explanation {
  // The server quotes the whole object, and says nothing about built-in kinds.
  if (words.includes("Object 'Kind' is missing")) {
    return {
      problem: 'the object has no kind',
      remedy: 'set apiVersion and kind in it; only objects of built-in kinds may leave them out',
    };
  }
  const problem = withoutBody(words);
  const remedy = BAD_REQUESTS.find(([pattern]) => pattern.test(words))?.[1];
  return {
    problem: problem === '' ? 'the server cannot read the request' : problem,
    remedy: remedy ?? 'correct the request as the server says',
  };
}

/** The server quotes a body that it cannot parse; it may be a Secret. */
export function withoutBody(words: string): string {
  return words.replace(/ \([[{"].*$/s, '');
}

/** HTTP 413. */
export function explainTooLarge({ words }: RefusedAnswer): Explanation {
  const said = words === '' ? '' : ` (${words})`;
  return {
    problem: `the object is larger than the server accepts${said}`,
    remedy: 'keep it below 1.5 MiB, and put large data elsewhere',
  };
}

/** HTTP 415. */
export function explainMediaType({ words }: RefusedAnswer, call: ApiCall | undefined): Explanation {
  const patch = call?.verb === 'patch';
  return {
    problem: words === '' ? 'the server does not take this Content-Type' : words,
    remedy: patch ? "use another patch type: 'merge' or 'json'" : 'send application/json',
  };
}

/** HTTP 406. */
export function explainNotAcceptable({ words }: RefusedAnswer): Explanation {
  return {
    problem: words === '' ? 'the server cannot answer in the format asked for' : words,
    remedy: 'ask for whole objects in JSON, without metadataOnly',
  };
}

/** HTTP 410. */
export function explainExpired({ words }: RefusedAnswer): Explanation {
  return {
    problem: words === '' ? 'the server no longer has this state' : words,
    remedy: 'list again, without resourceVersion and continue token',
  };
}
