import { ListwatchError } from '../../kernel/failure/errors.ts';
import {
  numberOption,
  rejectUnknownOptions,
  requireOptions,
} from '../../kernel/options/options.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { Metrics } from '../../kernel/report/metrics.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import {
  checkCertificate,
  type CertificatePaths,
  type CertificateSecret,
} from './certificates/certificate-options.ts';

/** The service by which API servers reach a webhook server in their cluster. */
export interface WebhookServiceReference {
  readonly namespace: string;
  readonly name: string;
  /** The port of the service. @defaultValue 443 */
  readonly port?: number | undefined;
}

export interface WebhookServerOptions {
  /** Names the server in messages, in `Manager`, and its registration at the cluster. */
  readonly name: string;
  /** How API servers reach it in their cluster. @defaultValue by `url` */
  readonly service?: WebhookServiceReference | undefined;
  /**
   * The origin at which API servers reach it, without a service: `https://build-host.example.com:9443`. @defaultValue the address at which
   * it listens, for API servers on this machine
   */
  readonly url?: string | undefined;
  /** @defaultValue 9443 with a service; otherwise a free one, see `WebhookServer.url` */
  readonly port?: number | undefined;
  /** @defaultValue `0.0.0.0` with a service, otherwise `127.0.0.1` */
  readonly host?: string | undefined;
  /**
   * The certificate that it presents: of files, or of an authority in a secret, which several replicas share. @defaultValue of an authority
   * that is made at each start, which is enough for one replica
   */
  readonly certificate?: CertificatePaths | CertificateSecret | undefined;
  /**
   * Whether `run` registers the webhooks at the cluster. With false, apply `manifests()` in another way. @defaultValue true
   */
  readonly register?: boolean | undefined;
  /**
   * Whether the registration of admission ends with `run`; that of conversion stays always, because API servers cannot read objects without
   * it. @defaultValue false with a service; otherwise true
   */
  readonly unregister?: boolean | undefined;
  /**
   * Is awaited before the server is ready: caches that the functions read, connections that they need. Calls for admission wait meanwhile,
   * those for conversion do not.
   */
  readonly warmUp?: ((options: { readonly signal: AbortSignal }) => Promise<unknown>) | undefined;
  /**
   * How long calls are still taken when it stops, milliseconds: API servers hear later than this process that a pod goes. @defaultValue 3 000
   * with a service, otherwise 0
   */
  readonly lingerMs?: number | undefined;
  readonly runtime?: Runtime | undefined;
  /** @defaultValue consoleLogger */
  readonly logger?: Logger | undefined;
  /** Gets `webhookMetrics`. @defaultValue those of the `Manager` that runs it */
  readonly metrics?: Metrics | undefined;
}

const OPTIONS: readonly (keyof WebhookServerOptions)[] = [
  'name',
  'service',
  'url',
  'port',
  'host',
  'certificate',
  'register',
  'unregister',
  'warmUp',
  'lingerMs',
  'runtime',
  'logger',
  'metrics',
];
const OWNER = 'WebhookServer';
const NAME = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
const MOST_PORT = 65_535;
const LONGEST_LINGER_MS = 60_000;

/** @throws {ListwatchError} code INVALID_OPTION. */
export function checkServerOptions(options: WebhookServerOptions): void {
  rejectUnknownOptions(OWNER, options, OPTIONS);
  requireOptions(OWNER, options, ['name']);
  const { name, service, url, port, lingerMs, certificate } = options;
  if (!NAME.test(name)) invalid('name', 'must be a DNS label such as "shop-webhooks"', name);
  numberOption(OWNER, 'port', port, 0, { min: 0, max: MOST_PORT, integer: true });
  numberOption(OWNER, 'lingerMs', lingerMs, 0, { min: 0, max: LONGEST_LINGER_MS });
  checkCertificate(certificate);
  if (service !== undefined) {
    rejectUnknownOptions(`${OWNER}: service`, service, ['namespace', 'name', 'port']);
    requireOptions(`${OWNER}: service`, service, ['namespace', 'name']);
    if (url !== undefined) invalid('url', 'is for a server without "service"', url);
  }
  if (url === undefined) return;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol === 'https:' && parsed.origin === url.replace(/\/$/, '')) return;
  invalid('url', 'must be an origin such as "https://build-host.example.com:9443"', url);
}

function invalid(name: string, rule: string, given: string): never {
  const text = `${OWNER}: option "${name}" ${rule}, not ${JSON.stringify(given)}`;
  throw new ListwatchError('INVALID_OPTION', text);
}
