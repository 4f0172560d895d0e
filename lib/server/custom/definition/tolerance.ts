import {
  jsonEqual,
  recordAt,
  recordsAt,
  textAt,
  textsAt,
  valueAt,
} from '../../../meta/json-value.ts';
import { bundleProblem, hasKnownReview, type ConversionRuleOptions } from './conversion-rules.ts';
import { hasCondition, versionsOf } from './custom-resource-definition.ts';
import { defaultCauses } from './default-rules.ts';
import {
  keysOfListCauses,
  listTypeCauses,
  SCHEMA_TYPES,
  type SchemaRuleOptions,
} from './structure/schema-rules.ts';
import { someSchema } from './structure/schema-walk.ts';
import { structuralCauses, unsupportedMember } from './structure/structural-rules.ts';

/** Rules that an update may break because the stored definition breaks them already. */
export interface Tolerance extends SchemaRuleOptions, ConversionRuleOptions {
  readonly requiresSchema: boolean;
  readonly requiresStructure: boolean;
  readonly requiresPrunedDefaults: boolean;
  /** The versions that may keep more selectable fields than there may be. */
  readonly manySelectable: ReadonlySet<string>;
}

/** The rules for a new definition. */
export const STRICT: Tolerance = {
  requiresSchema: true,
  requiresStructure: true,
  requiresPrunedDefaults: true,
  requiresTypes: true,
  requiresAtomicSets: true,
  requiresMapKeys: true,
  requiresKnownReview: true,
  allowsWrongBundle: true,
  manySelectable: new Set(),
};

/** The rules for an update of a definition that breaks none of them; `toleranceOf` takes rules away from these. */
export function strictUpdate(existing: unknown): Tolerance {
  return { ...STRICT, allowsWrongBundle: allowsWrongBundle(existing) };
}

const MOST_SELECTABLE = 8;
const NOT_PRUNED = 'must not have unknown fields';
const ATOMIC = 'must be atomic as item of a list';

/** The rules for an update. @see validation.go ValidateCustomResourceDefinitionUpdate @ v0.36.3 */
export function toleranceOf(definition: unknown, existing: unknown): Tolerance {
  const schemas = versionsOf(existing).map((one) => recordAt(one, 'schema', 'openAPIV3Schema'));
  const none = (breaks: (schema: Record<string, unknown>) => boolean): boolean =>
    !schemas.some((schema) => schema !== undefined && breaks(schema));
  const noneInside = (breaks: (schema: Record<string, unknown>) => boolean): boolean =>
    none((schema) => someSchema(schema, breaks));
  const structural = none(
    (schema) => unsupportedMember(schema) !== undefined || structuralCauses(schema, '').length > 0,
  );
  const reviews = textsAt(existing, 'spec', 'conversion', 'webhook', 'conversionReviewVersions');
  return {
    requiresSchema: schemas.every((schema) => schema !== undefined),
    requiresStructure: structural,
    requiresPrunedDefaults:
      !structural ||
      none((schema) =>
        defaultCauses(schema, '', true).some(({ message }) => message.endsWith(NOT_PRUNED)),
      ),
    requiresTypes: noneInside((schema) => {
      const type = textAt(schema, 'type');
      return type !== '' && !SCHEMA_TYPES.includes(type);
    }),
    requiresAtomicSets: noneInside((schema) =>
      listTypeCauses(schema, '', true).some(({ message }) => message.includes(ATOMIC)),
    ),
    requiresMapKeys: noneInside((schema) => keysOfListCauses(schema, '').length > 0),
    requiresKnownReview: reviews.length === 0 || hasKnownReview(reviews),
    allowsWrongBundle: allowsWrongBundle(existing),
    manySelectable: manySelectable(definition, existing),
  };
}

function allowsWrongBundle(existing: unknown): boolean {
  if (!hasCondition(existing, 'Established')) return true;
  return (
    bundleProblem(textAt(existing, 'spec', 'conversion', 'webhook', 'clientConfig', 'caBundle')) !==
    undefined
  );
}

function manySelectable(definition: unknown, existing: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  for (const old of versionsOf(existing)) {
    if (recordsAt(old, 'selectableFields').length <= MOST_SELECTABLE) continue;
    const name = textAt(old, 'name');
    const now = versionsOf(definition).find((one) => one['name'] === name);
    if (jsonEqual(valueAt(now, 'selectableFields'), valueAt(old, 'selectableFields')))
      found.add(name);
  }
  return found;
}
