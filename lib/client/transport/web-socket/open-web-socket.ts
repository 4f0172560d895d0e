import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import { onAbort } from '../../../kernel/time/abort.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { MessageSocket, WebSocketOptions } from '../contract/message-socket.ts';
import { TransportError, type ExchangeTarget } from '../contract/transport-error.ts';
import { WsMessageSocket } from './ws-message-socket.ts';
import { wsPackage, type WsSocket } from './ws-package.ts';

export interface OpenWebSocket extends WebSocketOptions {
  readonly target: ExchangeTarget;
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** Ends the handshake, and later the socket. */
  readonly signal: AbortSignal;
  readonly runtime: Runtime;
  /** Called when the socket has ended. */
  readonly onClosed: () => void;
}

/** The result of a handshake: the socket, or the answer of a server that refused. */
export interface OpenedWebSocket {
  readonly response: IncomingMessage;
  readonly socket: MessageSocket | undefined;
}

/** A larger message ends the socket; bytes. Servers of Kubernetes send at most 32 KiB in one. */
const LARGEST_MESSAGE_BYTES = 1024 * 1024;

/**
 * One handshake.
 * @throws {TransportError} SUBPROTOCOL; the error of the connection; the signal's reason. {ListwatchError} MISSING_PEER.
 */
export function openWebSocket(options: OpenWebSocket): Promise<OpenedWebSocket> {
  const { target, agent, headers, protocols, signal } = options;
  const WebSocket = wsPackage();
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const ws = new WebSocket(target.server + target.path, protocols, {
      agent,
      headers,
      followRedirects: false,
      perMessageDeflate: false,
      skipUTF8Validation: true,
      maxPayload: LARGEST_MESSAGE_BYTES,
    });
    let answer: IncomingMessage | undefined;
    let failure: unknown;
    const release = onAbort(signal, () => {
      failure ??= signal.reason;
      ws.terminate();
    });
    ws.on('upgrade', (response) => {
      answer = response;
    });
    ws.on('open', () => {
      release();
      const socket = new WsMessageSocket(ws, options);
      resolve({ response: answer as IncomingMessage, socket });
    });
    ws.on('unexpected-response', (request, response) => {
      release();
      keepReadable(request, response, { ws, signal });
      resolve({ response, socket: undefined });
    });
    ws.on('error', (error) => {
      release();
      reject(failure ?? handshakeError(error, answer, options));
    });
  });
}

/** The answer is read by the caller. Errors of its connection reach the reader of its body as well. */
function keepReadable(
  request: ClientRequest,
  response: IncomingMessage,
  { ws, signal }: { readonly ws: WsSocket; readonly signal: AbortSignal },
): void {
  request.on('error', () => {});
  ws.on('error', () => {});
  response.once(
    'close',
    onAbort(signal, () => request.destroy()),
  );
}

/** After an answer 101 only the server can be wrong. */
function handshakeError(
  error: Error,
  answer: IncomingMessage | undefined,
  { target, protocols }: OpenWebSocket,
): unknown {
  if (answer === undefined) return error;
  if (/subprotocol/.test(error.message)) {
    const chosen = (answer.headers['sec-websocket-protocol'] ?? 'none').slice(0, 60);
    const problem =
      `the server chose the subprotocol ${JSON.stringify(chosen)}, but was offered ${protocols.join(', ')}; ` +
      'use a server of Kubernetes 1.30 or later, and check the proxies in front of it';
    return new TransportError('SUBPROTOCOL', target, problem);
  }
  const problem = `the server broke the WebSocket handshake: ${error.message}; check the proxies in front of it`;
  return new TransportError('MALFORMED_RESPONSE', target, problem);
}
