import { fieldInvalid, fieldNotSupported } from '../rules/field-causes.ts';
import { isRecord } from '../../../meta/json-value.ts';
import type { Check } from './check.ts';
import { each } from './combine.ts';
import { decimalInteger, labelValue, qualifiedName } from './formats.ts';

const EFFECTS: readonly unknown[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const LARGEST_INT64 = 2n ** 63n;

export interface TolerationOptions {
  /** Whether `Lt` and `Gt` may be used. @defaultValue false */
  readonly comparisons?: boolean | undefined;
}

/** @see pkg/apis/core/validation ValidateTolerations @ v1.36.3 */
export function tolerations({ comparisons = false }: TolerationOptions = {}): Check {
  return each((toleration, path, report) => {
    if (!isRecord(toleration)) return;
    const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration;
    const wrong = (name: string, bad: unknown, detail: string): void =>
      report.add(fieldInvalid(`${path}.${name}`, bad, detail));
    if (key !== '') for (const problem of qualifiedName(String(key))) wrong('key', key, problem);
    else if (operator !== 'Exists') {
      const detail =
        'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      wrong('operator', operator, detail);
    }
    if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
      wrong('effect', effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    if (operator === '' || operator === 'Equal') {
      const problems = labelValue(String(value));
      if (problems.length > 0) wrong('operator', value, problems.join(';'));
    } else if (operator === 'Exists') {
      if (value !== '') wrong('operator', value, "value must be empty when `operator` is 'Exists'");
    } else if (operator === 'Lt' || operator === 'Gt') {
      if (comparisons)
        for (const problem of integerProblems(String(value))) wrong('value', value, problem);
      else
        report.add(
          fieldNotSupported(`${path}.operator`, operator, ['Equal', 'Exists', 'Lt', 'Gt']),
        );
    } else report.add(fieldNotSupported(`${path}.operator`, operator, ['Equal', 'Exists']));
    if (effect === '' || EFFECTS.includes(effect)) return;
    report.add(fieldNotSupported(`${path}.effect`, effect, EFFECTS));
  });
}

/** Faults of a number of 64 bits, in the words of Go's `strconv.ParseInt`. */
function integerProblems(text: string): readonly string[] {
  const problems = [...decimalInteger(text)];
  const parsing = `strconv.ParseInt: parsing ${JSON.stringify(text)}`;
  if (!/^[+-]?\d+$/.test(text)) problems.push(`${parsing}: invalid syntax`);
  else {
    const number = BigInt(text.replace('+', ''));
    const fits = number < LARGEST_INT64 && number >= -LARGEST_INT64;
    if (!fits) problems.push(`${parsing}: value out of range`);
  }
  return problems;
}
