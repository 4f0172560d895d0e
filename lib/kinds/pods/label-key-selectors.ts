import {
  isRecord,
  recordAt,
  recordsAt,
  textAt,
  textsAt,
  type JsonRecord,
} from '../../meta/json-value.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

function addExpressions(owner: unknown, labels: JsonRecord): void {
  const selector = recordAt(owner, 'labelSelector');
  if (selector === undefined) return;
  const make = (keys: readonly string[], operator: string): JsonRecord[] =>
    keys
      .filter((key) => Object.hasOwn(labels, key))
      .map((key) => ({ key, operator, values: [textAt(labels, key)] }));
  const added = [
    ...make(textsAt(owner, 'matchLabelKeys'), 'In'),
    ...make(textsAt(owner, 'mismatchLabelKeys'), 'NotIn'),
  ];
  if (added.length === 0) return;
  selector['matchExpressions'] = [...recordsAt(selector, 'matchExpressions'), ...added];
}

/**
 * Adds to the selectors of a new pod what its `matchLabelKeys` and `mismatchLabelKeys` stand for.
 * @see pkg/registry/core/pod/strategy.go mutatePodAffinity, mutateTopologySpreadConstraints @ v1.36.3
 */
export function applyLabelKeys(spec: JsonRecord, labels: unknown): void {
  if (!isRecord(labels)) return;
  for (const kind of ['podAffinity', 'podAntiAffinity']) {
    for (const one of recordsAt(spec, 'affinity', kind, PREFERRED)) {
      addExpressions(one['podAffinityTerm'], labels);
    }
    for (const term of recordsAt(spec, 'affinity', kind, REQUIRED)) addExpressions(term, labels);
  }
  for (const one of recordsAt(spec, 'topologySpreadConstraints')) addExpressions(one, labels);
}
