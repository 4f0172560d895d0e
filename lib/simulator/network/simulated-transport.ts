import { onAbort } from '../../kernel/time/abort.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { connectionFailure } from '../../client/transport/connection/connection-failure.ts';
import type {
  Transport,
  TransportRequest,
  TransportResponse,
} from '../../client/transport/contract/transport.ts';
import type { ApiHandler, ApiResponse } from '../../server/http/api-request.ts';
import { ConnectionReset } from '../../server/http/connection-reset.ts';
import { joinedHeaders, piecesOf } from '../../client/transport/in-process/plain-answer.ts';
import type { IncarnationRuntime } from './incarnation-runtime.ts';
import type { Journal } from '../record/journal.ts';
import type { ProcessLink, RequestFault } from './process-link.ts';
import { requestFacts, type RequestFacts } from './request-facts.ts';
import {
  reversedList,
  staleRequest,
  statusAnswer,
  withoutStreamingLists,
} from './simulated-answers.ts';
import { DeliveredWatch } from './delivered-watch.ts';
import type { Latency } from './latency.ts';

/** Events around requests, reported to the run. */
export interface NetworkEvents {
  /** A request reaches the server: what it commits in this step is written by `actor`. */
  arrives(actor: string, facts: RequestFacts): void;
  /** A request was answered, or failed: `status` is 0 without an answer. */
  answered(actor: string, facts: RequestFacts, status: number): void;
  /** Whether the server has a resource that it is asked for. If not, the run ends here, and the request has no answer. */
  serves(fullName: string): boolean;
  /** The answer to a request that is of no resource, where it does not depend on this run. */
  document(url: string, accept: string): Promise<ApiResponse> | undefined;
  /** A list of a process is answered with the state of a past revision. */
  readsPast(actor: string): void;
  /** A fault happens. */
  strikes(fault: RequestFault): void;
  /** Events of a watch, or a list, reach a process. */
  delivered(actor: string, resource: string, piece: Uint8Array): void;
}

export interface SimulatedTransportOptions {
  readonly actor: string;
  readonly world: Runtime;
  readonly process: IncarnationRuntime;
  readonly handler: ApiHandler;
  readonly link: ProcessLink;
  readonly latency: Latency;
  readonly journal: Journal;
  readonly events: NetworkEvents;
  /** Ends this incarnation. */
  readonly crash: (reason: string) => void;
  /** Numbers the exchanges of the run. */
  readonly nextId: () => number;
}

const NO_BODY = new Uint8Array();
/** How long a request waits for a server that cannot be reached. */
const UNREACHABLE_MS = 1000;

/** The network between one incarnation and the server: latencies, faults, and the end at a crash. */
export class SimulatedTransport implements Transport {
  readonly server = 'http://simulated';
  readonly #options: SimulatedTransportOptions;
  /** Ends the exchanges at the server. */
  readonly #running: Running = { exchanges: new Set(), requests: 0 };
  #closed = false;

  constructor(options: SimulatedTransportOptions) {
    this.#options = options;
  }

  /** Requests under way, without watches. */
  get inFlight(): number {
    return this.#running.requests;
  }

  send(request: TransportRequest): Promise<TransportResponse> {
    if (this.#closed) return Promise.reject(this.#closedError());
    if (request.signal?.aborted === true) return Promise.reject(request.signal.reason as Error);
    return new Promise((resolve, reject) => {
      new Exchange(this.#options, this.#running, request, resolve, reject).begin();
    });
  }

  close(): Promise<void> {
    this.#closed = true;
    this.disconnect();
    return Promise.resolve();
  }

  /** The server learns that the client is gone. */
  disconnect(): void {
    for (const exchange of this.#running.exchanges) exchange.abort(this.#closedError());
    this.#running.exchanges.clear();
  }

  #closedError(): ListwatchError {
    return new ListwatchError('CLOSED', `the connection to ${this.server} was closed by its owner`);
  }
}

/** A request in flight. */
interface Running {
  readonly exchanges: Set<AbortController>;
  requests: number;
}

/** One request from its sending to its answer. */
class Exchange {
  readonly #options: SimulatedTransportOptions;
  readonly #running: Running;
  readonly #request: TransportRequest;
  readonly #resolve: (response: TransportResponse) => void;
  readonly #reject: (error: unknown) => void;
  readonly #facts: RequestFacts;
  readonly #id: number;
  readonly #server = new AbortController();
  #release: () => void = () => {};
  #settled = false;
  #faults: readonly RequestFault[] = [];

  constructor(
    options: SimulatedTransportOptions,
    running: Running,
    request: TransportRequest,
    resolve: (response: TransportResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.#options = options;
    this.#running = running;
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#facts = requestFacts(request.method, request.path, request.body);
    this.#id = options.nextId();
  }

  get #isWatch(): boolean {
    return this.#facts.verb === 'watch';
  }

  /** A create with a name that the server draws makes another object each time: no client and no proxy sends it twice by itself. */
  get #isRepeated(): boolean {
    const { verb, object } = this.#facts;
    const drawsName = verb === 'create' && (object === '' || object.endsWith('/'));
    return !drawsName && this.#faults.some(({ kind }) => kind === 'repeat');
  }

  begin(): void {
    const { link, events, journal, actor, world, latency, process, crash } = this.#options;
    journal.exchange(actor, 'request', this.#id, this.#text());
    this.#faults = link.faultsAt(this.#facts);
    if (!this.#isWatch) this.#running.requests += 1;
    for (const fault of this.#faults) {
      events.strikes(fault);
      if (fault.kind === 'crash' && fault.moment === 'before') {
        this.#settle();
        crash(`before ${this.#text()}`);
        return;
      }
      if (fault.kind === 'pause') process.stop(fault.forMs);
    }
    this.#running.exchanges.add(this.#server);
    this.#release = onAbort(this.#request.signal, () => {
      this.#server.abort(this.#request.signal?.reason);
      this.#fail(this.#request.signal?.reason);
    });
    try {
      this.#request.admit?.();
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (link.partitioned) {
      world.setTimer(UNREACHABLE_MS, () => this.#fail(this.#broken('the network is down')));
      return;
    }
    world.setTimer(latency.request(), () => {
      this.#arrive();
    });
  }

  #text(): string {
    const { verb, resource, object } = this.#facts;
    if (verb === 'other') return `${this.#request.method} ${this.#request.path}`;
    return `${verb} ${resource}${object === '' ? '' : ` ${object}`}`;
  }

  #arrive(): void {
    if (this.#settled) return;
    const refusal = this.#refusal();
    if (refusal === 'lost') {
      this.#fail(this.#broken('the connection was reset before the request arrived'));
    } else if (refusal === undefined) {
      this.#handle(this.#isRepeated ? 2 : 1);
    } else {
      this.#answer(refusal);
    }
  }

  /** An answer in place of that of the server. */
  #refusal(): ApiResponse | 'lost' | undefined {
    for (const fault of this.#faults) {
      if (fault.kind === 'lost' && !fault.handled) return 'lost';
      if (fault.kind === 'error' && !fault.handled) return errorAnswer(fault.status);
    }
    const { link } = this.#options;
    const { resource } = this.#facts;
    const resumes = this.#isWatch && !this.#request.path.includes('sendInitialEvents=true');
    if (link.asksWebhook(this.#facts)) {
      const called = `failed calling webhook "${resource.split(/[./]/)[0]}.simulated.example.com"`;
      return statusAnswer(
        500,
        'InternalError',
        `Internal error occurred: ${called}: connection refused`,
      );
    }
    if (resumes && link.takeExpired(resource)) {
      return statusAnswer(410, 'Expired', 'too old resource version: the history is compacted');
    }
    return undefined;
  }

  #handle(times: number): void {
    const { handler, link, actor, events } = this.#options;
    const { method, headers, body } = this.#request;
    let url = this.#request.path;
    if (link.stale !== undefined) {
      const stale = staleRequest(this.#facts.verb, url, link.stale.revision);
      if (stale !== undefined && 'answer' in stale) {
        this.#answer(stale.answer);
        return;
      }
      if (stale !== undefined) {
        url = stale.url;
        events.readsPast(actor);
      }
    }
    const refused = link.reversesLists && this.#isWatch ? withoutStreamingLists(url) : undefined;
    if (refused !== undefined) {
      this.#answer(refused);
      return;
    }
    const [resource = ''] = this.#facts.resource.split('/');
    if (resource !== '' && !events.serves(resource)) return;
    events.arrives(actor, this.#facts);
    const isDocument = this.#facts.verb === 'other' && method === 'GET';
    const document = isDocument ? events.document(url, headers?.['accept'] ?? '') : undefined;
    const call =
      document ??
      handler({
        method,
        url,
        headers: { host: 'simulated', ...headers },
        body: body ?? NO_BODY,
        signal: this.#server.signal,
        // With it the server needs no signal of its own for its time limit.
        abort: (reason) => this.#server.abort(reason),
      });
    call.then(
      (response) => {
        if (times > 1) this.#handle(times - 1);
        else this.#handled(response);
      },
      (error: unknown) => this.#fail(this.#broken(error)),
    );
  }

  /** The server has done its work; what follows is the way back. */
  #handled(response: ApiResponse): void {
    if (this.#settled) return;
    for (const fault of this.#faults) {
      if (fault.kind === 'crash' && fault.moment === 'handled') {
        this.#settle();
        this.#options.crash(`after the server has handled ${this.#text()}`);
        return;
      }
      if (fault.kind === 'lost') {
        this.#fail(this.#broken('the connection was reset before the answer arrived'));
        return;
      }
      if (fault.kind === 'error') {
        this.#answer(errorAnswer(fault.status));
        return;
      }
    }
    this.#answer(response);
  }

  #answer(response: ApiResponse): void {
    if (response.body instanceof Uint8Array || response.isWatch === true) {
      this.#sendBack(response);
      return;
    }
    void collected(response.body).then(
      (body) => this.#sendBack({ ...response, body }),
      (error: unknown) => this.#fail(this.#broken(error)),
    );
  }

  #sendBack(response: ApiResponse): void {
    const { world, latency, process, link } = this.#options;
    const isReversed = link.reversesLists && this.#facts.verb === 'list';
    const answer = isReversed ? reversedList(response) : response;
    let delayMs = latency.request();
    for (const fault of this.#faults) if (fault.kind === 'slow') delayMs += fault.delayMs;
    world.setTimer(delayMs, () => process.deliver(() => this.#deliver(answer)));
  }

  #deliver(response: ApiResponse): void {
    if (this.#settled) return;
    const { journal, actor, events, crash } = this.#options;
    journal.exchange(actor, 'answer', this.#id, `${response.status}`);
    const dies = this.#faults.find((fault) => fault.kind === 'crash');
    if (dies?.moment === 'later') {
      const { process } = this.#options;
      process.atWakeUp(dies.wakeUp ?? 1, () => crash(`after the answer to ${this.#text()}`));
    } else if (dies !== undefined) {
      this.#settle();
      crash(`at the answer to ${this.#text()}`);
      return;
    }
    if (response.body instanceof Uint8Array) this.#settle();
    if (this.#facts.verb === 'list' && response.body instanceof Uint8Array) {
      events.delivered(actor, this.#facts.resource, response.body);
    }
    events.answered(actor, this.#facts, response.status);
    this.#resolve({
      status: response.status,
      headers: joinedHeaders(response.headers),
      body: this.#body(response),
    });
  }

  #body(response: ApiResponse): TransportResponse['body'] {
    if (response.body instanceof Uint8Array) return piecesOf(response.body);
    const { resource } = this.#facts;
    const { world, process, link, latency, events, actor } = this.#options;
    return new DeliveredWatch({
      resource,
      source: response.body[Symbol.asyncIterator](),
      world,
      process,
      link,
      latency,
      onPiece: (piece) => events.delivered(actor, resource, piece),
      onEnd: () => this.#settle(),
      broken: (reason) => this.#broken(reason),
      signal: this.#request.signal,
      abortServer: () => this.#server.abort(),
    });
  }

  #fail(error: unknown): void {
    if (this.#settled) return;
    const { process, journal, actor, events } = this.#options;
    this.#settle();
    process.deliver(() => {
      journal.exchange(actor, 'answer', this.#id, 'none');
      events.answered(actor, this.#facts, 0);
      this.#reject(error);
    });
  }

  #settle(): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#release();
    this.#running.exchanges.delete(this.#server);
    if (!this.#isWatch) this.#running.requests -= 1;
  }

  #broken(reason: unknown): Error {
    const error = typeof reason === 'string' ? new ConnectionReset(reason) : reason;
    return connectionFailure(error, { ...this.#request, server: 'http://simulated' });
  }
}

function errorAnswer(status: 409 | 429 | 500 | 504): ApiResponse {
  return statusAnswer(status, ERRORS[status], `simulated: ${ERRORS[status]}`);
}

const ERRORS = {
  409: 'Conflict',
  429: 'TooManyRequests',
  500: 'InternalError',
  504: 'Timeout',
} as const;

async function collected(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}
