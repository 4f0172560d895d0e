import { recordAt, recordsAt, setOwn, type JsonRecord } from '../../../meta/json-value.ts';
import { parseQuantity, quantityText, type Quantity } from '../../../meta/quantity.ts';
import { compareQuantities } from '../../../server/registry/validation/quantity-checks.ts';
import { isSidecar } from '../containers/containers.ts';
import { isHugePages, podResourceName } from '../containers/resource-names.ts';
import { checkRequirements } from '../containers/resource-requirements.ts';
import type { PodReport } from '../report/pod-report.ts';

type Amounts = Map<string, Quantity>;

function addAll(sum: Amounts, more: Amounts): Amounts {
  for (const [name, amount] of more) {
    const before = sum.get(name);
    const total = before === undefined ? amount : { ...before, nanos: before.nanos + amount.nanos };
    sum.set(name, total);
  }
  return sum;
}

function keepMost(most: Amounts, other: Amounts): void {
  for (const [name, amount] of other) {
    if (amount.nanos > (most.get(name)?.nanos ?? -1n)) most.set(name, amount);
  }
}

/**
 * The requests of all containers together. Init containers run one after the other, beside the sidecars before them.
 * @see component-helpers resource/helpers.go AggregateContainerRequests, AggregateContainerLimits @ v0.36.3
 */
export function containerTotals(spec: JsonRecord, which: 'limits' | 'requests'): JsonRecord {
  const amountsOf = (container: JsonRecord): Amounts => {
    const amounts = recordAt(container, 'resources', which) ?? {};
    return new Map(
      Object.entries(amounts).map(([name, text]) => [name, parseQuantity(String(text))]),
    );
  };
  const sum: Amounts = new Map();
  for (const one of recordsAt(spec, 'containers')) addAll(sum, amountsOf(one));
  const sidecars: Amounts = new Map();
  const most: Amounts = new Map();
  for (const one of recordsAt(spec, 'initContainers')) {
    const amounts = amountsOf(one);
    if (isSidecar(one)) {
      addAll(sum, amounts);
      addAll(sidecars, amounts);
      keepMost(most, sidecars);
    } else keepMost(most, addAll(new Map(amounts), sidecars));
  }
  keepMost(sum, most);
  const totals: JsonRecord = {};
  for (const [name, amount] of sum) setOwn(totals, name, quantityText(amount));
  return totals;
}

/**
 * The resources of a pod as a whole.
 * @see pkg/apis/core/validation/validation.go validatePodResources @ v1.36.3
 */
export function checkPodResources(pod: PodReport, path: string): void {
  const resources = recordAt(pod.spec, 'resources');
  if (resources === undefined) return;
  const at = `${path}.resources`;
  if (pod.os === 'windows') {
    pod.forbidden(at, 'may not be set for a windows pod');
    return;
  }
  if (resources['claims'] !== undefined) {
    const rule = 'claims may not be set for Resources at pod-level';
    pod.forbidden(`${at}.claims`, rule);
  }
  checkRequirements(resources, at, pod, {
    nameCheck: podResourceName,
    claimNames: pod.claimNames,
  });
  checkTotals(pod, resources, at, 'requests');
  checkTotals(pod, resources, at, 'limits');
  checkSingleLimits(pod, recordAt(resources, 'limits') ?? {}, at);
}

/** The whole must have what its containers ask for together; of limits, only those of huge pages add up. */
function checkTotals(
  pod: PodReport,
  resources: JsonRecord,
  at: string,
  which: 'limits' | 'requests',
): void {
  const own = recordAt(resources, which) ?? {};
  const totals = containerTotals(pod.spec, which);
  for (const name of Object.keys(totals).toSorted()) {
    if (!Object.hasOwn(own, name) || (which === 'limits' && !isHugePages(name))) continue;
    if (compareQuantities(totals[name], own[name]) <= 0) continue;
    const rule = `must be greater than or equal to aggregate container ${which} of ${String(totals[name])}`;
    pod.invalid(`${at}.${which}[${name}]`, own[name], rule);
  }
}

function checkSingleLimits(pod: PodReport, own: JsonRecord, at: string): void {
  for (const [index, container] of recordsAt(pod.spec, 'containers').entries()) {
    const limits = recordAt(container, 'resources', 'limits') ?? {};
    for (const name of Object.keys(limits).toSorted()) {
      if (!Object.hasOwn(own, name) || compareQuantities(limits[name], own[name]) <= 0) continue;
      const rule = `must be less than or equal to pod limits of ${String(own[name])}`;
      pod.invalid(`${at}.containers[${index}][${name}].limits`, limits[name], rule);
    }
  }
}
