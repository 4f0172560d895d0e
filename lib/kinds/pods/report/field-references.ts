import { textAt } from '../../../meta/json-value.ts';
import type { Check, Report } from '../../../server/registry/validation/check.ts';
import { qualifiedName } from '../../../server/registry/validation/formats.ts';
import { text } from './small-checks.ts';

/** Fields of pods that the downward API has a name for, besides those with a key. */
const FIELDS = new Set([
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.serviceAccountName',
  'spec.schedulerName',
  'status.phase',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]);
const KEYED = /^(.+?)\['(.*)'\]$/s;
const qualified = text(qualifiedName);

/** Why the path is no name of a field of a pod. */
function conversionProblem(version: string, path: string): string | undefined {
  if (version !== 'v1') return `unsupported pod version: ${version}`;
  const keyed = KEYED.exec(path)?.[1];
  if (keyed !== undefined) {
    const hasKeys = keyed === 'metadata.annotations' || keyed === 'metadata.labels';
    return hasKeys ? undefined : `field label does not support subscript: ${path}`;
  }
  if (FIELDS.has(path) || path === 'spec.host') return undefined;
  return `field label not supported: ${path}`;
}

/**
 * A reference to one of these fields of the pod, or to one of its labels or annotations.
 * @see pkg/apis/core/validation/validation.go validateObjectFieldSelector @ v1.36.3
 */
export function objectFieldOf(fields: readonly string[]): Check {
  return (value, path, report) => {
    const version = textAt(value, 'apiVersion');
    const given = textAt(value, 'fieldPath');
    const at = `${path}.fieldPath`;
    if (version === '') return report.required(`${path}.apiVersion`);
    if (given === '') return report.required(at);
    const problem = conversionProblem(version, given);
    if (problem !== undefined) {
      return report.invalid(at, given, `error converting fieldPath: ${problem}`);
    }
    const [, map, key = ''] = KEYED.exec(given) ?? [];
    if (map !== undefined) {
      return qualified(map === 'metadata.annotations' ? key.toLowerCase() : key, path, report);
    }
    const field = given === 'spec.host' ? 'spec.nodeName' : given;
    if (!fields.includes(field)) report.notSupported(at, field, fields);
  };
}

const RESOURCES = ['cpu', 'ephemeral-storage', 'memory'];
const RESOURCE_FIELDS = ['limits', 'requests'].flatMap((which) =>
  RESOURCES.map((name) => `${which}.${name}`),
);
const HUGE_PAGES = /^(?:limits|requests)\.hugepages-/;
const BYTE_DIVISORS = '1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei';
const BYTES = new Set(BYTE_DIVISORS.split(', '));
const RESOURCE_WORDS: Readonly<Record<string, string>> = {
  memory: 'memory',
  'ephemeral-storage': 'local ephemeral storage',
};

/** A reference to a resource of a container. */
export function resourceFieldOf({ inVolume }: { readonly inVolume: boolean }): Check {
  return (value, path, report) => {
    const resource = textAt(value, 'resource');
    if (inVolume && textAt(value, 'containerName') === '') {
      report.required(`${path}.containerName`);
    } else if (resource === '') {
      report.required(`${path}.resource`);
    } else if (!RESOURCE_FIELDS.includes(resource) && !HUGE_PAGES.test(resource)) {
      report.notSupported(`${path}.resource`, resource, RESOURCE_FIELDS);
    }
    checkDivisor(resource, textAt(value, 'divisor'), `${path}.divisor`, report);
  };
}

function checkDivisor(field: string, divisor: string, path: string, report: Report): void {
  if (divisor === '' || divisor === '0') return;
  const [, name = ''] = /^(?:limits|requests)\.(.*)$/.exec(field) ?? [];
  if (name === 'cpu') {
    if (divisor === '1' || divisor === '1m') return;
    const rule = "only divisor's values 1m and 1 are supported with the cpu resource";
    return report.invalid(path, field, rule);
  }
  const words = name.startsWith('hugepages-') ? 'hugepages' : RESOURCE_WORDS[name];
  if (words === undefined || BYTES.has(divisor)) return;
  const rule = `only divisor's values ${BYTE_DIVISORS} are supported with the ${words} resource`;
  report.invalid(path, field, rule);
}
