import { badRequest } from '../../../meta/failures.ts';
import { ListwatchError } from '../../../kernel/errors.ts';
import { rejectUnknownOptions } from '../../../kernel/options.ts';
import type { Runtime } from '../../../kernel/runtime.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import type { ContainerRequest, NodeConnector } from '../../registry/contract/node-connector.ts';
import type { ConnectAnswer } from '../../registry/contract/rest-storage.ts';
import { logBytes, logOptions, type PodLog, type PodLogLine } from './pod-log-bytes.ts';

/** Which containers handlers answer for. What is left out matches every one. */
export interface PodMatch {
  readonly namespace?: string | readonly string[] | undefined;
  /** The name of the pod. */
  readonly name?: string | readonly string[] | undefined;
  readonly container?: string | readonly string[] | undefined;
}

export interface PodLogRequest {
  readonly pod: UnstructuredObject;
  /** The container that was named, or the only one, or the default one of the pod. */
  readonly container: string;
  /** Whether the log of the container before its last restart is wanted. */
  readonly previous: boolean;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal | undefined;
}

/** What a test does in place of a node. */
export interface PodHandler {
  /**
   * What the container has printed: a text, its lines, or lines and those that follow. The server applies `tailLines`, `sinceTime`,
   * `timestamps` and the other options. Undefined: there is no such log, e.g. no previous one.
   */
  readonly log?:
    | ((
        request: PodLogRequest,
      ) =>
        | string
        | readonly PodLogLine[]
        | PodLog
        | undefined
        | Promise<string | readonly PodLogLine[] | PodLog | undefined>)
    | undefined;
}

interface Registration {
  readonly handler: PodHandler;
  readonly match: PodMatch;
}

/**
 * Answers of a test for pods, which no node runs: `server.pods.handle({ log: () => 'hello\n' })`.
 *
 * The handler that was added last and matches is asked. Without one, clients get what a cluster without that node answers.
 */
export class PodHandlers implements NodeConnector {
  readonly #runtime: Runtime;
  readonly #registrations: Registration[] = [];

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Adds a handler until the result is disposed of. @throws {ListwatchError} code INVALID_OPTION. */
  handle(handler: PodHandler, options: { readonly match?: PodMatch } = {}): Disposable {
    rejectUnknownOptions('pods.handle', handler, ['log']);
    rejectUnknownOptions('pods.handle', options, ['match']);
    const { match = {} } = options;
    rejectUnknownOptions('pods.handle: match', match, ['namespace', 'name', 'container']);
    if (typeof handler.log !== 'function') {
      throw new ListwatchError('INVALID_OPTION', 'pods.handle: give a function "log"');
    }
    const registration = { handler, match };
    this.#registrations.push(registration);
    return {
      [Symbol.dispose]: () => {
        const index = this.#registrations.indexOf(registration);
        if (index >= 0) this.#registrations.splice(index, 1);
      },
    };
  }

  connect(request: ContainerRequest): Promise<ConnectAnswer> | undefined {
    if (request.action !== 'log') return undefined;
    const found = this.#registrations.findLast(({ match }) => matches(match, request));
    return found === undefined ? undefined : this.#log(found.handler, request);
  }

  /** @throws {ApiError} 400 when there is no such log. */
  async #log(
    { log }: PodHandler,
    { pod, container, request, context }: ContainerRequest,
  ): Promise<ConnectAnswer> {
    const { query } = request;
    const options = logOptions(query);
    const { previous } = options;
    const content = await log?.({ pod, container, previous, signal: context.signal });
    if (content === undefined) {
      const name = pod.metadata?.name ?? '';
      throw badRequest(
        previous
          ? `previous terminated container ${JSON.stringify(container)} in pod ${JSON.stringify(name)} not found`
          : `container ${JSON.stringify(container)} in pod ${JSON.stringify(name)} is waiting to start: ContainerCreating`,
      );
    }
    const body = logBytes(content, options, this.#runtime);
    return { status: 200, headers: { 'content-type': 'text/plain' }, body };
  }
}

function matches(match: PodMatch, { pod, container }: ContainerRequest): boolean {
  const { name = '', namespace = '' } = pod.metadata ?? {};
  const pairs: readonly (readonly [string | readonly string[] | undefined, string])[] = [
    [match.namespace, namespace],
    [match.name, name],
    [match.container, container],
  ];
  return pairs.every(([wanted, value]) => wanted === undefined || [wanted].flat().includes(value));
}
