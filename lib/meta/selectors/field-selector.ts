import { ListwatchError } from '../../kernel/failure/errors.ts';

export interface FieldRequirement {
  /** Field path, e.g. `metadata.name`. */
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** A parsed field selector: all requirements must hold. The resource defines which fields exist. */
export class FieldSelector {
  readonly requirements: readonly FieldRequirement[];

  constructor(requirements: readonly FieldRequirement[]) {
    this.requirements = requirements;
  }

  /** Whether it matches everything. */
  get empty(): boolean {
    return this.requirements.length === 0;
  }

  /** A field that is not in `fields` counts as the empty string. */
  matches(fields: Readonly<Record<string, string>>): boolean {
    return this.requirements.every(({ field, operator, value }) => {
      const actual = Object.hasOwn(fields, field) ? fields[field] : '';
      return (actual === value) === (operator === '=');
    });
  }

  /** The value that `field` must equal, if the selector says so. */
  requiredValue(field: string): string | undefined {
    return this.requirements.find((one) => one.field === field && one.operator === '=')?.value;
  }

  toString(): string {
    return this.requirements
      .map(({ field, operator, value }) => `${field}${operator}${escape(value)}`)
      .join(',');
  }
}

function escape(value: string): string {
  return value.replaceAll(/[\\,=]/g, (character) => `\\${character}`);
}

/**
 * Parses `status.phase=Running,spec.nodeName!=a`. In a value a backslash escapes `\`, `,` and `=`, and spaces are part of
 * the value. The empty text matches everything.
 * @throws {ListwatchError} code INVALID_SELECTOR.
 * @see apimachinery fields/selector.go @ eed236c
 */
export function parseFieldSelector(text: string): FieldSelector {
  return new FieldSelector(splitTerms(text).map((term) => parseTerm(term, text)));
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let term = '';
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] as string;
    if (character === '\\') {
      term += character + (text[index + 1] ?? '');
      index += 1;
    } else if (character === ',') {
      terms.push(term);
      term = '';
    } else {
      term += character;
    }
  }
  terms.push(term);
  return terms.filter((one) => one !== '');
}

function parseTerm(term: string, whole: string): FieldRequirement {
  const match = /^([^=!\\\s]+)(==|!=|=)(.*)$/s.exec(term);
  if (match === null) return fail(whole, `expected FIELD=VALUE, found "${term}"`);
  const [, field, operator, value] = match as unknown as [string, string, string, string];
  return { field, operator: operator === '!=' ? '!=' : '=', value: unescape(value, whole) };
}

function unescape(value: string, whole: string): string {
  let plain = '';
  for (let index = 0; index < value.length; index += 1) {
    const character = value[index] as string;
    if (character === '=') return fail(whole, `an unescaped "=" in the value "${value}"`);
    if (character !== '\\') {
      plain += character;
      continue;
    }
    index += 1;
    const escaped = value[index];
    if (escaped === undefined || !'\\,='.includes(escaped)) {
      return fail(whole, `a backslash may only stand before \\ , or = in the value "${value}"`);
    }
    plain += escaped;
  }
  return plain;
}

function fail(text: string, reason: string): never {
  throw new ListwatchError('INVALID_SELECTOR', `field selector ${JSON.stringify(text)}: ${reason}`);
}
