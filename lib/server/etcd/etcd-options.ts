import type { ListwatchError } from '../../kernel/failure/errors.ts';
import { consoleLogger } from '../../kernel/report/console-logger.ts';
import { LOGGER } from '../../kernel/report/logger-rule.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import {
  invalidOption,
  is,
  optionsOf,
  type FilledOptions,
} from '../../kernel/options/options-schema.ts';
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
  /** @defaultValue consoleLogger */
  readonly logger?: Logger | undefined;
}

export interface EtcdEndpoint {
  /** `host:port`, the form that gRPC accepts. */
  readonly address: string;
  readonly secure: boolean;
}

const OWNER = 'EtcdKeyValueStore';
const DEFAULT_PORT = '2379';

const count = is.integer({ min: 1 });
const ETCD = optionsOf<EtcdOptions>()(OWNER, {
  endpoints: is.anything().required,
  tls: is.object(),
  credentials: is.object(),
  requestTimeoutMs: count.default(10_000),
  memberTimeoutMs: count.default(3_000),
  maxResponseBytes: count.default(1024 * 1024 * 1024),
  watchBufferEvents: count.default(1000),
  compactionIntervalMs: is.integer({ min: 0 }).default(300_000),
  runtime: is.object().default(realRuntime),
  logger: LOGGER.default(consoleLogger),
});

export type ResolvedEtcdOptions = Omit<
  FilledOptions<EtcdOptions, Exclude<keyof EtcdOptions, 'tls' | 'credentials'>>,
  'endpoints'
> & { readonly endpoints: readonly EtcdEndpoint[] };

/** @throws {ListwatchError} code INVALID_OPTION. */
export function resolveEtcdOptions(given: EtcdOptions): ResolvedEtcdOptions {
  const options = ETCD.read(given);
  const endpoints = endpointsOf(options.endpoints);
  if (options.tls !== undefined && !endpoints[0]?.secure) {
    throw invalid('tls', 'is only for endpoints that start with https://');
  }
  return { ...options, endpoints };
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
  return invalidOption(OWNER, `option "${name}" ${rule}`);
}
