import { fieldInvalid } from '../../server/registry/rules/field-causes.ts';
import type { Check } from '../../server/registry/validation/check.ts';
import { all, entries } from '../../server/registry/validation/combine.ts';
import { qualifiedName } from '../../server/registry/validation/formats.ts';
import {
  isWholeQuantity,
  nonNegativeQuantity,
} from '../../server/registry/validation/quantity-checks.ts';

const OF_CONTAINERS: readonly string[] = ['cpu', 'memory', 'ephemeral-storage'];
/** Names without a domain that are known elsewhere. See pkg/apis/core/helper standardResources @ v1.36.3. */
const STANDARD = new Set(
  `${OF_CONTAINERS.join(' ')} requests.cpu requests.memory requests.ephemeral-storage limits.cpu limits.memory limits.ephemeral-storage
  pods resourcequotas services replicationcontrollers secrets configmaps persistentvolumeclaims storage requests.storage
  services.nodeports services.loadbalancers`.split(/\s+/),
);

const name: Check = (key, path, report) => {
  const text = String(key);
  const wrong = (detail: string): void => report.add(fieldInvalid(path, text, detail));
  const problems = qualifiedName(text);
  for (const problem of problems) wrong(problem);
  const isPlain = !text.includes('/');
  const isHuge = text.startsWith('hugepages-');
  if (isPlain) {
    if (problems.length === 0 && !STANDARD.has(text) && !isHuge) {
      wrong('must be a standard resource type or fully qualified');
    }
    if (!OF_CONTAINERS.includes(text) && !isHuge)
      wrong('must be a standard resource for containers');
  } else if (!text.includes('kubernetes.io/') && !isExtended(text)) {
    wrong("doesn't follow extended resource name standard");
  }
};

function isExtended(text: string): boolean {
  if (!text.includes('/') || text.includes('kubernetes.io/')) return false;
  return !text.startsWith('requests.') && qualifiedName(`requests.${text}`).length === 0;
}

const WHOLE = new Set(
  'pods resourcequotas services replicationcontrollers secrets configmaps persistentvolumeclaims services.nodeports services.loadbalancers'.split(
    ' ',
  ),
);

const amount: Check = (value, path, report) => {
  const resource = path.slice(path.indexOf('[') + 1, -1);
  const counted = WHOLE.has(resource) || isExtended(resource);
  if (counted && !isWholeQuantity(value)) {
    report.add(fieldInvalid(path, value, 'must be an integer'));
  }
};

/** Resources and their amounts, as the limits of a container. @see pkg/apis/core/validation @ v1.36.3 */
export const overheadResources: Check = entries({
  key: name,
  value: all(nonNegativeQuantity, amount),
});
