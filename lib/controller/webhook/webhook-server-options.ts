import {
  type FilledOptions,
  invalidOption,
  is,
  optionsOf,
} from '../../kernel/options/options-schema.ts';
import { consoleLogger } from '../../kernel/report/console-logger.ts';
import { LOGGER } from '../../kernel/report/logger-rule.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { Metrics } from '../../kernel/report/metrics.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
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

const OWNER = 'WebhookServer';
const port = is.integer({ min: 0, max: 65_535 });
const OPTIONS = optionsOf<WebhookServerOptions>()(OWNER, {
  name: is.openRule<string>('a DNS label such as "shop-webhooks"', (given) => {
    return typeof given === 'string' && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(given);
  }).required,
  service: is.anything(),
  url: is
    .openRule<string>('an origin such as "https://build-host.example.com:9443"', isOrigin)
    // Without a slash at its end, because paths are appended.
    .as((given) => new URL(given).origin),
  port,
  host: is.text(),
  certificate: is.anything(),
  register: is.flag(),
  unregister: is.flag(),
  warmUp: is.callback(),
  lingerMs: is.number({ min: 0, max: 60_000 }),
  runtime: is.object().default(realRuntime),
  logger: LOGGER.default(consoleLogger),
  metrics: is.object(),
});
const SERVICE = optionsOf<WebhookServiceReference>()(`${OWNER}: service`, {
  namespace: is.text().required,
  name: is.text().required,
  port,
});

/** @throws {ListwatchError} code INVALID_OPTION. */
export function resolveServerOptions(
  given: WebhookServerOptions,
): FilledOptions<WebhookServerOptions, 'runtime' | 'logger'> {
  const options = OPTIONS.read(given);
  const { service, url, certificate } = options;
  checkCertificate(certificate);
  if (service === undefined) return options;
  SERVICE.read(service);
  if (url === undefined) return options;
  throw invalidOption(OWNER, 'option "url" is for a server without "service"; give one of them');
}

function isOrigin(given: unknown): boolean {
  if (typeof given !== 'string' || !URL.canParse(given)) return false;
  const { protocol, origin } = new URL(given);
  return protocol === 'https:' && origin === given.replace(/\/$/, '');
}
