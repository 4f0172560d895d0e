import { isRecord } from '../../../meta/json-value.ts';
import { labelValue, qualifiedName } from '../rules/name-forms.ts';
import type { Check, Report } from './check.ts';
import { each, fields } from './combine.ts';

/** Labels: keys and values, all at the path of the map. @see apimachinery apis/meta/v1/validation/validation.go @ v0.36.3 */
export const labelMap: Check = (map, path, report) => {
  if (!isRecord(map)) return;
  for (const [key, value] of Object.entries(map)) {
    invalid(report, path, key, qualifiedName(key));
    if (typeof value === 'string') invalid(report, path, value, labelValue(value));
  }
};

/** The key of a label; an absent one is empty. */
export const labelName: Check = (value, path, report) => {
  const name = typeof value === 'string' ? value : '';
  invalid(report, path, name, qualifiedName(name));
};

function invalid(report: Report, path: string, value: string, problems: readonly string[]): void {
  for (const problem of problems) report.invalid(path, value, problem);
}

const BINARY = new Set<unknown>(['In', 'NotIn']);
const UNARY = new Set<unknown>(['Exists', 'DoesNotExist']);

/** One expression of a label selector. */
export function selectorRequirement({
  strictValues = true,
  anyOperator = false,
}: SelectorOptions = {}): Check {
  return (value, path, report) => {
    if (!isRecord(value)) return;
    const { operator = '', values, key } = value;
    const texts: readonly unknown[] = Array.isArray(values) ? values : [];
    if (BINARY.has(operator) && texts.length === 0) {
      const detail = "must be specified when `operator` is 'In' or 'NotIn'";
      report.required(`${path}.values`, detail);
    } else if (UNARY.has(operator) && texts.length > 0) {
      const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      report.forbidden(`${path}.values`, detail);
    } else if (!anyOperator && !BINARY.has(operator) && !UNARY.has(operator)) {
      report.invalid(`${path}.operator`, operator, 'not a valid selector operator');
    }
    labelName(key, `${path}.key`, report);
    if (!strictValues) return;
    for (const [index, text] of texts.entries()) {
      if (typeof text === 'string') {
        invalid(report, `${path}.values[${index}]`, text, labelValue(text));
      }
    }
  };
}

export interface SelectorOptions {
  /** False at updates of objects whose stored selector has wrong values already. */
  readonly strictValues?: boolean;
  /** Whether operators that are not known pass. @defaultValue false */
  readonly anyOperator?: boolean;
}

/** A label selector. An absent one passes. */
export function labelSelector(options?: SelectorOptions): Check {
  return fields({ matchLabels: labelMap, matchExpressions: each(selectorRequirement(options)) });
}

/** Whether an expression of the selector has a value that is no label value: `LabelSelectorHasInvalidLabelValue`. */
export function hasWrongSelectorValue(selector: unknown): boolean {
  const expressions: unknown = isRecord(selector) ? selector['matchExpressions'] : undefined;
  if (!Array.isArray(expressions)) return false;
  return (expressions as readonly unknown[]).some((one) => {
    const values: unknown = isRecord(one) ? one['values'] : undefined;
    if (!Array.isArray(values)) return false;
    return values.some((text) => typeof text === 'string' && labelValue(text).length > 0);
  });
}
