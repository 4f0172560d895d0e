import type { FieldCause } from '../../../meta/failures.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { jsonEqual, setOwn } from '../rules/json-value.ts';
import type { MutableObject } from '../rules/mutable-object.ts';
import { dnsSubdomainProblem, type NameRule } from '../rules/name-validation.ts';

/** The part of a request that a strategy may read. */
export interface StrategyContext {
  /** The wall clock. */
  readonly nowMs: number;
}

/**
 * The rules for creating objects of a kind. Functions may change the object, which is private to the request,
 * and may run more than once for one request.
 * @see apiserver pkg/registry/rest/create.go @ 24a394e
 */
export interface CreateStrategy {
  readonly nameProblem: NameRule;
  /** Clears what clients may not set and fills in defaults; metadata is done. */
  prepareForCreate(object: MutableObject, context: StrategyContext): void;
  validate(object: MutableObject): readonly FieldCause[];
  /** Texts for `Warning` headers. */
  warnings?(object: UnstructuredObject): readonly string[];
}

/** The rules for updating objects of a kind, through the object itself or through a subresource. */
export interface UpdateStrategy {
  /** A PUT of an object that does not exist creates it. */
  readonly allowCreateOnUpdate: boolean;
  /** A PUT without resource version replaces whatever is there. */
  readonly allowUnconditionalUpdate: boolean;
  /** Puts back what this endpoint may not change. `existing` is shared and must not be modified. */
  prepareForUpdate(object: MutableObject, existing: MutableObject, context: StrategyContext): void;
  validateUpdate(object: MutableObject, existing: MutableObject): readonly FieldCause[];
  /** Texts for `Warning` headers. */
  warnings?(object: UnstructuredObject): readonly string[];
}

/** The rules for deleting objects of a kind. */
export interface DeleteStrategy {
  /**
   * Runs before anything is decided: may mark the object, may add finalizers. The object and its metadata are private copies;
   * what lies deeper is shared, to be replaced and not changed. @throws {ApiError} 403.
   */
  prepareForDelete?(object: MutableObject, context: StrategyContext): void;
  /** Seconds until the object may go; undefined when the kind knows no grace. `asked` is what the request says. */
  gracePeriodSeconds?(object: MutableObject, asked: number | undefined): number | undefined;
  /** Everything that has to be done before the object may go. @defaultValue metadata.finalizers */
  finalizersOf?(object: MutableObject): readonly string[];
}

export interface ResourceStrategy extends CreateStrategy, UpdateStrategy, DeleteStrategy {}

export interface StrategyOptions extends Partial<ResourceStrategy> {
  /** The kind counts changes of its spec in metadata.generation. @defaultValue false */
  readonly generation?: boolean | undefined;
  /** The kind has a status subresource, so the object itself cannot change status. @defaultValue false */
  readonly status?: boolean | undefined;
  /** Fills in defaults, for creations and updates alike. */
  readonly setDefaults?: ((object: MutableObject) => void) | undefined;
}

/** A strategy with defaults for all it does not say. */
export function newStrategy({
  generation = false,
  status = false,
  setDefaults = (): void => {},
  ...own
}: StrategyOptions = {}): ResourceStrategy {
  const validate = own.validate ?? ((): readonly FieldCause[] => []);
  return {
    nameProblem: dnsSubdomainProblem,
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    ...own,
    validate,
    validateUpdate: own.validateUpdate ?? validate,
    prepareForCreate(object: MutableObject, context: StrategyContext): void {
      if (status) delete object['status'];
      if (generation) object.metadata.generation = 1;
      setDefaults(object);
      own.prepareForCreate?.(object, context);
    },
    prepareForUpdate(
      object: MutableObject,
      existing: MutableObject,
      context: StrategyContext,
    ): void {
      if (status) copyField('status', existing, object);
      setDefaults(object);
      own.prepareForUpdate?.(object, existing, context);
      if (generation && contentChanged(object, existing, status)) {
        object.metadata.generation = (existing.metadata.generation ?? 0) + 1;
      }
    },
  };
}

/**
 * The strategy of a status subresource: of the object sent, `status` counts and nothing else. Of metadata, labels,
 * annotations and finalizers are taken over where upstream's built-in kinds do, unless `keepMetadata` is set.
 */
export function newStatusStrategy({
  keepMetadata = false,
  setDefaults = (): void => {},
  validateUpdate = (): readonly FieldCause[] => [],
}: {
  readonly keepMetadata?: boolean | undefined;
  readonly setDefaults?: ((object: MutableObject) => void) | undefined;
  readonly validateUpdate?: UpdateStrategy['validateUpdate'] | undefined;
} = {}): UpdateStrategy {
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    validateUpdate,
    prepareForUpdate(object: MutableObject, existing: MutableObject): void {
      setDefaults(object);
      for (const field of new Set([...Object.keys(object), ...Object.keys(existing)])) {
        if (!NOT_CONTENT.has(field)) copyField(field, existing, object);
      }
      if (keepMetadata) {
        const { resourceVersion } = object.metadata;
        object.metadata = { ...existing.metadata };
        if (resourceVersion !== undefined) object.metadata.resourceVersion = resourceVersion;
      }
    },
  };
}

const NOT_CONTENT: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

/** Whether anything but type and metadata differs; a status with an endpoint of its own does not count either. */
function contentChanged(
  object: MutableObject,
  existing: MutableObject,
  separateStatus: boolean,
): boolean {
  for (const field of new Set([...Object.keys(object), ...Object.keys(existing)])) {
    const counts = !NOT_CONTENT.has(field) || (field === 'status' && !separateStatus);
    if (counts && !jsonEqual(object[field], existing[field])) return true;
  }
  return false;
}

function copyField(field: string, from: MutableObject, to: MutableObject): void {
  if (Object.hasOwn(from, field)) setOwn(to, field, from[field]);
  else delete to[field];
}
