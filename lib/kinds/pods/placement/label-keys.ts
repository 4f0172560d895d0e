import {
  isRecord,
  recordAt,
  recordsAt,
  textAt,
  textsAt,
  type JsonRecord,
} from '../../../meta/json-value.ts';
import type { Report } from '../../../server/registry/validation/check.ts';
import { labelName } from '../../../server/registry/validation/label-selector-checks.ts';

const BOTH = 'exists in both matchLabelKeys and';

/**
 * Keys whose values are taken from the labels of the pod, beside a label selector.
 * @see pkg/apis/core/validation/validation.go ValidateMatchLabelKeysAndMismatchLabelKeys @ v1.36.3
 */
export function checkLabelKeys(owner: JsonRecord, path: string, report: Report): void {
  const keys = textsAt(owner, 'matchLabelKeys');
  const others = textsAt(owner, 'mismatchLabelKeys');
  const selector = owner['labelSelector'];
  checkNames(keys, `${path}.matchLabelKeys`, isRecord(selector), report);
  checkNames(others, `${path}.mismatchLabelKeys`, isRecord(selector), report);
  const seen = new Set(Object.keys(recordAt(selector, 'matchLabels') ?? {}));
  for (const expression of recordsAt(selector, 'matchExpressions')) {
    const key = textAt(expression, 'key');
    const index = keys.lastIndexOf(key);
    // The selector has the expression that was made from the key, so that a second one is the client's.
    if (index >= 0 && seen.has(key)) {
      report.invalid(`${path}[${index}]`, key, `${BOTH} labelSelector`);
    }
    seen.add(key);
  }
  for (const [index, key] of keys.entries()) {
    if (!others.includes(key)) continue;
    const at = `${path}.matchLabelKeys[${index}]`;
    report.invalid(at, key, `${BOTH} mismatchLabelKeys`);
  }
}

function checkNames(
  keys: readonly string[],
  path: string,
  hasSelector: boolean,
  report: Report,
): void {
  if (keys.length === 0) return;
  if (!hasSelector) {
    const rule = 'must not be specified when labelSelector is not set';
    report.forbidden(path, rule);
    return;
  }
  for (const [index, key] of keys.entries()) labelName(key, `${path}[${index}]`, report);
}

/** The older form of the rule, for spreads of stored specs that break the newer one. */
export function checkLegacyLabelKeys(owner: JsonRecord, path: string, report: Report): void {
  const keys = textsAt(owner, 'matchLabelKeys');
  const selector = owner['labelSelector'];
  const at = `${path}.matchLabelKeys`;
  if (keys.length === 0) return;
  if (!isRecord(selector)) {
    report.forbidden(at, 'must not be specified when labelSelector is not set');
  }
  const selected = new Set([
    ...Object.keys(recordAt(selector, 'matchLabels') ?? {}),
    ...recordsAt(selector, 'matchExpressions').map((one) => textAt(one, 'key')),
  ]);
  for (const [index, key] of keys.entries()) {
    labelName(key, `${at}[${index}]`, report);
    if (selected.has(key)) report.invalid(`${at}[${index}]`, key, `${BOTH} labelSelector`);
  }
}
