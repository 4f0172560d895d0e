import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '../../types/built-in/admissionregistration-v1-kinds.ts';
import type { CustomResourceConversion } from '../../types/built-in/apiextensions-v1-kinds.ts';
import type { DeclaredHook } from './hook-options.ts';
import { ADMISSION_API_VERSION } from './review/admission-answer.ts';
import type { WebhookServiceReference } from './webhook-server-options.ts';

/** Where API servers reach the webhooks. */
export interface WebhookAddress {
  readonly service: WebhookServiceReference | undefined;
  /** An origin, used without a service. */
  readonly origin: string;
  /** PEM. Undefined: none is registered. */
  readonly authorities: string | undefined;
}

/** A definition whose objects are converted. */
export interface DeclaredConversion {
  /** The name of the definition. */
  readonly name: string;
  readonly path: string;
}

/** An object that can be applied. */
export type Whole<T> = T & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
};

/** The manifests that a cluster needs for the webhooks. */
export interface WebhookManifests {
  readonly validating: Whole<ValidatingWebhookConfiguration> | undefined;
  readonly mutating: Whole<MutatingWebhookConfiguration> | undefined;
  /** `spec.conversion` of definitions, by their names. */
  readonly conversions: ReadonlyMap<string, CustomResourceConversion>;
}

export const ADMISSION = 'admissionregistration.k8s.io/v1';
const REVIEW_VERSIONS = [ADMISSION_API_VERSION.slice(ADMISSION_API_VERSION.indexOf('/') + 1)];

export function webhookManifests(
  name: string,
  address: WebhookAddress,
  hooks: readonly DeclaredHook[],
  conversions: readonly DeclaredConversion[],
): WebhookManifests {
  const webhooks = (kind: DeclaredHook['kind']) =>
    hooks.filter((hook) => hook.kind === kind).map((hook) => webhookOf(hook, address));
  const [validating, mutating] = [webhooks('validate'), webhooks('mutate')];
  const metadata = { name };
  return {
    validating:
      validating.length === 0
        ? undefined
        : {
            apiVersion: ADMISSION,
            kind: 'ValidatingWebhookConfiguration',
            metadata,
            webhooks: validating,
          },
    mutating:
      mutating.length === 0
        ? undefined
        : {
            apiVersion: ADMISSION,
            kind: 'MutatingWebhookConfiguration',
            metadata,
            webhooks: mutating,
          },
    conversions: new Map(
      conversions.map((one) => [
        one.name,
        {
          strategy: 'Webhook',
          webhook: {
            clientConfig: clientConfig(address, one.path),
            conversionReviewVersions: REVIEW_VERSIONS,
          },
        },
      ]),
    ),
  };
}

function webhookOf(
  { name, path, group, version, resource, operations, options }: DeclaredHook,
  address: WebhookAddress,
) {
  const { objectSelector, namespaceSelector, matchConditions, reinvocationPolicy } = options;
  const { failurePolicy = 'Fail', timeoutSeconds = 10, sideEffects = 'None' } = options;
  const rule = { apiGroups: [group], apiVersions: [version], resources: [resource] };
  return {
    name,
    clientConfig: clientConfig(address, path),
    rules: [{ ...rule, operations: [...operations], scope: '*' as const }],
    admissionReviewVersions: REVIEW_VERSIONS,
    sideEffects,
    failurePolicy,
    timeoutSeconds,
    ...(objectSelector && { objectSelector }),
    ...(namespaceSelector && { namespaceSelector }),
    ...(matchConditions && { matchConditions: [...matchConditions] }),
    ...(reinvocationPolicy && { reinvocationPolicy }),
  };
}

function clientConfig({ service, origin, authorities }: WebhookAddress, path: string) {
  const caBundle =
    authorities === undefined ? {} : { caBundle: Buffer.from(authorities).toString('base64') };
  if (service === undefined) return { url: `${origin}${path}`, ...caBundle };
  const { namespace, name, port = 443 } = service;
  return { service: { namespace, name, port, path }, ...caBundle };
}
