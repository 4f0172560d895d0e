import { ListwatchError } from '../../kernel/failure/errors.ts';
import { consoleLogger } from '../../kernel/report/console-logger.ts';
import { guardedLogger } from '../../kernel/report/guarded-logger.ts';
import { guardedMetrics, logFailedMetrics } from '../../kernel/report/guarded-metrics.ts';
import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import { ambientEnvironment } from '../config/ambient-environment.ts';
import { LOAD_CONFIG, loadConfig, type LoadConfigOptions } from '../config/load-config.ts';
import { programUserAgent } from '../config/program-user-agent.ts';
import {
  AXIOS_TRANSPORT,
  AxiosTransport,
  type AxiosTransportOptions,
} from '../transport/axios-transport.ts';
import { FLOW, flowTransport, type FlowOptions } from '../transport/flow/flow-transport.ts';
import type { Transport } from '../transport/contract/transport.ts';
import { CLIENT, Client, type ClientOptions } from './client.ts';

export interface ConnectOptions
  extends LoadConfigOptions,
    FlowOptions,
    Pick<AxiosTransportOptions, 'http2' | 'timeouts' | 'userAgent'>,
    Pick<
      ClientOptions,
      'onWarning' | 'fieldManager' | 'dryRun' | 'maxResponseBytes' | 'maxFrameBytes' | 'tracer'
    > {
  /** Replaces HTTP, for example by an in-process server. No configuration is read then. */
  readonly transport?: Transport | undefined;
}

const { onWarning, fieldManager, dryRun, maxResponseBytes, maxFrameBytes, tracer } = CLIENT.rules;
const CLIENT_RULES = { onWarning, fieldManager, dryRun, maxResponseBytes, maxFrameBytes, tracer };
const { http2, timeouts, userAgent } = AXIOS_TRANSPORT.rules;
const CONNECT = optionsOf<ConnectOptions>()('connect', {
  ...LOAD_CONFIG.rules,
  ...FLOW.rules,
  ...CLIENT_RULES,
  http2,
  timeouts,
  userAgent,
  transport: is.object(),
});
const WITH_TRANSPORT = new Set<string>([
  ...Object.keys(CLIENT_RULES),
  ...FLOW.names,
  'transport',
  'namespace',
  'runtime',
  'logger',
]);

/**
 * Makes a client of the API server that options, kubeconfig or pod name; see `loadConfig` for the order.
 *
 * `connect<{ 'v1/pods': Pod }>()` declares the types of objects once; see `Client`.
 *
 * It does not open a connection: the first request does, and fails if the server cannot be reached. Requests that the server
 * refuses with 429 or 503 are sent again; see the option `retry`. There is no limit on requests until the server refuses some
 * because it gets too many; see the option `limiter`. Both also apply to a `transport` that is given.
 * @throws {ListwatchError} code CONFIG_NOT_FOUND, CONFIG_INVALID, CONFIG_UNSUPPORTED or INVALID_OPTION.
 */
export async function connect<Types extends object = object>(
  options: ConnectOptions = {},
): Promise<Client<Types>> {
  CONNECT.read(options);
  const { runtime, onWarning, fieldManager, dryRun, maxResponseBytes, maxFrameBytes } = options;
  const logger = guardedLogger(options.logger ?? consoleLogger);
  const { limiter, retry, metrics, onRequest, tracer } = options;
  const limits = { maxResponseBytes, maxFrameBytes };
  const shared = { runtime, logger, onWarning, fieldManager, dryRun, tracer, ...limits };
  const flow = { runtime, logger, limiter, retry, metrics, onRequest };
  if (options.transport !== undefined) {
    rejectWithTransport(options);
    const transport = flowTransport(options.transport, flow);
    return new Client<Types>({ ...shared, transport, namespace: options.namespace });
  }
  const { http2, timeouts, userAgent, ...rest } = options;
  const config = await loadConfig(only({ ...rest, logger }, LOAD_CONFIG.names));
  const http = new AxiosTransport({
    server: config.server,
    credentials: config.credentials,
    impersonate: config.impersonate,
    tls: config.tls,
    disableCompression: config.disableCompression,
    proxy: config.proxy,
    http2,
    timeouts,
    userAgent: userAgent ?? (await programUserAgent(ambientEnvironment())),
    metrics: metrics && guardedMetrics(metrics, logFailedMetrics('connect', logger)),
    runtime,
  });
  logger.debug('connecting', { server: config.server, source: config.source });
  const transport = flowTransport(http, flow);
  return new Client<Types>({ ...shared, transport, namespace: config.namespace });
}

/** A transport has an address and credentials already, so these options would have no effect with it. */
function rejectWithTransport(options: ConnectOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || WITH_TRANSPORT.has(name)) continue;
    throw new ListwatchError(
      'INVALID_OPTION',
      `connect: option "${name}" has no effect beside "transport"; give one or the other`,
    );
  }
}

function only(options: LoadConfigOptions, names: readonly string[]): LoadConfigOptions {
  return Object.fromEntries(Object.entries(options).filter(([name]) => names.includes(name)));
}
