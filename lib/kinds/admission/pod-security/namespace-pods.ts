import type { UnstructuredObject } from '../../../meta/object.ts';
import { recordsAt, textAt } from '../../../meta/json-value.ts';
import { goQuote } from '../../../server/registry/rules/go-text.ts';
import { securedPodOf } from './secured-pod.ts';
import { levelText, type LevelVersion } from './security-policy.ts';
import { reasonsText, type SecurityStandards } from './security-standards.ts';

const MOST_PODS = 3000;
const LONGEST_CHECK_MS = 1000;

export interface NamespaceCheck {
  readonly namespace: string;
  /** The new level. */
  readonly enforce: LevelVersion;
  readonly standards: SecurityStandards;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

/**
 * Warnings about existing pods that a new level of their namespace would refuse: those of the same faults in one line. It looks at 3,000
 * pods at most, for a second at most, at one pod of each controller first.
 * @see pod-security-admission admission/admission.go EvaluatePodsInNamespace @ v0.37.2
 */
export function namespaceWarnings(
  pods: readonly UnstructuredObject[],
  { namespace, enforce, standards, now }: NamespaceCheck,
): string[] {
  const end = now() + LONGEST_CHECK_MS;
  const byFaults = new Map<string, string[]>();
  let checked = 0;
  for (const pod of oneOfEachControllerFirst(pods).slice(0, MOST_PODS)) {
    const faults = reasonsText(standards.violations(securedPodOf(pod), enforce));
    if (faults !== '') byFaults.set(faults, [...(byFaults.get(faults) ?? []), nameOf(pod)]);
    checked += 1;
    if (now() > end) break;
  }
  const warnings: string[] = [];
  if (checked < pods.length) {
    const part = `the first ${checked} of ${pods.length} existing pods`;
    warnings.push(`new PodSecurity enforce level only checked against ${part}`);
  }
  if (byFaults.size === 0) return warnings;
  const level = goQuote(levelText(enforce));
  warnings.push(
    `existing pods in namespace ${goQuote(namespace)} violate the new PodSecurity enforce level ${level}`,
  );
  const lines = [...byFaults].map(([faults, names]) => `${namesText(names)}: ${faults}`);
  return [...warnings, ...lines.toSorted()];
}

function oneOfEachControllerFirst(pods: readonly UnstructuredObject[]): UnstructuredObject[] {
  const controllers = new Set<string>();
  const later: UnstructuredObject[] = [];
  const first = pods.filter((pod) => {
    const controller = controllerOf(pod);
    if (controller === '' || !controllers.has(controller)) {
      controllers.add(controller);
      return true;
    }
    later.push(pod);
    return false;
  });
  return [...first, ...later];
}

/** Its uid; empty without one. */
function controllerOf(pod: UnstructuredObject): string {
  const owner = recordsAt(pod, 'metadata', 'ownerReferences').find(
    (one) => one['controller'] === true,
  );
  return textAt(owner, 'uid');
}

function nameOf(pod: UnstructuredObject): string {
  return textAt(pod, 'metadata', 'name');
}

/** The first name, and how many others there are. */
function namesText(names: readonly string[]): string {
  const [first = ''] = names.toSorted();
  const others = names.length - 1;
  if (others === 0) return first;
  return `${first} (and ${others} other ${others === 1 ? 'pod' : 'pods'})`;
}
