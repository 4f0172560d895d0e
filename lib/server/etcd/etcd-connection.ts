import type * as Grpc from '@grpc/grpc-js';
import type { ChannelCredentials, Client, ClientDuplexStream } from '@grpc/grpc-js';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { sleep } from '../../kernel/time/wait.ts';
import { failureOf, isTooMuch, refused, unavailable, type EtcdOutcome } from './etcd-error.ts';
import type { EtcdEndpoint, ResolvedEtcdOptions } from './etcd-options.ts';
import { UnaryChannel, type UnaryCall } from './unary-channel.ts';
import { AUTHENTICATE, type Login, type Procedure } from './procedures.ts';
import { loadPeer } from '../../kernel/options/optional-peer.ts';

const NAME = '@grpc/grpc-js';
let loaded: typeof Grpc | undefined;

/** gRPC for Node, loaded at the first call. @throws {ListwatchError} MISSING_PEER. */
function grpc(): typeof Grpc {
  return (loaded ??= loadPeer(NAME, NAME, 'EtcdKeyValueStore') as typeof Grpc);
}

/** Interval of keepalive pings on an idle connection; etcd refuses more than one in 5 s. */
const KEEPALIVE_MS = 10_000;
const KEEPALIVE_TIMEOUT_MS = 5_000;
/** Sends calls to a member. */
type Channel = Pick<UnaryChannel, 'call' | 'destroy'>;

/** Pause between two rounds through all members. */
const ROUND_DELAY_MS = 100;

/** Smaller requests, for a procedure whose answer may be too much for a member. */
export interface SmallerRequests<Request> {
  /** Called when a member did not answer in time, or with too much. Undefined: the request is as small as it can be. */
  next(): Request | undefined;
  /** The hint for the caller when the last of them was too large, too. */
  explain(): string;
}

export interface EtcdCallOptions<Request = never> {
  /** The name of the call, for messages. */
  readonly what: string;
  /** Whether the call may be sent again when it is not known whether it was carried out; true for reads. */
  readonly repeatable: boolean;
  /** Left out: the same request is sent again. */
  readonly smaller?: SmallerRequests<Request> | undefined;
}

/** A stream, and what it was opened with. */
export interface OpenedStream<Request, Response> {
  readonly member: number;
  /** Undefined if the cluster requires none. */
  readonly token: Promise<string> | undefined;
  readonly stream: ClientDuplexStream<Request, Response>;
}

/**
 * Calls the members of a cluster, one after the other until one responds.
 *
 * Guarantees:
 * - A write is sent to another member only if the first one cannot have received it; otherwise the error has `outcome: 'unknown'`.
 * - A call takes at most `requestTimeoutMs`. The error names the members that were called and the last response.
 * - Credentials are sent to the members only, and appear in no message.
 */
export class EtcdConnection {
  readonly options: ResolvedEtcdOptions;
  /** For calls, by member. */
  readonly #channels: readonly Channel[];
  /** For streams, by member. */
  readonly #clients: readonly Client[];
  readonly #underWay = new Set<UnaryCall>();
  #present = 0;
  #token: Promise<string> | undefined;
  #closed = false;

  constructor(
    options: ResolvedEtcdOptions,
    channelTo: (endpoint: EtcdEndpoint) => Channel = (endpoint) =>
      new UnaryChannel(endpoint, options),
  ) {
    this.options = options;
    this.#channels = options.endpoints.map(channelTo);
    this.#clients = options.endpoints.map((endpoint) => makeClient(endpoint, options));
  }

  get addresses(): readonly string[] {
    return this.options.endpoints.map(({ address }) => address);
  }

  /** Sends a request to the members in turn until one of them responds. */
  async call<Request, Response>(
    procedure: Procedure<Request, Response>,
    request: Request,
    call: EtcdCallOptions<Request>,
  ): Promise<Response> {
    const { runtime, requestTimeoutMs, credentials: login } = this.options;
    const giveUpAtMs = runtime.monotonicMs() + requestTimeoutMs;
    let outcome: EtcdOutcome = 'none';
    let sent = request;
    for (let attempt = 1; ; attempt += 1) {
      this.checkOpen();
      const member = this.#present;
      const token = this.#tokenOf(member);
      let isLoggedIn = false;
      try {
        await token;
        isLoggedIn = true;
        return await this.#send(member, procedure, sent, token, giveUpAtMs);
      } catch (error) {
        this.checkOpen();
        const failure = failureOf(error);
        const isMuch = isLoggedIn && isTooMuch(error);
        const smaller = isMuch ? call.smaller?.next() : undefined;
        if (failure.kind === 'refused' && smaller === undefined) {
          throw refused(call.what, failure.code, error);
        }
        sent = smaller ?? sent;
        if (failure.kind === 'token' && login !== undefined) this.#forget(token);
        else if (failure.kind !== 'refused') this.#moveFrom(member);
        if (failure.kind === 'lost' && isLoggedIn) outcome = 'unknown';
        const over = runtime.monotonicMs() + ROUND_DELAY_MS >= giveUpAtMs;
        if (over || (outcome === 'unknown' && !call.repeatable)) {
          const left = call.repeatable ? 'none' : outcome;
          const more = isMuch ? call.smaller?.explain() : undefined;
          throw unavailable(call.what, this.addresses, left, error, more);
        }
        if (attempt % this.#clients.length === 0) await sleep(runtime, ROUND_DELAY_MS);
      }
    }
  }

  /** Sends a request to one member, and logs in there: whether it responds must not depend on another member. */
  async callMember<Request, Response>(
    member: number,
    procedure: Procedure<Request, Response>,
    request: Request,
  ): Promise<Response> {
    const { runtime, requestTimeoutMs, credentials: login } = this.options;
    const giveUpAtMs = runtime.monotonicMs() + requestTimeoutMs;
    const token = login && this.#logIn(member, login);
    const response = await this.#send(member, procedure, request, token, giveUpAtMs);
    this.#token ??= token;
    return response;
  }

  /** Opens a stream to the present member. */
  async openStream<Request, Response>(
    procedure: Procedure<Request, Response>,
  ): Promise<OpenedStream<Request, Response>> {
    this.checkOpen();
    const member = this.#present;
    const token = this.#tokenOf(member);
    const metadata = new (grpc().Metadata)();
    try {
      const text = await token;
      if (text !== undefined) metadata.set('token', text);
    } catch (error) {
      this.moveFrom({ member, token }, error);
      throw error;
    }
    this.checkOpen();
    // With this, a member that loses its leader ends its watches instead of sending nothing.
    metadata.set('hasleader', 'true');
    const { path, serialize, deserialize } = procedure;
    const client = this.#clients[member] as Client;
    const stream = client.makeBidiStreamRequest(path, serialize, deserialize, metadata);
    return { member, token, stream };
  }

  /** Reports a fault of a member: the next call goes to another one. */
  moveFrom(
    { member, token }: Pick<OpenedStream<never, never>, 'member' | 'token'>,
    error: unknown,
  ): void {
    if (failureOf(error).kind === 'token') this.#forget(token);
    this.#moveFrom(member);
  }

  destroy(): void {
    this.#closed = true;
    for (const call of this.#underWay) call.cancel();
    for (const channel of this.#channels) channel.destroy();
    for (const client of this.#clients) client.close();
  }

  /** @throws {ListwatchError} CLOSED. */
  checkOpen(): void {
    if (this.#closed) throw new ListwatchError('CLOSED', 'the connection to etcd is closed');
  }

  #moveFrom(member: number): void {
    if (this.#present === member) this.#present = (member + 1) % this.#clients.length;
  }

  async #send<Request, Response>(
    member: number,
    { path, serialize, deserialize }: Procedure<Request, Response>,
    request: Request,
    token: Promise<string> | undefined,
    giveUpAtMs: number,
  ): Promise<Response> {
    const { runtime, memberTimeoutMs } = this.options;
    const text = await token;
    // A channel that was destroyed meanwhile would connect again.
    this.checkOpen();
    const channel = this.#channels[member] as Channel;
    const call = channel.call({ path, message: serialize(request), token: text });
    const leftMs = giveUpAtMs - runtime.monotonicMs();
    const timer = runtime.setTimer(Math.max(1, Math.min(leftMs, memberTimeoutMs)), () => {
      call.cancel();
    });
    this.#underWay.add(call);
    try {
      return deserialize(await call.answer);
    } finally {
      timer.cancel();
      this.#underWay.delete(call);
    }
  }

  /** Undefined if the cluster requires none. A login that fails is forgotten. */
  #tokenOf(member: number): Promise<string> | undefined {
    const { credentials: login } = this.options;
    if (login === undefined || this.#token !== undefined) return this.#token;
    const token = this.#logIn(member, login);
    this.#token = token;
    token.catch(() => {
      this.#forget(token);
    });
    return token;
  }

  /** Drops a token that does not hold, unless a later login has replaced it. */
  #forget(token: Promise<string> | undefined): void {
    if (this.#token === token) this.#token = undefined;
  }

  async #logIn(member: number, login: Login): Promise<string> {
    const { runtime, memberTimeoutMs } = this.options;
    const giveUpAtMs = runtime.monotonicMs() + memberTimeoutMs;
    return await this.#send(member, AUTHENTICATE, login, undefined, giveUpAtMs);
  }
}

function makeClient(endpoint: EtcdEndpoint, options: ResolvedEtcdOptions): Client {
  const { tls, maxResponseBytes } = options;
  const serverName = tls?.serverName;
  const { Client } = grpc();
  return new Client(endpoint.address, channelCredentials(endpoint, options), {
    'grpc.keepalive_time_ms': KEEPALIVE_MS,
    'grpc.keepalive_timeout_ms': KEEPALIVE_TIMEOUT_MS,
    'grpc.keepalive_permit_without_calls': 0,
    'grpc.max_receive_message_length': maxResponseBytes,
    'grpc.max_send_message_length': -1,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 2_000,
    // Each client has its own connections; the process does not share them.
    'grpc.use_local_subchannel_pool': 1,
    ...(serverName === undefined ? {} : { 'grpc.ssl_target_name_override': serverName }),
  });
}

function channelCredentials(
  { secure }: EtcdEndpoint,
  { tls }: ResolvedEtcdOptions,
): ChannelCredentials {
  const { credentials } = grpc();
  if (!secure) return credentials.createInsecure();
  const pem = (text: string | undefined): Buffer | null =>
    text === undefined ? null : Buffer.from(text);
  try {
    return credentials.createSsl(pem(tls?.ca), pem(tls?.key), pem(tls?.cert));
  } catch (error) {
    throw new ListwatchError(
      'INVALID_OPTION',
      'EtcdKeyValueStore: option "tls" contains no usable PEM; cert and key must be given together',
      { cause: error },
    );
  }
}
