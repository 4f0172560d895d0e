import type { UnstructuredObject } from '../../meta/object.ts';
import { qosClassOf } from '../pods/pod-qos.ts';
import {
  recordAt,
  recordsAt,
  textAt,
  textsAt,
  valueAt,
  type JsonRecord,
} from '../../meta/json-value.ts';

const AFFINITIES = ['podAffinity', 'podAntiAffinity'];
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** One condition of a quota on what it counts. */
export interface ScopeSelector {
  readonly scope: string;
  readonly operator: string;
  readonly values: readonly string[];
}

export function scopesOf(quota: UnstructuredObject): readonly ScopeSelector[] {
  const listed = textsAt(quota, 'spec', 'scopes');
  const selected = recordsAt(quota, 'spec', 'scopeSelector', 'matchExpressions');
  return [
    ...listed.map((scope) => ({ scope, operator: 'Exists', values: [] })),
    ...selected.map((one) => ({
      scope: textAt(one, 'scopeName'),
      operator: textAt(one, 'operator'),
      values: textsAt(one, 'values'),
    })),
  ];
}

/** Whether a name, empty for none, is one that the selector selects. */
export function selectsName({ operator, values }: ScopeSelector, name: string): boolean {
  if (operator === 'Exists') return name !== '';
  if (operator === 'DoesNotExist') return name === '';
  if (operator === 'In') return name !== '' && values.includes(name);
  return operator === 'NotIn' && (name === '' || !values.includes(name));
}

/** @see pkg/quota/v1/evaluator/core/pods.go podMatchesScopeFunc @ v1.36.3 */
export function podIsInScope(pod: UnstructuredObject, selector: ScopeSelector): boolean {
  const spec = recordAt(pod, 'spec') ?? {};
  switch (selector.scope) {
    case 'Terminating':
      return spec['activeDeadlineSeconds'] !== undefined;
    case 'NotTerminating':
      return spec['activeDeadlineSeconds'] === undefined;
    case 'BestEffort':
      return qosClassOf(spec) === 'BestEffort';
    case 'NotBestEffort':
      return qosClassOf(spec) !== 'BestEffort';
    case 'PriorityClass':
      return selectsName(selector, textAt(spec, 'priorityClassName'));
    case 'CrossNamespacePodAffinity':
      return AFFINITIES.some((which) => reachesOut(recordAt(spec, 'affinity', which)));
    default:
      return false;
  }
}

/** Whether a term looks at pods of other namespaces. */
function reachesOut(affinity: JsonRecord | undefined): boolean {
  const preferred = recordsAt(affinity, PREFERRED).map((one) => recordAt(one, 'podAffinityTerm'));
  return [...recordsAt(affinity, REQUIRED), ...preferred].some(
    (term) =>
      textsAt(term, 'namespaces').length > 0 || valueAt(term, 'namespaceSelector') !== undefined,
  );
}
