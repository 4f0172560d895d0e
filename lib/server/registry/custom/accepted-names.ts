import { hasCondition, setCondition } from './custom-resource-definition.ts';
import { recordAt, textAt, textsAt } from '../rules/json-value.ts';
import type { MutableObject } from '../rules/mutable-object.ts';

/** Another definition, of which only the names are read. */
export type NameClaims = object;

export interface AcceptNamesOptions {
  readonly others: readonly NameClaims[];
  readonly isBuiltIn: (group: string, resource: string) => boolean;
  /** RFC 3339. */
  readonly now: string;
}

/** Decides whether a definition gets the names in its spec, and writes the result into its status. */
export function acceptNames(
  definition: MutableObject,
  { others, isBuiltIn, now }: AcceptNamesOptions,
): void {
  const group = textAt(definition, 'spec', 'group');
  const plural = textAt(definition, 'spec', 'names', 'plural');
  const taken = isBuiltIn(group, plural)
    ? `"${plural}" is already in use`
    : conflictWith(definition, others);
  const status = recordAt(definition, 'status');
  const acceptedNames =
    taken === undefined
      ? recordAt(definition, 'spec', 'names')
      : (recordAt(status, 'acceptedNames') ?? {});
  // The status of an update is shared with the stored object, so it is replaced instead of modified.
  definition['status'] = { ...status, acceptedNames };
  const accepted = taken === undefined;
  setCondition(
    definition,
    {
      type: 'NamesAccepted',
      status: accepted ? 'True' : 'False',
      reason: accepted ? 'NoConflicts' : 'NameConflict',
      message: accepted ? 'no conflicts found' : taken,
    },
    now,
  );
  // An established definition stays established, even if its other names are refused.
  if (accepted || !hasCondition(definition, 'Established')) {
    setCondition(
      definition,
      {
        type: 'Established',
        status: accepted ? 'True' : 'False',
        reason: accepted ? 'InitialNamesAccepted' : 'NotAccepted',
        message: accepted ? 'the initial names have been accepted' : 'not all names are accepted',
      },
      now,
    );
  }
}

function conflictWith(
  definition: MutableObject,
  others: readonly NameClaims[],
): string | undefined {
  const group = textAt(definition, 'spec', 'group');
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const other of others) {
    if (textAt(other, 'spec', 'group') !== group) continue;
    for (const name of resourceNames(other, 'status', 'acceptedNames')) resources.add(name);
    for (const field of ['kind', 'listKind']) {
      kinds.add(textAt(other, 'status', 'acceptedNames', field));
    }
  }
  const names = resourceNames(definition, 'spec', 'names');
  const taken = names.find((name) => resources.has(name));
  if (taken !== undefined) return `"${taken}" is already in use`;
  const kind = ['kind', 'listKind']
    .map((field) => textAt(definition, 'spec', 'names', field))
    .find((name) => kinds.has(name));
  return kind === undefined ? undefined : `"${kind}" is already in use`;
}

/** All names of a resource that a request may use. */
function resourceNames(definition: object, ...path: readonly string[]): string[] {
  const single = ['plural', 'singular'].map((field) => textAt(definition, ...path, field));
  return [...single, ...textsAt(definition, ...path, 'shortNames')].filter((name) => name !== '');
}
