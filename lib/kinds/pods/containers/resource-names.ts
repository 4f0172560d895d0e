import type { Report } from '../../../server/registry/validation/check.ts';
import { qualifiedName } from '../../../server/registry/validation/formats.ts';

// Names of resources. See pkg/apis/core/helper/helpers.go @ v1.36.3.

const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'];
const IN_CONTAINERS = new Set(COMPUTE);
const STANDARD = new Set([
  ...COMPUTE,
  ...['requests', 'limits'].flatMap((which) => COMPUTE.map((name) => `${which}.${name}`)),
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'storage',
  'requests.storage',
  'services.nodeports',
  'services.loadbalancers',
]);

export function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}

function isStandard(name: string): boolean {
  return STANDARD.has(name) || isHugePages(name) || name.startsWith('requests.hugepages-');
}

/** Whether the resource is one of Kubernetes itself. */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

/** Whether the resource is one of a device plugin. */
export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith('requests.')) return false;
  return qualifiedName(`requests.${name}`).length === 0;
}

/** Whether requests may be less than limits. */
export function mayOvercommit(name: string): boolean {
  return isNativeResource(name) && !isHugePages(name);
}

/** The report of a rule about a name at a path. */
export type ResourceNameCheck = (name: string, path: string, report: Report) => void;

function problemsOf(name: string): readonly string[] {
  const problems = qualifiedName(name);
  if (problems.length > 0 || name.includes('/') || isStandard(name)) return problems;
  return ['must be a standard resource type or fully qualified'];
}

/** A resource that containers may ask for. */
export const containerResourceName: ResourceNameCheck = (name, path, report) => {
  if (IN_CONTAINERS.has(name)) return;
  const own = ownProblem(name);
  for (const problem of own === undefined ? problemsOf(name) : [...problemsOf(name), own]) {
    report.invalid(path, name, problem);
  }
};

function ownProblem(name: string): string | undefined {
  const parts = name.split('/').length;
  if (parts === 1)
    return isHugePages(name) ? undefined : 'must be a standard resource for containers';
  if (isNativeResource(name) || isExtendedResource(name)) return undefined;
  return "doesn't follow extended resource name standard";
}

const OF_PODS = ['cpu', 'hugepages-', 'memory'];

/** A resource that a pod as a whole may ask for. */
export const podResourceName: ResourceNameCheck = (name, path, report) => {
  const problems = problemsOf(name);
  for (const problem of problems) report.invalid(path, name, problem);
  if (problems.length > 0 || name === 'cpu' || name === 'memory' || isHugePages(name)) return;
  report.notSupported(path, name, OF_PODS);
};
