import type { Check } from '../../../server/registry/validation/check.ts';
import { all, required } from '../../../server/registry/validation/combine.ts';
import type { Format } from '../../../server/registry/validation/formats.ts';
import { format, oneOf } from '../../../server/registry/validation/values.ts';

/** A value of an enumeration that has to be set. */
export function requiredOneOf(...values: readonly string[]): Check {
  return required(oneOf(values));
}

/** A value of an enumeration, of which an absent one is the empty text. */
export function oneOfTexts(...values: readonly string[]): Check {
  return (value, path, report) => {
    const text = value ?? '';
    if (!values.includes(text as string)) report.notSupported(path, text, values);
  };
}

/** A text that may be absent or empty, and otherwise has the form. */
export function filled(...formats: readonly Format[]): Check {
  const check = all(...formats.map(format));
  return (value, path, report) => {
    if (value !== undefined && value !== '') check(value, path, report);
  };
}

/** A text that has to have the form, also when it is absent. */
export function text(problemsOf: Format): Check {
  return (value, path, report) => {
    const given = typeof value === 'string' ? value : '';
    for (const problem of problemsOf(given)) report.invalid(path, given, problem);
  };
}

/** A text that has to be set, and may be wrong besides. */
export function requiredText(problemsOf: Format): Check {
  const rest = text(problemsOf);
  return (value, path, report) => {
    if (value === undefined || value === '') report.required(path);
    rest(value, path, report);
  };
}

/** A number from `least` to `most`, with words of its own for one that is not. */
export function within(least: number, most: number, detail: string): Check {
  return (value, path, report) => {
    if (typeof value === 'number' && (value < least || value > most)) {
      report.invalid(path, value, detail);
    }
  };
}

/** Permissions of a file. */
export const fileMode: Check = within(
  0,
  0o777,
  'must be a number between 0 and 0777 (octal), both inclusive',
);

/** Refuses a second member of a set of which one may be set, and checks the first one. */
export function oneMember(
  members: readonly OneMember[],
  texts: { readonly second: string; readonly none: string },
): Check {
  return (value, path, report) => {
    const given = (value ?? {}) as Readonly<Record<string, unknown>>;
    let isSet = false;
    for (const { name, check, refusedAt = name, checkedAt = name } of members) {
      const member = given[name];
      if (member === undefined || member === null) continue;
      if (isSet) report.forbidden(`${path}.${refusedAt}`, texts.second);
      else check(member, `${path}.${checkedAt}`, report);
      isSet = true;
    }
    if (!isSet) report.required(path, texts.none);
  };
}

export interface OneMember {
  readonly name: string;
  readonly check: Check;
  /** Where API servers refuse it as a second one. @defaultValue its name */
  readonly refusedAt?: string;
  /** Where API servers report on it. @defaultValue its name */
  readonly checkedAt?: string;
}
