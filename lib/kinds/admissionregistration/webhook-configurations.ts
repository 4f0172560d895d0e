import { recordsAt, textAt, valueAt } from '../../meta/json-value.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { each, fields, requiredFor } from '../../server/registry/validation/combine.ts';
import { fullyQualifiedName } from '../../server/registry/validation/domain-checks.ts';
import { dns1035Label } from '../../server/registry/validation/formats.ts';
import { labelSelector } from '../../server/registry/validation/label-selector-checks.ts';
import { oneOf } from '../../server/registry/validation/values.ts';
import {
  webhookService,
  webhookUrl,
} from '../../server/registry/validation/webhook-client-checks.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import {
  matchConditions,
  NOT_EVALUATED,
  failurePolicy,
  matchPolicy,
  reinvocationPolicy,
  resourceRule,
} from './matched-resources.ts';
import { reservedNameWarnings } from './reserved-names.ts';

const MOST_SECONDS = 30;
const SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const KNOWN_VERSIONS = REVIEW_VERSIONS.join(', ');

const timeout: Check = (seconds, path, report) => {
  if (typeof seconds !== 'number' || (seconds >= 1 && seconds <= MOST_SECONDS)) return;
  const detail = `the timeout value must be between 1 and ${MOST_SECONDS} seconds`;
  report.invalid(path, seconds, detail);
};

const clientConfig: Check = (config, path, report) => {
  const url = valueAt(config, 'url');
  const service = valueAt(config, 'service');
  if ((url === undefined) === (service === undefined)) {
    report.required(path, 'exactly one of url or service is required');
  } else if (url !== undefined) webhookUrl(url, `${path}.url`, report);
  else webhookService(service, `${path}.service`, report);
};

const reviewVersions: Check = (list, path, report) => {
  const seen = new Set<unknown>();
  each((version, place) => {
    if (seen.has(version)) return report.invalid(place, version, 'duplicate version');
    seen.add(version);
    for (const problem of dns1035Label(String(version))) report.invalid(place, version, problem);
  })(list, path, report);
  if (REVIEW_VERSIONS.some((one) => seen.has(one))) return;
  report.invalid(path, list, `must include at least one of ${KNOWN_VERSIONS}`);
};

const hook: Check = fields({
  name: fullyQualifiedName,
  rules: each(resourceRule),
  failurePolicy,
  matchPolicy,
  sideEffects: requiredFor(`must specify one of ${SIDE_EFFECTS.join(', ')}`, oneOf(SIDE_EFFECTS)),
  timeoutSeconds: timeout,
  namespaceSelector: labelSelector(),
  objectSelector: labelSelector(),
  reinvocationPolicy,
  clientConfig,
  matchConditions,
  admissionReviewVersions: requiredFor(`must specify one of ${KNOWN_VERSIONS}`, reviewVersions),
});

/** @see pkg/apis/admissionregistration/validation validateValidatingWebhookConfiguration @ v1.36.3 */
const webhooks: Check = (list, path, report) => {
  const names = new Set<string>();
  each((one, place) => {
    hook(one, place, report);
    const name = textAt(one, 'name');
    if (name !== '' && names.has(name)) report.duplicate(`${place}.name`, name);
    names.add(name);
  })(list, path, report);
};

function configurations(resource: string): KindRules {
  return {
    group: 'admissionregistration.k8s.io',
    resource,
    strategy: {
      ...checkedBy(fields({ webhooks })),
      warnings(object) {
        const hooks = recordsAt(object, 'webhooks');
        const at = hooks.findIndex((one) => recordsAt(one, 'matchConditions').length > 0);
        const stored = at < 0 ? [] : [`webhooks[${at}].matchConditions: ${NOT_EVALUATED}`];
        return [...reservedNameWarnings(object), ...stored];
      },
    },
  };
}

export const validatingWebhookConfigurations: KindRules = configurations(
  'validatingwebhookconfigurations',
);

export const mutatingWebhookConfigurations: KindRules = configurations(
  'mutatingwebhookconfigurations',
);
