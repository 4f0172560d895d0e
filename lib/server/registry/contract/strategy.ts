import type { KubernetesMinor } from '../../../meta/releases/kubernetes-releases.ts';
import type { FieldCause } from '../../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { jsonEqual, recordAt, setOwn } from '../../../meta/json-value.ts';
import type { MutableObject } from '../rules/mutable-object.ts';
import type { UserInfo } from './user-info.ts';
import type { WritePolicy } from '../rules/write-policy.ts';
import type { MetadataRules } from '../rules/metadata-rules.ts';
import { dnsSubdomain } from '../rules/name-forms.ts';
import type { NameRule } from '../rules/name-validation.ts';

/** The inputs of a strategy besides the object. */
export interface StrategyContext {
  /** The wall-clock time. */
  readonly nowMs: number;
  /** The minor version of Kubernetes whose rules apply. @defaultValue the newest one */
  readonly minor?: KubernetesMinor | undefined;
  /** The user of the request; undefined for work of the server itself. */
  readonly user?: UserInfo | undefined;
  /** The result of the hook `lookUp` of the kind. @defaultValue it has none */
  readonly found?: unknown;
}

/**
 * The rules for creating objects of a kind. Functions may change the object, which is private to the request,
 * and may run more than once for one request.
 * @see apiserver pkg/registry/rest/create.go @ 24a394e
 */
export interface CreateStrategy {
  readonly nameProblems: NameRule;
  /**
   * Clears fields that clients may not set, and sets defaults; the metadata is complete. Returns texts for `Warning` headers, ahead of
   * those of `warnings`.
   */
  prepareForCreate(object: MutableObject, context: StrategyContext): readonly string[] | void;
  validate(object: MutableObject, policy?: WritePolicy): readonly FieldCause[];
  /** Texts for `Warning` headers. */
  warnings?(
    object: UnstructuredObject,
    existing?: UnstructuredObject,
    policy?: WritePolicy,
  ): readonly string[];
}

/** The rules for updating objects of a kind, through the object itself or through a subresource. */
export interface UpdateStrategy {
  /** Whether a PUT of an object that does not exist creates it. */
  readonly allowCreateOnUpdate: boolean;
  /** Of a subresource: whether a server-side apply of an object that does not exist creates it. @defaultValue false */
  readonly allowCreateOnApply?: boolean | undefined;
  /** Whether a PUT without a resource version replaces the present object. */
  readonly allowUnconditionalUpdate: boolean;
  /** How this endpoint looks at the metadata. @defaultValue as updates look, finalizers as the kind has them */
  readonly metadataRules?: MetadataRules | undefined;
  /** Restores the fields that this endpoint may not change. `existing` is shared and must not be modified. */
  prepareForUpdate(object: MutableObject, existing: MutableObject, context: StrategyContext): void;
  validateUpdate(
    object: MutableObject,
    existing: MutableObject,
    policy?: WritePolicy,
  ): readonly FieldCause[];
  /** Texts for `Warning` headers; `existing` is the stored object at an update. */
  warnings?(
    object: UnstructuredObject,
    existing?: UnstructuredObject,
    policy?: WritePolicy,
  ): readonly string[];
}

/** The rules for deleting objects of a kind. */
export interface DeleteStrategy {
  /**
   * Runs before the deletion is decided; may mark the object, and may add finalizers. The object and its metadata are private
   * copies; deeper parts are shared, and have to be replaced instead of modified. @throws {ApiError} 403.
   */
  prepareForDelete?(object: MutableObject, context: StrategyContext): void;
  /** The grace period in seconds; undefined when the kind has none. `asked` is the value in the request. */
  gracePeriodSeconds?(object: MutableObject, asked: number | undefined): number | undefined;
  /** Whether the grace period is written to an object that is kept. @defaultValue true */
  readonly recordsGracePeriod?: boolean | undefined;
  /** Whether the deletion of an object that is kept counts as a change of what it asks for. @defaultValue true */
  readonly countsDeletion?: boolean | undefined;
  /** Where dependents stay when a request does not say it, and where there cannot be any. @defaultValue the dependents are deleted later */
  readonly defaultPropagation?: 'Orphan' | 'Unsupported' | undefined;
  /** Warns of a request that leaves the choice to `defaultPropagation`. */
  readonly defaultPropagationWarning?: string | undefined;
  /** The finalizers that keep the object. @defaultValue metadata.finalizers */
  finalizersOf?(object: MutableObject): readonly string[];
}

export interface ResourceStrategy extends CreateStrategy, UpdateStrategy, DeleteStrategy {}

export interface StrategyOptions extends Partial<ResourceStrategy> {
  /** Whether metadata.generation counts changes of the spec. @defaultValue false */
  readonly generation?: boolean | undefined;
  /** Whether there is a status subresource, so that updates of the object itself cannot change status. @defaultValue false */
  readonly status?: boolean | undefined;
  /** The status of a new object, for kinds with a status subresource. @defaultValue none */
  readonly newStatus?: (() => unknown) | undefined;
  /** Sets defaults, at creations and updates. */
  readonly setDefaults?: ((object: MutableObject) => void) | undefined;
}

/** A strategy with defaults for all options that are left out. */
export function newStrategy({
  generation = false,
  status = false,
  newStatus,
  setDefaults = (): void => {},
  ...own
}: StrategyOptions = {}): ResourceStrategy {
  const validate = own.validate ?? ((): readonly FieldCause[] => []);
  return {
    nameProblems: dnsSubdomain,
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    ...own,
    validate,
    validateUpdate: own.validateUpdate ?? ((object, _, policy) => validate(object, policy)),
    prepareForCreate(object: MutableObject, context: StrategyContext): readonly string[] | void {
      if (status) delete object['status'];
      if (status && newStatus !== undefined) object['status'] = newStatus();
      if (generation) object.metadata.generation = 1;
      setDefaults(object);
      return own.prepareForCreate?.(object, context);
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
 * The strategy of a status subresource: only `status` of the object is used. Labels, annotations and finalizers are also taken
 * over for the kinds for which upstream does so, unless `keepMetadata` is set.
 */
export function newStatusStrategy({
  keepMetadata = false,
  labelsOfTemplate = false,
  setDefaults = (): void => {},
  validateUpdate = (): readonly FieldCause[] => [],
}: {
  readonly keepMetadata?: boolean | undefined;
  /** Whether an object without labels has those of its template: a default that counts for stored objects too. */
  readonly labelsOfTemplate?: boolean | undefined;
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
        const { resourceVersion, managedFields } = object.metadata;
        object.metadata = { ...existing.metadata, managedFields };
        if (managedFields === undefined) delete object.metadata['managedFields'];
        if (resourceVersion !== undefined) object.metadata.resourceVersion = resourceVersion;
      }
      if (labelsOfTemplate && Object.keys(object.metadata.labels ?? {}).length === 0) {
        const labels = recordAt(object, 'spec', 'template', 'metadata', 'labels');
        if (labels !== undefined) setOwn(object.metadata, 'labels', { ...labels });
      }
    },
  };
}

const NOT_CONTENT: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

/** Whether anything except type and metadata differs; a status with a subresource of its own is not compared either. */
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
