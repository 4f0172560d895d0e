import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';

/** A server on a port that serves HTTP and TLS. */
export interface PortTarget {
  readonly host: string;
  readonly port: number;
  readonly token: string;
  /** The process, if it is known: its sockets are counted. */
  readonly pid?: number | undefined;
  /** @defaultValue true; kube-apiserver speaks TLS only */
  readonly plain?: boolean | undefined;
}

/** Begins a request as an ordinary client, over TLS. */
export async function ask(
  { host, port, token }: PortTarget,
  method: string,
  path: string,
  body?: object,
): Promise<IncomingMessage> {
  const text = body === undefined ? '' : JSON.stringify(body);
  return await new Promise((resolve, reject) => {
    request(
      {
        host,
        port,
        method,
        path,
        agent: false,
        // The authority of a server that was started for this is its own.
        rejectUnauthorized: false,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
        },
      },
      resolve,
    )
      .on('error', reject)
      .end(text);
  });
}

/** The whole answer; with its status if that is not 2xx. */
export async function answerOf(
  target: PortTarget,
  method: string,
  path: string,
  body?: object,
): Promise<string> {
  const response = await ask(target, method, path, body);
  response.setEncoding('utf8');
  let text = '';
  for await (const piece of response) text += piece as string;
  const status = response.statusCode ?? 0;
  return status >= 200 && status < 300 ? text : `${status} ${text}`;
}
