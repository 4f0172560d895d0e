import { badRequest } from '../../../meta/failure/failures.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import { invalidOption, is, optionsOf } from '../../../kernel/options/options-schema.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import type {
  ContainerRequest,
  NodeConnector,
  UsageTexts,
} from '../../registry/contract/node-connector.ts';
import type { ConnectAnswer } from '../../registry/contract/rest-storage.ts';
import {
  answerAttach,
  answerExec,
  type PodAttachRequest,
  type PodExecRequest,
} from './container-streams.ts';
import { logBytes, logOptions, type PodLog, type PodLogLine } from './pod-log-bytes.ts';
import { answerHttp, type PodHttp } from './pod-http.ts';
import { answerPortForward, type PodPortForwardRequest } from './port-forward.ts';

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

/** The handlers of a test in place of a node. */
export interface PodHandler {
  /**
   * The output of the container: a text, its lines, or lines and those that follow. The server applies `tailLines`, `sinceTime`,
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
  /** Runs a command in a container; the result is its exit code. An error is a failure for the client, and is logged. */
  readonly exec?: ((request: PodExecRequest) => number | Promise<number>) | undefined;
  /** Attaches to what a container runs already, until that ends. */
  readonly attach?: ((request: PodAttachRequest) => void | Promise<void>) | undefined;
  /** Serves one connection to a port of the pod, until it ends. Called once for each port of a request. */
  readonly portForward?: ((request: PodPortForwardRequest) => void | Promise<void>) | undefined;
  /**
   * Answers an HTTP request that comes by `pods/NAME:PORT/proxy` or `services/NAME:PORT/proxy`, each time with a new Response. Its URL has
   * the address of the pod, and its signal aborts when the client has gone. An error is a 503 for the client, and is logged.
   */
  readonly http?: PodHttp | undefined;
}

const HANDLER = optionsOf<PodHandler>()('pods.handle', {
  log: is.callback(),
  exec: is.callback(),
  attach: is.callback(),
  portForward: is.callback(),
  http: is.callback(),
});
const MATCH = optionsOf<PodMatch>()('pods.handle', {
  namespace: is.anything(),
  name: is.anything(),
  container: is.anything(),
});
const OPTIONS = optionsOf<{ readonly match?: PodMatch }>()('pods.handle', { match: MATCH.nested });

/** Nodes in the process of the server, which run pods. */
export interface PodNodes extends Required<Pick<NodeConnector, 'podUsage' | 'nodeUsage'>> {
  /** Answers for a container; undefined when none of the nodes runs its pod. */
  handlerOf(request: ContainerRequest): PodHandler | undefined;
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
  readonly #logger: Logger;
  readonly #registrations: Registration[] = [];
  #nodes: PodNodes | undefined;

  constructor(runtime: Runtime, logger: Logger) {
    this.#runtime = runtime;
    this.#logger = logger;
  }

  /** Adds a handler until the result is disposed of. @throws {ListwatchError} code INVALID_OPTION. */
  handle(handler: PodHandler, options: { readonly match?: PodMatch } = {}): Disposable {
    const given = Object.values(HANDLER.read(handler));
    const { match = {} } = OPTIONS.read(options);
    if (given.every((one) => one === undefined)) {
      const problem = 'give a function "log", "exec", "attach", "portForward" or "http"';
      throw invalidOption('pods.handle', problem);
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

  /** @internal */
  get endsPods(): boolean {
    return this.#nodes !== undefined;
  }

  /** Nodes that are asked for containers which no handler is for, and that end deleted pods, until the result is disposed of. @internal */
  useNodes(nodes: PodNodes): Disposable {
    this.#nodes = nodes;
    return {
      [Symbol.dispose]: () => {
        if (this.#nodes === nodes) this.#nodes = undefined;
      },
    };
  }

  /** @internal */
  podUsage(pod: UnstructuredObject): ReadonlyMap<string, UsageTexts> {
    return this.#nodes?.podUsage(pod) ?? new Map();
  }

  /** @internal */
  nodeUsage(name: string): UsageTexts | undefined {
    return this.#nodes?.nodeUsage(name);
  }

  connect(request: ContainerRequest): Promise<ConnectAnswer> | undefined {
    const action = request.action === 'portforward' ? 'portForward' : request.action;
    const given = this.#registrations.findLast(
      (one) => one.handler[action] !== undefined && matches(one.match, request),
    );
    const handler = given?.handler ?? this.#nodes?.handlerOf(request);
    if (handler?.[action] === undefined) return undefined;
    if (action === 'log') return this.#log(handler, request);
    const { http } = handler;
    return action === 'http' && http !== undefined
      ? answerHttp({ request, http, logger: this.#logger })
      : this.#stream(handler, request);
  }

  /** @throws {ApiError} 400 when the request is no upgrade, or its options are wrong. */
  async #stream(handler: PodHandler, request: ContainerRequest): Promise<ConnectAnswer> {
    const logger = this.#logger;
    const { exec, attach, portForward } = handler;
    if (request.action === 'exec' && exec !== undefined) {
      return answerExec({ request, exec, logger });
    }
    if (request.action === 'attach' && attach !== undefined) {
      return answerAttach({ request, attach, logger });
    }
    const forward = portForward as NonNullable<typeof portForward>;
    return answerPortForward({ request, portForward: forward, logger });
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
    const runtime = this.#runtime;
    const createdMs = new Date(pod.metadata?.creationTimestamp ?? runtime.wallMs()).getTime();
    const body = logBytes(content, options, { runtime, createdMs });
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
