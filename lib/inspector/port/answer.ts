import type { ServerResponse } from 'node:http';

/** The answer to a request. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  /** Pieces are written at the pace of the client. */
  readonly body: string | AsyncIterable<string>;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const TEXT = 'text/plain; charset=utf-8';

/** Headers of every answer of the inspector. */
const SAFE_HEADERS = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

export function textAnswer(status: number, text: string): Answer {
  return { status, contentType: TEXT, body: `${text}\n` };
}

export function jsonAnswer(value: unknown, status: number = 200): Answer {
  return { status, contentType: 'application/json', body: JSON.stringify(value) };
}

export function headersOf({ contentType, headers }: Answer): Record<string, string> {
  return {
    ...SAFE_HEADERS,
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'content-type': contentType,
    ...headers,
  };
}

/** Writes an answer. Awaits the client between pieces; a client that leaves ends it. */
export async function sendAnswer(
  response: ServerResponse,
  answer: Answer,
  method: string,
): Promise<void> {
  response.writeHead(answer.status, headersOf(answer));
  if (method === 'HEAD') {
    response.end();
    return;
  }
  if (typeof answer.body === 'string') {
    response.end(answer.body);
    return;
  }
  for await (const piece of answer.body) {
    if (response.destroyed) return;
    if (response.write(piece)) continue;
    await drained(response);
  }
  response.end();
}

/** Resolves when the client has read, or has left. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.once('drain', done);
    response.once('close', done);
  });
}
