import { ListwatchError } from '../../kernel/failure/errors.ts';
import { silentLogger, type Logger } from '../../kernel/report/logger.ts';
import {
  numberOption,
  rejectUnknownOptions,
  requireOptions,
} from '../../kernel/options/options.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';

export interface EtcdTls {
  /** PEM of the authorities that signed the servers' certificates. @defaultValue the authorities that Node trusts */
  readonly ca?: string | undefined;
  /** PEM of the client certificate, with its key. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** The name in the servers' certificates, if it is not the host of the endpoint. */
  readonly serverName?: string | undefined;
}

export interface EtcdCredentials {
  readonly username: string;
  readonly password: string;
}

export interface EtcdOptions {
  /** The members, e.g. `http://127.0.0.1:2379` or `https://etcd-0.example:2379`; all with the same scheme. */
  readonly endpoints: readonly string[];
  /** Only with `https` endpoints. */
  readonly tls?: EtcdTls | undefined;
  /** User and password, if the cluster requires them. */
  readonly credentials?: EtcdCredentials | undefined;
  /** Longest wait for a response, failover included, in milliseconds. @defaultValue 10 000 */
  readonly requestTimeoutMs?: number | undefined;
  /**
   * Longest wait for one member before the next is called, in milliseconds. A list that takes longer is read in smaller pages.
   * @defaultValue 3 000
   */
  readonly memberTimeoutMs?: number | undefined;
  /** Maximum size of a response in bytes. @defaultValue 1 GiB */
  readonly maxResponseBytes?: number | undefined;
  /** Maximum number of events buffered for a busy reader; beyond it the stream is paused. @defaultValue 1000 */
  readonly watchBufferEvents?: number | undefined;
  /**
   * Every this many milliseconds, one of the servers that share the cluster compacts history to the revision of one interval
   * before. 0: never by this process. @defaultValue 300 000 (kube-apiserver --etcd-compaction-interval)
   */
  readonly compactionIntervalMs?: number | undefined;
  /** @defaultValue realRuntime */
  readonly runtime?: Runtime | undefined;
  /** @defaultValue silentLogger */
  readonly logger?: Logger | undefined;
}

export interface ResolvedEtcdOptions {
  readonly endpoints: readonly EtcdEndpoint[];
  readonly tls: EtcdTls | undefined;
  readonly credentials: EtcdCredentials | undefined;
  readonly requestTimeoutMs: number;
  readonly memberTimeoutMs: number;
  readonly maxResponseBytes: number;
  readonly watchBufferEvents: number;
  readonly compactionIntervalMs: number;
  readonly runtime: Runtime;
  readonly logger: Logger;
}

export interface EtcdEndpoint {
  /** `host:port`, the form that gRPC accepts. */
  readonly address: string;
  readonly secure: boolean;
}

const OWNER = 'EtcdKeyValueStore';
const DEFAULT_PORT = '2379';

const KNOWN: readonly (keyof EtcdOptions)[] = [
  'endpoints',
  'tls',
  'credentials',
  'requestTimeoutMs',
  'memberTimeoutMs',
  'maxResponseBytes',
  'watchBufferEvents',
  'compactionIntervalMs',
  'runtime',
  'logger',
];

type NumberOption = {
  [Name in keyof ResolvedEtcdOptions]: ResolvedEtcdOptions[Name] extends number ? Name : never;
}[keyof ResolvedEtcdOptions];

/** @throws {ListwatchError} code INVALID_OPTION. */
export function resolveEtcdOptions(options: EtcdOptions): ResolvedEtcdOptions {
  requireOptions(OWNER, options, ['endpoints']);
  rejectUnknownOptions(OWNER, options, KNOWN);
  const whole = (name: NumberOption, fallback: number, min: number = 1): number =>
    numberOption(OWNER, name, options[name], fallback, { min, integer: true });
  const endpoints = endpointsOf(options.endpoints);
  if (options.tls !== undefined && !endpoints[0]?.secure) {
    throw invalid('tls', 'is only for endpoints that start with https://');
  }
  return {
    endpoints,
    tls: options.tls,
    credentials: options.credentials,
    requestTimeoutMs: whole('requestTimeoutMs', 10_000),
    memberTimeoutMs: whole('memberTimeoutMs', 3_000),
    maxResponseBytes: whole('maxResponseBytes', 1024 * 1024 * 1024),
    watchBufferEvents: whole('watchBufferEvents', 1000),
    compactionIntervalMs: whole('compactionIntervalMs', 300_000, 0),
    runtime: options.runtime ?? realRuntime,
    logger: options.logger ?? silentLogger,
  };
}

function endpointsOf(given: unknown): readonly EtcdEndpoint[] {
  if (!Array.isArray(given) || given.length === 0) {
    throw invalid('endpoints', 'must name at least one member, e.g. http://127.0.0.1:2379');
  }
  const endpoints = given.map(endpointOf);
  if (endpoints.some(({ secure }) => secure !== endpoints[0]?.secure)) {
    throw invalid('endpoints', 'must be all http or all https');
  }
  return endpoints;
}

function endpointOf(text: unknown): EtcdEndpoint {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw invalid('endpoints', `has ${JSON.stringify(text)}, which is not an http or https URL`);
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid('endpoints', 'must not carry a password; use the option "credentials"');
  }
  return {
    address: `${url.hostname}:${url.port || DEFAULT_PORT}`,
    secure: url.protocol === 'https:',
  };
}

function invalid(name: keyof EtcdOptions, rule: string): ListwatchError {
  return new ListwatchError('INVALID_OPTION', `${OWNER}: option "${name}" ${rule}`);
}
