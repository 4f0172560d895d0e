import { isRecord } from '../../meta/json-value.ts';
import type { Check, Report } from '../../server/registry/validation/check.ts';
import { qualifiedName } from '../../server/registry/validation/formats.ts';
import {
  isWholeQuantity,
  nonNegativeQuantity,
} from '../../server/registry/validation/quantity-checks.ts';

// Names and amounts of resources. See pkg/apis/core/helper/helpers.go @ v1.36.3.

const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'];
const COUNTED = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);
const OF_QUOTAS: ReadonlySet<string> = new Set([
  ...COMPUTE,
  ...COMPUTE.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  'requests.storage',
  ...COUNTED,
]);
const HUGE_PAGES = /^(?:requests\.)?hugepages-/;

export function isQuotaResource(name: string): boolean {
  return OF_QUOTAS.has(name) || HUGE_PAGES.test(name);
}

/** Whether the resource is Kubernetes' own. */
export function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

function isExtended(name: string): boolean {
  if (isNative(name) || name.startsWith('requests.')) return false;
  return qualifiedName(`requests.${name}`).length === 0;
}

function isCounted(name: string): boolean {
  return COUNTED.has(name) || isExtended(name);
}

export type NameReport = (name: string, path: string, report: Report) => void;

/** The name of a resource that is known, or has a domain. */
export const resourceName: NameReport = (name, path, report) => {
  const problems = qualifiedName(name);
  for (const problem of problems) report.invalid(path, name, problem);
  if (problems.length > 0 || name.includes('/') || isQuotaResource(name) || name === 'storage') {
    return;
  }
  report.invalid(path, name, 'must be a standard resource type or fully qualified');
};

/** The same of a resource that quotas count. */
export const quotaResourceName: NameReport = (name, path, report) => {
  resourceName(name, path, report);
  if (!name.includes('/') && !isQuotaResource(name)) {
    report.invalid(path, name, 'must be a standard resource for quota');
  }
};

/** The same of a resource that containers ask for. */
export const containerResource: NameReport = (name, path, report) => {
  resourceName(name, path, report);
  if (!name.includes('/')) {
    if (!COMPUTE.includes(name) && !name.startsWith('hugepages-')) {
      report.invalid(path, name, 'must be a standard resource for containers');
    }
  } else if (!isNative(name) && !isExtended(name)) {
    report.invalid(path, name, "doesn't follow extended resource name standard");
  }
};

/** An amount of a resource: not negative, and whole where things are counted. */
export function resourceAmount(name: string, value: unknown, path: string, report: Report): void {
  nonNegativeQuantity(value, path, report);
  if (isCounted(name) && !isWholeQuantity(value)) report.invalid(path, value, 'must be an integer');
}

/** The amounts of resources by name, at `path.name` or `path[name]`. */
export function resourceAmounts(style: '.' | '[', nameCheck?: NameReport): Check {
  return (map, path, report) => {
    if (!isRecord(map)) return;
    for (const name of Object.keys(map)) {
      const place = style === '.' ? `${path}.${name}` : `${path}[${name}]`;
      nameCheck?.(name, place, report);
      resourceAmount(name, map[name], place, report);
    }
  };
}
