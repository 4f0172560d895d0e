import type { FieldCause } from '../../../meta/failure/failures.ts';
import { fieldInvalid, fieldRequired } from '../../registry/rules/field-causes.ts';
import { textAt, textsAt, type JsonRecord } from '../../../meta/json-value.ts';
import { dns1035Label, dnsSubdomain } from '../../registry/validation/formats.ts';

const MIXED_CASE = 'may have mixed case, but should otherwise match: ';

/** The faults of a text as one text, as the rules of definitions report them. */
export function labelFaults(text: string): string {
  return dns1035Label(text).join(',');
}

/** The names of a definition, accepted or wanted; empty ones are let pass. */
export function nameCauses(names: JsonRecord | undefined, path: string): FieldCause[] {
  const causes: FieldCause[] = [];
  const check = (field: string, name: string, form: string = name, words: string = ''): void => {
    const faults = name === '' ? '' : labelFaults(form);
    if (faults !== '') causes.push(fieldInvalid(`${path}.${field}`, name, words + faults));
  };
  const kind = textAt(names, 'kind');
  const listKind = textAt(names, 'listKind');
  check('plural', textAt(names, 'plural'));
  check('singular', textAt(names, 'singular'));
  check('kind', kind, kind.toLowerCase(), MIXED_CASE);
  check('listKind', listKind, listKind.toLowerCase(), MIXED_CASE);
  listedNames(names, 'shortNames', path, causes);
  if (kind !== '' && kind === listKind) {
    const detail = 'kind and listKind may not be the same';
    causes.push(fieldInvalid(`${path}.listKind`, listKind, detail));
  }
  listedNames(names, 'categories', path, causes);
  return causes;
}

function listedNames(
  names: JsonRecord | undefined,
  field: string,
  path: string,
  causes: FieldCause[],
): void {
  for (const [index, name] of textsAt(names, field).entries()) {
    const faults = labelFaults(name);
    if (faults !== '') causes.push(fieldInvalid(`${path}.${field}[${index}]`, name, faults));
  }
}

/** A wanted name may not be missing. */
export function requiredNameCauses(names: JsonRecord | undefined, path: string): FieldCause[] {
  return ['plural', 'singular', 'kind', 'listKind']
    .filter((field) => textAt(names, field) === '')
    .map((field) => fieldRequired(`${path}.${field}`));
}

export function groupCauses(group: string): FieldCause[] {
  if (group === '') return [fieldRequired('spec.group')];
  const faults = dnsSubdomain(group).join(',');
  if (faults !== '') return [fieldInvalid('spec.group', group, faults)];
  if (group.includes('.')) return [];
  return [fieldInvalid('spec.group', group, 'should be a domain with at least one dot')];
}
