import { fieldInvalid } from '../../server/registry/rules/field-causes.ts';
import {
  isRecord,
  jsonEqual,
  recordAt,
  recordsAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import type { PodReport } from './report/pod-report.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const TERMS_AT = `spec.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms`;

/**
 * Where a pod with scheduling gates runs can be narrowed. What was checked is put back to its stored value.
 * @see pkg/apis/core/validation/validation.go ValidatePodUpdate @ v1.36.3
 */
export function checkGatedPlacement(spec: JsonRecord, before: JsonRecord, pod: PodReport): void {
  checkNodeSelector(spec, before, pod);
  if (before['nodeSelector'] === undefined) delete spec['nodeSelector'];
  else spec['nodeSelector'] = before['nodeSelector'];
  const old = recordAt(before, 'affinity', 'nodeAffinity');
  const given = recordAt(spec, 'affinity', 'nodeAffinity');
  if (jsonEqual(old, given)) return;
  checkTerms(given, old, pod);
  const affinity: JsonRecord = { ...recordAt(spec, 'affinity') };
  if (old === undefined) delete affinity['nodeAffinity'];
  else affinity['nodeAffinity'] = old;
  if (Object.keys(affinity).length === 0 && before['affinity'] === undefined) {
    delete spec['affinity'];
  } else spec['affinity'] = affinity;
}

function checkNodeSelector(spec: JsonRecord, before: JsonRecord, pod: PodReport): void {
  const given = recordAt(spec, 'nodeSelector') ?? {};
  const old = recordAt(before, 'nodeSelector') ?? {};
  if (Object.keys(old).every((key) => given[key] === old[key])) return;
  const rule = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  pod.add(fieldInvalid('spec.nodeSelector', spec['nodeSelector'] ?? null, rule));
}

function checkTerms(given: unknown, old: unknown, pod: PodReport): void {
  const stored = recordsAt(old, REQUIRED, 'nodeSelectorTerms');
  const terms = recordsAt(given, REQUIRED, 'nodeSelectorTerms');
  if (stored.length === 0) return;
  const shown = (term: JsonRecord): unknown => goForm('core.NodeSelectorTerm', term);
  if (stored.length !== terms.length) {
    const rule = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed';
    const value = isRecord(recordAt(given, REQUIRED)) ? terms.map(shown) : null;
    pod.add(fieldInvalid(TERMS_AT, value, rule));
    return;
  }
  for (const [index, term] of stored.entries()) {
    const one = terms[index] as JsonRecord;
    if (onlyAdds(one, term)) continue;
    const rule = 'only additions are allowed (no mutations or deletions)';
    pod.add(fieldInvalid(`${TERMS_AT}[${index}]`, shown(one), rule));
  }
}

function onlyAdds(term: JsonRecord, before: JsonRecord): boolean {
  const lists = ['matchExpressions', 'matchFields'];
  if (lists.every((list) => recordsAt(before, list).length === 0)) {
    return lists.every((list) => recordsAt(term, list).length === 0);
  }
  return lists.every((list) => {
    const stored = recordsAt(before, list);
    return jsonEqual(recordsAt(term, list).slice(0, stored.length), stored);
  });
}
