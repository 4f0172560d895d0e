import {
  jsonEqual,
  recordAt,
  textAt,
  textsAt,
  valueAt,
  type JsonRecord,
} from '../../../meta/json-value.ts';

/** Another definition, of which only the names are read. */
export type NameClaims = object;

export interface NameRivals {
  readonly others: Iterable<NameClaims>;
  readonly isBuiltIn: (group: string, resource: string) => boolean;
}

/** Which names a definition gets, and why not the ones that it wants. */
export interface NameDecision {
  readonly names: JsonRecord;
  /** Undefined when there is no conflict. */
  readonly conflict: { readonly reason: string; readonly message: string } | undefined;
}

/**
 * Decides which of the names in its spec a definition gets: those that no other definition of its group has.
 * @see apiextensions-apiserver pkg/controller/status/naming_controller.go @ v0.36.3
 */
export function acceptNames(definition: unknown, rivals: NameRivals): NameDecision {
  const wanted = recordAt(definition, 'spec', 'names') ?? {};
  const accepted = recordAt(definition, 'status', 'acceptedNames') ?? {};
  const { resources, kinds } = takenNames(definition, rivals);
  const names: JsonRecord = { ...accepted };
  let conflict: NameDecision['conflict'];
  for (const [field, reason, taken] of [
    ['plural', 'PluralConflict', resources],
    ['singular', 'SingularConflict', resources],
    ['shortNames', 'ShortNamesConflict', resources],
    ['kind', 'KindConflict', kinds],
    ['listKind', 'ListKindConflict', kinds],
  ] as const) {
    const has = new Set(namesAt(accepted, field));
    const refused = namesAt(wanted, field).filter((name) => !has.has(name) && taken.has(name));
    if (refused.length === 0) copyName(wanted, names, field);
    else conflict = { reason, message: inUse(refused) };
  }
  copyName(wanted, names, 'categories');
  return { names, conflict };
}

/** Whether a definition has the names that it wants. */
export function hasWantedNames(definition: unknown): boolean {
  const wanted = valueAt(definition, 'spec', 'names');
  return jsonEqual(wanted, valueAt(definition, 'status', 'acceptedNames'));
}

function takenNames(
  definition: unknown,
  { others, isBuiltIn }: NameRivals,
): { readonly resources: ReadonlySet<string>; readonly kinds: ReadonlySet<string> } {
  const group = textAt(definition, 'spec', 'group');
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const other of others) {
    if (textAt(other, 'spec', 'group') !== group) continue;
    const names = recordAt(other, 'status', 'acceptedNames') ?? {};
    for (const field of ['plural', 'singular', 'shortNames']) {
      for (const name of namesAt(names, field)) resources.add(name);
    }
    for (const field of ['kind', 'listKind']) {
      for (const name of namesAt(names, field)) kinds.add(name);
    }
  }
  // A definition cannot take the place of a built-in resource here.
  const plural = textAt(definition, 'spec', 'names', 'plural');
  if (isBuiltIn(group, plural)) resources.add(plural);
  return { resources, kinds };
}

function namesAt(names: JsonRecord, field: string): readonly string[] {
  if (field === 'shortNames') return textsAt(names, field);
  const name = textAt(names, field);
  return name === '' ? [] : [name];
}

function copyName(from: JsonRecord, to: JsonRecord, field: string): void {
  if (Object.hasOwn(from, field)) to[field] = from[field];
  else delete to[field];
}

function inUse(names: readonly string[]): string {
  const texts = names.map((name) => `"${name}" is already in use`);
  return texts.length === 1 ? (texts[0] as string) : `[${texts.join(', ')}]`;
}
