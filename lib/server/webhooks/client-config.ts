import { numberAt, recordAt, textAt, type JsonRecord } from '../../meta/json-value.ts';
import type { WebhookClientConfig } from './webhook-caller.ts';

const DEFAULT_PORT = 443;

/** Where a webhook is, as the `clientConfig` of its configuration or definition says it. */
export function clientConfigOf(client: JsonRecord | undefined): WebhookClientConfig {
  const service = recordAt(client, 'service');
  const caBundle = Buffer.from(textAt(client, 'caBundle'), 'base64').toString('utf8');
  return {
    url: textAt(client, 'url') || undefined,
    service: service && {
      namespace: textAt(service, 'namespace'),
      name: textAt(service, 'name'),
      port: numberAt(service, 'port') || DEFAULT_PORT,
      path: textAt(service, 'path'),
    },
    caBundle: caBundle.trim() === '' ? undefined : caBundle,
  };
}
