import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import { loadPeer } from '../../../kernel/options/optional-peer.ts';

/** The part of a WebSocket of the package `ws` that is used here. */
export interface WsSocket {
  readonly protocol: string;
  readonly bufferedAmount: number;
  on(event: 'open', listener: () => void): this;
  on(event: 'message' | 'ping' | 'pong', listener: (data: Buffer) => void): this;
  on(event: 'close', listener: (code: number, reason: Buffer) => void): this;
  on(event: 'error', listener: (error: Error) => void): this;
  on(
    event: 'unexpected-response',
    listener: (request: ClientRequest, response: IncomingMessage) => void,
  ): this;
  on(event: 'upgrade', listener: (response: IncomingMessage) => void): this;
  send(data: Uint8Array, callback: (error?: Error) => void): void;
  ping(): void;
  pause(): void;
  resume(): void;
  close(code: number): void;
  terminate(): void;
}

export interface WsOptions {
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly followRedirects: false;
  readonly perMessageDeflate: false;
  /** Subprotocols and close reasons only; the payload of channels is binary. */
  readonly skipUTF8Validation: true;
  readonly maxPayload: number;
}

type WsConstructor = new (
  url: string,
  protocols: readonly string[],
  options: WsOptions,
) => WsSocket;

/** @throws {ListwatchError} MISSING_PEER, with the line that installs the package. */
export function wsPackage(): WsConstructor {
  const loaded = loadPeer('ws', 'ws', 'A stream of a pod over a WebSocket') as {
    readonly WebSocket: WsConstructor;
  };
  return loaded.WebSocket;
}
