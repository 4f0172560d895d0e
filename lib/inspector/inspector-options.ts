import { isLoopback } from '../kernel/failure/loopback.ts';
import {
  invalidOption,
  is,
  optionsOf,
  type FilledOptions,
} from '../kernel/options/options-schema.ts';
import { consoleLogger } from '../kernel/report/console-logger.ts';
import { LOGGER } from '../kernel/report/logger-rule.ts';
import { guardedLogger } from '../kernel/report/guarded-logger.ts';
import type { Logger } from '../kernel/report/logger.ts';
import { realRuntime } from '../kernel/time/real-runtime.ts';
import type { Runtime } from '../kernel/time/runtime.ts';
import type {
  InspectedClient,
  InspectedCluster,
  InspectedController,
  InspectedInformer,
  InspectedInformers,
  InspectedQueue,
  InspectedServer,
} from './contract/inspected-parts.ts';
import type { InspectedParts } from './state-reader.ts';

type OneOrMore<P> = P | readonly P[];

/** Metrics as text, such as those of a `Manager`. */
export interface TextMetrics {
  text(): string;
}

/** @experimental */
export interface InspectorOptions {
  /** A `SharedInformerFactory`, or informers. Those of `controllers` need not be named. @defaultValue none */
  readonly informers?: OneOrMore<InspectedInformers | InspectedInformer> | undefined;
  /** Queues that no controller of `controllers` has. @defaultValue none */
  readonly queues?: OneOrMore<InspectedQueue> | undefined;
  /** With their queues and informers. @defaultValue none */
  readonly controllers?: OneOrMore<InspectedController> | undefined;
  /** An `ApiServer` of this process: its caches and its slow requests. @defaultValue that of `cluster` */
  readonly server?: InspectedServer | undefined;
  /** A `Cluster` of this process: its nodes, pods and rollouts. @defaultValue none */
  readonly cluster?: InspectedCluster | undefined;
  /**
   * The client of the informers: its connections are shown, and single objects are read with it to compare them with the cache.
   * @defaultValue objects are not compared
   */
  readonly client?: InspectedClient | undefined;
  /** 0: a free port, see `Inspector.url`. @defaultValue 0 */
  readonly port?: number | undefined;
  /** An address other than loopback needs `token`. @defaultValue '127.0.0.1' */
  readonly host?: string | undefined;
  /** At least 16 characters. @defaultValue none is asked for on loopback */
  readonly token?: string | undefined;
  /** Host names for which requests are answered, besides `host` and those of this machine. @defaultValue none */
  readonly allowedHosts?: readonly string[] | undefined;
  /** The name of the program, for the page. @defaultValue 'listwatch' */
  readonly title?: string | undefined;
  /** The source of `/metrics`, such as `manager.metrics`. @defaultValue gauges and counts of the parts, read when they are asked for */
  readonly metrics?: TextMetrics | undefined;
  /** Between two updates of open pages, milliseconds, from 100 to 60 000. @defaultValue 1000 */
  readonly updateIntervalMs?: number | undefined;
  /** Closes the inspector. */
  readonly signal?: AbortSignal | undefined;
  readonly runtime?: Runtime | undefined;
  /** @defaultValue consoleLogger */
  readonly logger?: Logger | undefined;
}

const OWNER = 'serveInspector';
const SHORTEST_TOKEN = 16;
const LONGEST_TITLE = 100;
const OPTIONS = optionsOf<InspectorOptions>()(OWNER, {
  informers: is.anything(),
  queues: is.anything(),
  controllers: is.anything(),
  server: is.anything(),
  cluster: is.anything(),
  client: is.anything(),
  port: is.integer({ min: 0, max: 65_535 }).default(0),
  host: is.filledText().default('127.0.0.1'),
  token: is.rule<string>(
    `a text of at least ${SHORTEST_TOKEN} characters, without white space`,
    (token) => typeof token === 'string' && token.length >= SHORTEST_TOKEN && !/\s/.test(token),
  ),
  allowedHosts: is.texts().default([]),
  title: is.text().default('listwatch'),
  metrics: is.anything(),
  updateIntervalMs: is.number({ min: 100, max: 60_000 }).default(1000),
  signal: is.abortSignal(),
  runtime: is.object().default(realRuntime),
  logger: LOGGER.default(consoleLogger),
});

export interface ResolvedInspectorOptions
  extends FilledOptions<
    Omit<InspectorOptions, keyof InspectedParts>,
    'port' | 'host' | 'title' | 'updateIntervalMs' | 'runtime' | 'logger'
  > {
  readonly parts: InspectedParts;
  /** Besides those of this machine. */
  readonly hosts: readonly string[];
}

/** @throws {ListwatchError} code INVALID_OPTION. */
export function resolveInspectorOptions(given: InspectorOptions): ResolvedInspectorOptions {
  const { informers, queues, controllers, server, cluster, client, ...options } =
    OPTIONS.read(given);
  const { host, token, title, allowedHosts, logger } = options;
  if (token === undefined && !isLoopback(host)) {
    refuse(
      `option "host" opens it to the network (${host}), so that it needs option "token"; leave "host" out to serve this machine only`,
    );
  }
  checkParts(given);
  return {
    ...options,
    parts: {
      informers: list<InspectedInformers | InspectedInformer>(informers),
      queues: list(queues),
      controllers: list(controllers),
      server: server ?? cluster?.server,
      cluster,
      client,
    },
    hosts: [...allowedHosts, host],
    title: title.slice(0, LONGEST_TITLE),
    logger: guardedLogger(logger),
  };
}

/** Otherwise each request of the page would fail, with a message about the part's missing method. */
function checkParts(options: InspectorOptions): void {
  const { informers, queues, controllers, client, server, cluster, metrics } = options;
  for (const one of list<object>(informers)) {
    if (has(one, 'inspect', 'audit', 'dump') || hasInformers(one)) continue;
    refuse(
      'option "informers" takes a SharedInformerFactory, an informer, or an array of informers',
    );
  }
  for (const one of list<object>(queues)) {
    if (!has(one, 'inspect')) refuse('option "queues" takes a queue, or an array of queues');
  }
  for (const one of list<object>(controllers)) {
    if (!has(one, 'inspect')) {
      refuse('option "controllers" takes what controller(…) makes, or an array of these');
    }
  }
  if (client !== undefined && !has(client, 'inspect', 'resourceOf')) {
    refuse('option "client" takes the client that connect() gives');
  }
  if (server !== undefined && !has(server, 'inspect', 'observeRequests')) {
    refuse('option "server" takes an ApiServer of this process');
  }
  if (cluster !== undefined && !(has(cluster, 'inspect') && has(cluster.server, 'inspect'))) {
    refuse('option "cluster" takes what startCluster() gives');
  }
  if (metrics !== undefined && !has(metrics, 'text')) {
    refuse('option "metrics" takes an object with text(), such as manager.metrics');
  }
}

function hasInformers(part: unknown): boolean {
  return typeof part === 'object' && part !== null && Array.isArray(Reflect.get(part, 'informers'));
}

function has(part: unknown, ...methods: readonly string[]): boolean {
  if (typeof part !== 'object' || part === null) return false;
  return methods.every((name) => typeof Reflect.get(part, name) === 'function');
}

function refuse(rule: string): never {
  throw invalidOption(OWNER, rule);
}

function list<P extends object>(given: OneOrMore<P> | undefined): readonly P[] {
  if (given === undefined) return [];
  return Array.isArray(given) ? (given as readonly P[]) : [given as P];
}
