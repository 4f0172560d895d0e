import type { FieldCause } from '../../../meta/failure/failures.ts';
import type { MutableObject } from './mutable-object.ts';
import { pathSegment, type Format } from './name-forms.ts';
import { validateMetadata, validateMetadataUpdate } from './object-validation.ts';

/**
 * How the rules of a kind look at the metadata, besides the rules for all kinds. An API server names a fault once for each look, so
 * that the number of causes shows how often a kind checks.
 */
export interface MetadataRules {
  /** Whether a creation is checked by the form of the names of the kind. @defaultValue true */
  readonly create?: boolean | undefined;
  /** At an update: by the rules of new objects, by the rules of updates, by both. @defaultValue 'update' */
  readonly update?: 'form' | 'update' | 'both' | 'none' | undefined;
  /** Whether finalizers need a slash in their names, unless they are Kubernetes' own. @defaultValue false */
  readonly kubeFinalizers?: boolean | undefined;
}

export interface MetadataOfKind {
  readonly namespaced: boolean;
  readonly nameProblems: Format;
  readonly rules: MetadataRules | undefined;
}

/**
 * The faults of a new object: those of its metadata by the rules of the kind, then those of the rest.
 * @see apiserver pkg/registry/rest/create.go BeforeCreate @ v0.36.3
 */
export function causesOfCreate(
  object: MutableObject,
  { namespaced, nameProblems, rules }: MetadataOfKind,
  validate: (object: MutableObject) => readonly FieldCause[],
): readonly FieldCause[] {
  const { create = true, kubeFinalizers = false } = rules ?? {};
  if (create) {
    const causes = validateMetadata(object, { namespaced, nameProblems, kubeFinalizers });
    const more = validate(object);
    return causes.length === 0 ? more : [...causes, ...more];
  }
  const causes = validate(object);
  if (causes.length > 0) return causes;
  return validateMetadata(object, { namespaced, nameProblems: pathSegment });
}

/**
 * The faults of the metadata of an update: by the rules for all kinds, then by those of the kind.
 * @see apiserver pkg/registry/rest/update.go BeforeUpdate @ v0.36.3
 */
export function metadataCausesOfUpdate(
  object: MutableObject,
  existing: MutableObject,
  { namespaced, nameProblems, rules }: MetadataOfKind,
): readonly FieldCause[] {
  const { update = 'update', kubeFinalizers = false } = rules ?? {};
  const causes = validateMetadata(object, { namespaced, nameProblems: pathSegment });
  causes.push(...validateMetadataUpdate(object, existing));
  const hasMoreRules = kubeFinalizers && object.metadata.finalizers !== undefined;
  if (causes.length === 0 && !hasMoreRules) return causes;
  if (update === 'update' || update === 'both') {
    causes.push(...validateMetadataUpdate(object, existing, kubeFinalizers));
  }
  if (update === 'form' || update === 'both') {
    causes.push(...validateMetadata(object, { namespaced, nameProblems, kubeFinalizers }));
  }
  return causes;
}
