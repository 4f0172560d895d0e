import { badRequest } from '../../../meta/failure/failures.ts';
import type {
  ChannelUpgrade,
  ConnectAnswer,
  ConnectRequest,
} from '../../registry/contract/rest-storage.ts';

export interface ChannelAnswerOptions {
  readonly request: ConnectRequest;
  /** The subprotocols that are served, the best first. */
  readonly protocols: readonly string[];
  /** Reads the options of the request, which count only for an upgrade. @throws {ApiError} 400. */
  readonly prepare: () => ChannelUpgrade['run'];
}

/** The subprotocols of channels: a client of the fifth version ends its input with a message. */
export const CHANNELS_V4 = 'v4.channel.k8s.io';
export const CHANNELS_V5 = 'v5.channel.k8s.io';

/**
 * Switches to a WebSocket of channels. A client that offers no known subprotocol gets 403 without a body, as from a kubelet.
 * @throws {ApiError} 400 for a request that is no upgrade to a WebSocket.
 */
export function channelAnswer({
  request,
  protocols,
  prepare,
}: ChannelAnswerOptions): ConnectAnswer {
  const { upgrade = '', connection = '', ...headers } = request.headers;
  if (upgrade.toLowerCase() !== 'websocket' || !/\bupgrade\b/i.test(connection)) {
    throw badRequest('Upgrade request required');
  }
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim());
  const protocol = protocols.find((one) => offered.includes(one));
  const body = new Uint8Array();
  if (protocol === undefined) return { status: 403, headers: {}, body };
  const channels = { protocol, halfClose: protocol === CHANNELS_V5, run: prepare() };
  return { status: 101, headers: {}, body, channels };
}

export function bytesOf(data: Uint8Array | string): Uint8Array {
  return typeof data === 'string' ? Buffer.from(data) : data;
}
