import { deriveAbort } from '../../../../kernel/time/abort.ts';
import { isListwatchError } from '../../../../kernel/failure/errors.ts';
import type { Logger } from '../../../../kernel/report/logger.ts';
import type { Runtime } from '../../../../kernel/time/runtime.ts';
import type { ApiCall, FailedRequest } from '../../../../meta/api-call.ts';
import { isNotFound } from '../../../../meta/failure/failures.ts';
import type { KubernetesObject } from '../../../../meta/object.ts';
import type { MessageSocket } from '../../../transport/contract/message-socket.ts';
import type { ResponseBody } from '../../../transport/contract/transport.ts';
import type { CallOptions } from '../../request/resource-options.ts';
import type { RestRequest } from '../../request/rest-client.ts';
import type { ResourceRequests } from '../../request/resource-requests.ts';
import { explainPodFailure, hasEnded, type FoundPod } from './explain-pod-failure.ts';
import { PodStreamError } from './pod-stream-error.ts';
import type { PodFields } from './pod-state.ts';

/** One stream of one pod. */
export interface PodCall {
  readonly name: string;
  readonly subresource: 'log' | 'exec' | 'attach' | 'portforward';
  readonly query: URLSearchParams;
  readonly container?: string | undefined;
  readonly options: CallOptions;
}

export interface SocketNeeds {
  readonly protocols: readonly string[];
  readonly deadPeerMs: number;
}

/** A log that has begun to arrive. */
export interface OpenedLog {
  readonly body: ResponseBody;
  /** The time of the answer by the clock of the server, whole seconds as milliseconds since 1970; undefined when it names none. */
  readonly serverMs: number | undefined;
}

/** How long a look at the pod may take that explains a failure, milliseconds. */
const LOOK_MS = 2000;

/** The requests for streams of pods, and the errors that say what is wrong with a pod. */
export class PodRequests {
  readonly #requests: ResourceRequests<KubernetesObject>;

  constructor(requests: ResourceRequests<KubernetesObject>) {
    this.#requests = requests;
  }

  get runtime(): Runtime {
    return this.#requests.rest.runtime;
  }

  get logger(): Logger {
    return this.#requests.rest.logger;
  }

  /** The names in the messages of errors. */
  request(call: PodCall): FailedRequest {
    const { needs: _, ...known } = this.#apiCall(call);
    const { rest } = this.#requests;
    return { ...known, method: 'GET', server: rest.server, path: this.#path(call) };
  }

  /** @throws {PodStreamError}, {ApiError}, {TransportError}, {ListwatchError} code MISSING_PEER or INVALID_OPTION. */
  async open(call: PodCall, webSocket: SocketNeeds): Promise<MessageSocket> {
    const path = `${this.#path(call)}?${call.query.toString()}`;
    const { signal } = call.options;
    const { rest } = this.#requests;
    const request = { method: 'GET', path, call: this.#apiCall(call), signal, webSocket } as const;
    try {
      return await rest.webSocket(request);
    } catch (error) {
      throw await this.explain(error, call);
    }
  }

  /** A log that has an end. @throws {TransportError} code RESPONSE_TOO_LARGE. */
  async wholeLog(call: PodCall): Promise<Buffer> {
    try {
      return await this.#requests.rest.bytes(this.#logRequest(call));
    } catch (error) {
      throw await this.explain(error, call);
    }
  }

  /** The log, as a look beside one that is followed: sent once, and its failure is not explained. */
  async lastOfLog(call: PodCall): Promise<string> {
    const request = { ...this.#logRequest(call), resend: false };
    return (await this.#requests.rest.bytes(request)).toString('utf8');
  }

  /** A log that is followed. A broken connection is left to its reader. */
  async followedLog(call: PodCall): Promise<OpenedLog> {
    try {
      const request = { ...this.#logRequest(call), resend: false };
      const { body, headers } = await this.#requests.rest.stream(request);
      const serverMs = Date.parse(headers['date'] ?? '');
      return { body, serverMs: Number.isNaN(serverMs) ? undefined : serverMs };
    } catch (error) {
      throw await this.explain(error, call);
    }
  }

  /** Looks at the pod for the cause of a failure. Aborted streams are not explained. */
  async explain(error: unknown, call: PodCall): Promise<unknown> {
    if (call.options.signal?.aborted === true) return error;
    const { container } = call;
    const request = this.request(call);
    return await explainPodFailure({ error, request, container, look: () => this.#look(call) });
  }

  /**
   * Refuses a pod that does not exist, or has ended. A pod that may not be read passes.
   * @throws {PodStreamError} code POD_NOT_RUNNING; {ApiError} code NOT_FOUND; as `get` does without an answer.
   */
  async checkRuns(name: string, options: CallOptions): Promise<void> {
    const { namespace, signal } = options;
    const query = new URLSearchParams();
    const call = {
      name,
      subresource: 'portforward',
      query,
      options: { namespace, signal },
    } as const;
    let pod: PodFields;
    try {
      pod = await this.#pod(call, signal);
    } catch (error) {
      if (isListwatchError(error, 'FORBIDDEN')) return;
      throw error;
    }
    const failure = hasEnded(pod);
    if (failure !== undefined) throw new PodStreamError(failure, this.request(call));
  }

  async #pod({ name, options }: PodCall, signal: AbortSignal | undefined): Promise<PodFields> {
    const path = this.#requests.path(options, { name });
    const call = this.#requests.call('get', options, { name });
    return await this.#requests.rest.json<PodFields>({ method: 'GET', path, call, signal });
  }

  async #look(call: PodCall): Promise<FoundPod> {
    using abort = deriveAbort(call.options.signal);
    const timer = this.runtime.setTimer(LOOK_MS, () => abort.abort());
    try {
      return await this.#pod(call, abort.signal);
    } catch (error) {
      return isNotFound(error) ? 'gone' : 'unknown';
    } finally {
      timer.cancel();
    }
  }

  #logRequest(call: PodCall): RestRequest {
    const query = call.query.toString();
    const path = this.#path(call) + (query === '' ? '' : `?${query}`);
    const { signal } = call.options;
    // The log is text, and a refusal JSON.
    const accept = 'application/json, */*';
    return { method: 'GET', path, call: this.#apiCall(call), signal, accept };
  }

  #path({ name, subresource, options }: PodCall): string {
    return this.#requests.path(options, { name, subresource });
  }

  #apiCall({ name, subresource, options }: PodCall): ApiCall {
    const call = this.#requests.call('get', options, { name, subresource });
    // A right to read is not enough for what changes a pod. @see kube-apiserver 1.35, KEP-4006.
    return subresource === 'log' ? call : { ...call, needs: ['get', 'create'] };
  }
}
