import {
  request as httpRequest,
  type Agent,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** The `transport` of axios requests whose bytes leave only if `admit` allows it. */
export interface AdmittedRequests {
  request(options: RequestOptions, respond: (response: IncomingMessage) => void): ClientRequest;
  /** The error that `admit` has thrown. */
  readonly refusal: unknown;
}

/**
 * Asks `admit` in the last synchronous step before the bytes of a request are written: when the request gets a kept connection, or when
 * its new connection is made. A request waits for a connection in Node, and a process may be stopped meanwhile; its timers are late then,
 * and the connection is ready first.
 *
 * A refusal closes the connection.
 */
export function admittedRequests(agent: Agent, admit: () => void): AdmittedRequests {
  const secure = 'defaultPort' in agent && agent.defaultPort === 443;
  let refusal: unknown;
  const check = (request: ClientRequest): void => {
    try {
      admit();
    } catch (error) {
      refusal = error;
      request.destroy(error instanceof Error ? error : new Error('refused', { cause: error }));
    }
  };
  return {
    request: (options, respond) => {
      const request = secure ? httpsRequest(options, respond) : httpRequest(options, respond);
      request.once('socket', (socket) => {
        if (!isConnecting(socket)) check(request);
        // First of all listeners: another one writes what waits.
        else socket.prependOnceListener(secure ? 'secureConnect' : 'connect', () => check(request));
      });
      return request;
    },
    get refusal() {
      return refusal;
    },
  };
}

/** Whether bytes that are written now wait for the connection. */
function isConnecting(socket: Socket): boolean {
  return (
    socket.connecting || (socket as Partial<TLSSocket & SecureConnecting>).secureConnecting === true
  );
}

interface SecureConnecting {
  /** Of a TLS socket of Node until its handshake is done. */
  readonly secureConnecting: boolean;
}
