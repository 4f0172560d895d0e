import { numberAt, recordsAt, textAt, type JsonRecord } from '../../../meta/json-value.ts';
import type { Check } from '../../../server/registry/validation/check.ts';
import { labelSelector } from '../../../server/registry/validation/label-selector-checks.ts';
import { oneOf } from '../../../server/registry/validation/values.ts';
import { podCheck, type PodReport } from '../report/pod-report.ts';
import { oneOfTexts } from '../report/small-checks.ts';
import { checkLabelKeys, checkLegacyLabelKeys } from './label-keys.ts';
import { hasWrongSpreadKeys, hasWrongSpreadSelectors } from './stored-selectors.ts';

const POSITIVE = 'must be greater than zero';
const whenUnsatisfiable = oneOfTexts('DoNotSchedule', 'ScheduleAnyway');
const policy = oneOf(['Honor', 'Ignore']);
const selector = labelSelector();

/**
 * How the pods spread over the nodes.
 * @see pkg/apis/core/validation/validation.go validateTopologySpreadConstraints @ v1.36.3
 */
export const topologySpread: Check = podCheck((value, path, pod) => {
  const list = recordsAt(value);
  if (list.length === 0) return;
  const { oldSpec } = pod.content;
  const checkKeys = hasWrongSpreadKeys(oldSpec) ? checkLegacyLabelKeys : checkLabelKeys;
  const checksSelectors = !hasWrongSpreadSelectors(oldSpec);
  for (const [index, one] of list.entries()) {
    const at = `${path}[${index}]`;
    checkMembers(one, at, list.slice(index + 1), pod);
    checkKeys(one, at, pod);
    if (checksSelectors) selector(one['labelSelector'], `${at}.labelSelector`, pod);
  }
});

function pairOf(constraint: JsonRecord): string {
  return `{${textAt(constraint, 'topologyKey')}, ${textAt(constraint, 'whenUnsatisfiable')}}`;
}

function checkMembers(
  one: JsonRecord,
  at: string,
  later: readonly JsonRecord[],
  pod: PodReport,
): void {
  const skew = numberAt(one, 'maxSkew');
  if (skew <= 0) pod.invalid(`${at}.maxSkew`, skew, POSITIVE);
  if (textAt(one, 'topologyKey') === '') pod.required(`${at}.topologyKey`, 'can not be empty');
  whenUnsatisfiable(one['whenUnsatisfiable'], `${at}.whenUnsatisfiable`, pod);
  const pair = pairOf(one);
  if (later.some((other) => pairOf(other) === pair)) {
    pod.duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, pair);
  }
  checkDomains(one, `${at}.minDomains`, pod);
  policy(one['nodeAffinityPolicy'], `${at}.nodeAffinityPolicy`, pod);
  policy(one['nodeTaintsPolicy'], `${at}.nodeTaintsPolicy`, pod);
}

function checkDomains(one: JsonRecord, at: string, pod: PodReport): void {
  const { minDomains } = one;
  if (typeof minDomains !== 'number') return;
  if (minDomains <= 0) pod.invalid(at, minDomains, POSITIVE);
  const action = textAt(one, 'whenUnsatisfiable');
  if (action === 'DoNotSchedule') return;
  const rule = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
  pod.invalid(at, minDomains, rule);
}
