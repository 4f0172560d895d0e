import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { deferred } from '../../kernel/time/latch.ts';
import { plainText } from '../../kernel/text/plain-text.ts';

export interface ProbeOptions {
  readonly url: string;
  readonly token?: string | undefined;
  readonly ca?: string | undefined;
}

const LONGEST_ANSWER = 300;
/** A server that accepts a connection and says nothing is asked again. */
const SILENCE_MS = 5_000;

/** Why a server does not answer with 200; undefined: it does. Never rejects. */
export async function probe({ url, token, ca }: ProbeOptions): Promise<string | undefined> {
  const { pathname } = new URL(url);
  const result = deferred<string | undefined>();
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const options = { agent: false, ca, headers, timeout: SILENCE_MS };
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  const sent = send(url, options, (response) => {
    let text = '';
    response.on('data', (chunk: Buffer) => {
      text = (text + chunk.toString()).slice(0, LONGEST_ANSWER * 10);
    });
    response.on('error', () => {
      result.resolve(`${pathname} broke off`);
    });
    response.on('end', () => {
      const { statusCode } = response;
      // The checks that failed say most.
      const failed = text.split('\n').filter((line) => line.startsWith('[-]'));
      const said = plainText(failed.length === 0 ? text : failed.join(' '), LONGEST_ANSWER);
      result.resolve(statusCode === 200 ? undefined : `${pathname} answers ${statusCode} ${said}`);
    });
  });
  sent.on('timeout', () => {
    sent.destroy(new Error(`it says nothing for ${SILENCE_MS / 1000} s`));
  });
  sent.on('error', (error) => {
    result.resolve(`${pathname} gives no answer: ${error.message}`);
  });
  sent.end();
  return await result.promise;
}
