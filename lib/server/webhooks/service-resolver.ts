import { ListwatchError } from '../../kernel/failure/errors.ts';

/** A service as the client configuration of a webhook names it. */
export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/**
 * Where a service can be reached: an origin such as `https://127.0.0.1:9443`. The certificate is compared with
 * `NAME.NAMESPACE.svc` in any case.
 */
export type ServiceResolver = (service: WebhookService) => string | Promise<string>;

/** The DNS name of a service in a cluster. */
export function serviceHost({ name, namespace }: WebhookService): string {
  return `${name}.${namespace}.svc`;
}

/** The service by its DNS name, which only resolves within a cluster. */
export const clusterServices: ServiceResolver = (service) =>
  `https://${serviceHost(service)}:${service.port}`;

/** @throws {ListwatchError} code INVALID_OPTION when the resolver returns something other than an HTTPS origin. */
export async function resolvedOrigin(
  resolve: ServiceResolver,
  service: WebhookService,
): Promise<string> {
  const origin = await resolve(service);
  const url = typeof origin === 'string' && URL.canParse(origin) ? new URL(origin) : undefined;
  if (url?.protocol === 'https:') return url.origin;
  throw new ListwatchError(
    'INVALID_OPTION',
    `resolveService: the service ${service.namespace}/${service.name} needs an origin such as https://127.0.0.1:9443, not ${JSON.stringify(origin)}`,
  );
}
