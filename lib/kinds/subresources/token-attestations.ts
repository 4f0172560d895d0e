import type { FieldCause } from '../../meta/failure/failures.ts';
import { recordAt, textAt } from '../../meta/json-value.ts';
import { fieldInvalid, fieldNotSupported } from '../../server/registry/rules/field-causes.ts';
import { dnsSubdomain } from '../../server/registry/rules/name-forms.ts';

const REGISTRATION = 'admissionregistration.k8s.io/v1';
const CONFIGURATIONS: readonly string[] = [
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
];
const API_GROUPS = 'admissionReviewAPIGroups';
const FIELD = 'spec.attestations';

/** Whether a token is asked for that a webhook knows its API server by. */
export function isForWebhook(reference: unknown): boolean {
  return (
    CONFIGURATIONS.includes(textAt(reference, 'kind')) &&
    textAt(reference, 'apiVersion') === REGISTRATION
  );
}

/**
 * The audience and the attestation that a token for a webhook needs, and no other token may have. kube-apiserver looks at them with the feature
 * gate APIServerWebhookAuthenticationToken off too.
 * @param spec of the request
 * @param audiences those of the token
 * @see pkg/apis/authentication/validation ValidateTokenRequest @ v1.37.2
 */
export function attestationCauses(spec: unknown, audiences: readonly string[]): FieldCause[] {
  const given = recordAt(spec, 'attestations');
  const entries = Object.entries(given ?? {});
  if (!isForWebhook(recordAt(spec, 'boundObjectRef'))) {
    if (entries.length === 0) return [];
    const rule = 'attestations may only be specified with a webhook bound object reference';
    return [fieldInvalid(FIELD, given, rule)];
  }
  const causes: FieldCause[] = [];
  if (audiences.length !== 1) {
    const rule = 'must be length 1 when bound to a webhook config';
    causes.push(fieldInvalid('spec.audiences', audiences, rule));
  }
  const [entry] = entries;
  if (entry === undefined || entries.length > 1) {
    const rule = 'webhook bound requests require exactly one admissionReviewAPIGroups attestation';
    return [...causes, fieldInvalid(FIELD, given ?? null, rule)];
  }
  return [...causes, ...entryCauses(...entry)];
}

function entryCauses(key: string, values: unknown): FieldCause[] {
  const field = `${FIELD}[${key}]`;
  if (key !== API_GROUPS) return [fieldNotSupported(field, key, [API_GROUPS])];
  const groups = Array.isArray(values) ? values.map(String) : [];
  if (groups.length !== 1) return [fieldInvalid(field, groups, 'must specify a single value')];
  const [group = ''] = groups;
  const place = `${field}[0]`;
  if (group === '') return [fieldInvalid(place, group, 'may not be an empty string')];
  // All groups.
  if (group === '*') return [];
  return dnsSubdomain(group).map((problem) =>
    fieldInvalid(place, group, `must specify a valid API Group: ${problem}`),
  );
}
