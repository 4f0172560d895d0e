import { is, optionsOf, type OptionsSchema } from '../../../kernel/options/options-schema.ts';
import type { ListwatchError } from '../../../kernel/failure/errors.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { WRITE_OPTIONS, type WriteOptions } from '../request/resource-options.ts';

/**
 * Manifests: an object, a text of YAML or JSON with any number of documents, or an array of both. The items of a list, such as
 * `kind: List`, are manifests of their own.
 */
export type Manifests = string | object | readonly (string | object)[];

/** Which objects to delete because their manifest is gone. */
export interface PruneOptions {
  /** Only objects with these labels, in the syntax of `kubectl --selector`. It must not be empty. */
  readonly labelSelector: string;
  /**
   * Only objects of these kinds, as kubectl takes them: `['configmaps', 'deploy']`.
   * @defaultValue the kinds of the manifests, without namespaces and definitions of custom resources
   */
  readonly kinds?: readonly string[] | undefined;
}

export interface ApplyAllOptions extends WriteOptions {
  /** The namespace of objects that name none. @defaultValue that of the client */
  readonly namespace?: string | undefined;
  /** Takes fields from other managers, instead of a failure with APPLY_CONFLICT. @defaultValue false */
  readonly force?: boolean | undefined;
  /** Manifests of one phase that are applied at a time, 1 to 64. @defaultValue 8 */
  readonly concurrency?: number | undefined;
  /** The longest time until a definition of a custom resource is served, milliseconds. @defaultValue 60 000 */
  readonly timeoutMs?: number | undefined;
  /**
   * Deletes objects that this field manager has applied before and that have no manifest any more. Objects in other namespaces than
   * those of the manifests and of option `namespace` stay, and so do all if a manifest fails. @defaultValue nothing is deleted
   */
  readonly prune?: PruneOptions | undefined;
  /** Called for each object as soon as it is done. */
  readonly onResult?: ((result: AppliedObject | FailedManifest) => void) | undefined;
}

export const PRUNE: OptionsSchema<PruneOptions> = optionsOf<PruneOptions>()('applyAll', {
  labelSelector: is.anything().required,
  kinds: is.texts(),
});
export const APPLY_ALL: OptionsSchema<ApplyAllOptions, 'concurrency' | 'timeoutMs'> =
  optionsOf<ApplyAllOptions>()('applyAll', {
    ...WRITE_OPTIONS.rules,
    force: is.flag(),
    concurrency: is.integer({ min: 1, max: 64 }).default(8),
    timeoutMs: is.integer({ min: 0 }).default(60_000),
    prune: is.object(),
    onResult: is.callback(),
  });

/** The object of a manifest, or one that was pruned. */
export interface ManifestResult {
  readonly apiVersion: string;
  readonly kind: string;
  /** Undefined for kinds without namespaces, and when the server does not know the kind. */
  readonly namespace: string | undefined;
  readonly name: string;
  /** Where the manifest is, e.g. `manifests, document 2, line 14`; of a pruned object `pruned`. */
  readonly place: string;
}

export interface AppliedObject extends ManifestResult {
  /**
   * `configured`: it was there and has changed. `unchecked`: only in a dry run, when the namespace or the definition of the object is
   * itself not there yet.
   */
  readonly result: 'created' | 'configured' | 'unchanged' | 'pruned' | 'unchecked';
  /** As the server has it; of an unchecked one the manifest; of a pruned one as it was. */
  readonly object: UnstructuredObject;
}

export interface FailedManifest extends ManifestResult {
  readonly result: 'failed';
  /** Of a conflict an `ApiError` with code APPLY_CONFLICT, whose `conflicts` names managers and fields. */
  readonly error: ListwatchError;
}
