import type { Socket } from 'node:net';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { ApiRequest, ApiResponse } from '../../http/api-request.ts';
import { PROTOBUF_TYPE } from '../../http/media/media-type.ts';
import { ChannelSocket } from '../websocket/channel-socket.ts';
import { acceptHandshake, answerHandshake } from '../websocket/handshake.ts';
import { WebSocketWatch } from '../websocket/web-socket-watch.ts';
import { plainAnswer } from './final-answers.ts';

export interface WebSocketAnswer {
  readonly answer: ApiResponse;
  readonly socket: Socket;
  /** Bytes that the client has sent after its handshake already. */
  readonly head: Uint8Array;
  /** Those of the request. */
  readonly headers: ApiRequest['headers'];
  readonly runtime: Runtime;
  readonly stuckTimeoutMs: number;
  readonly closeTimeoutMs: number;
  /** Called with the status of a refused handshake. */
  readonly onRefused: (status: number) => void;
  /** Called after the handshake, with the function that ends the connection. */
  readonly onOpen: (end: () => void) => void;
}

/**
 * Sends an answer to a request for a WebSocket: as plain HTTP if there is nothing to continue, otherwise the handshake and what
 * follows. After a rejection the socket has to be destroyed.
 */
export async function sendOverWebSocket(exchange: WebSocketAnswer): Promise<void> {
  const { answer, socket, headers, onRefused, onOpen } = exchange;
  const { channels, body } = answer;
  if (answer.isWatch !== true && channels === undefined) {
    socket.end(plainAnswer(answer), () => socket.destroy());
    return;
  }
  const { status, text } =
    channels === undefined ? answerHandshake(headers) : acceptHandshake(headers, channels.protocol);
  if (status !== 101) {
    onRefused(status);
    if (Symbol.asyncIterator in body) await body[Symbol.asyncIterator]().return?.();
    socket.end(text, () => socket.destroy());
    return;
  }
  socket.write(text);
  if (channels === undefined) {
    const isBinary = String(answer.headers['content-type']).startsWith(PROTOBUF_TYPE);
    const watch = new WebSocketWatch({ ...exchange, body, isBinary });
    onOpen(() => {
      watch.end();
    });
    await watch.send();
    return;
  }
  const connection = new ChannelSocket(exchange);
  onOpen(() => {
    connection.end();
  });
  await connection.serve(channels);
}
