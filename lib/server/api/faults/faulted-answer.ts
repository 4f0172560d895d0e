import type { Runtime } from '../../../kernel/time/runtime.ts';
import { failure, type ApiError } from '../../../meta/failure/api-error.ts';
import { expired } from '../../../meta/failure/failures.ts';
import { reasonRow } from '../../../meta/failure/status-reason.ts';
import type { ApiRequest, ApiResponse } from '../../http/api-request.ts';
import { encodeText } from '../../http/responses/api-response.ts';
import { ConnectionReset } from '../../http/connection-reset.ts';
import { lengthPrefixedEnd, lineEnd, type FrameEnd } from './event-frames.ts';
import type { ActiveFault } from './active-fault.ts';
import type { AfterEvents, FaultAnswer } from './fault-rule.ts';
import { FaultyBody, type BodyCut } from './faulty-body.ts';

/** The Status of an answer. */
export function faultStatus({ status, retryAfterSeconds, message }: FaultAnswer): ApiError {
  const reason = reasonRow(undefined, status)?.reason ?? '';
  return failure(reason, message ?? `a fault answers ${status}`, {
    code: status,
    details: retryAfterSeconds === undefined ? undefined : { retryAfterSeconds },
  });
}

/** The answer with the effects of a fault on its body. */
export function changedAnswer(
  response: ApiResponse,
  fault: ActiveFault,
  { signal }: ApiRequest,
  runtime: Runtime,
): ApiResponse {
  const { reset, holdEventsMs = 0 } = fault.rule;
  if (typeof reset === 'object' && 'handled' in reset) {
    leave(response);
    fault.strike();
    throw new ConnectionReset();
  }
  const isWatch = response.isWatch === true;
  const holdMs = isWatch ? holdEventsMs : 0;
  if (holdMs > 0) fault.strike();
  const cut = cutOf(fault, response, isWatch);
  if (cut === undefined && holdMs === 0) return response;
  const { 'content-length': _, ...headers } = response.headers;
  return {
    ...response,
    headers,
    body: new FaultyBody({ body: streamOf(response.body), cut, holdMs, runtime, signal }),
  };
}

function cutOf(fault: ActiveFault, response: ApiResponse, isWatch: boolean): BodyCut | undefined {
  const { reset, expire, end, silence } = fault.rule;
  const strike = (): never => {
    fault.strike();
    throw new ConnectionReset('a fault reset the connection within the answer');
  };
  if (typeof reset === 'object' && 'afterBytes' in reset) {
    return { after: reset.afterBytes, frameEnd: undefined, strike };
  }
  if (!isWatch) return undefined;
  const isJson = String(response.headers['content-type']).includes('json');
  const frameEnd: FrameEnd = isJson ? lineEnd : lengthPrefixedEnd;
  if (typeof reset === 'object' && 'afterEvents' in reset) {
    return { after: reset.afterEvents, frameEnd, strike };
  }
  const struck = (last: Uint8Array | 'end' | 'silence'): BodyCut['strike'] => {
    return () => {
      fault.strike();
      return last;
    };
  };
  if (expire !== undefined) {
    return { after: placeOf(expire), frameEnd, strike: struck(isJson ? expiredFrame() : 'end') };
  }
  if (end !== undefined) return { after: placeOf(end), frameEnd, strike: struck('end') };
  if (silence === undefined) return undefined;
  return { after: placeOf(silence), frameEnd, strike: struck('silence') };
}

function placeOf(place: true | AfterEvents): number {
  return place === true ? 0 : place.afterEvents;
}

function expiredFrame(): Uint8Array {
  const { status } = expired('too old resource version: a fault says so');
  return encodeText(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);
}

function streamOf(body: ApiResponse['body']): AsyncIterable<Uint8Array> {
  return body instanceof Uint8Array ? onePiece(body) : body;
}

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array, undefined> {
  yield bytes;
}

/** Ends a body that is not sent. */
function leave({ body }: ApiResponse): void {
  if (body instanceof Uint8Array) return;
  body[Symbol.asyncIterator]()
    .return?.()
    .catch(() => {});
}
