import type { KindDefinition } from '../contract/kind-definition.ts';
import { causesOfVersion } from '../rules/cause-changes.ts';
import { invalidSubject } from '../contract/kind-definition.ts';
import { conflict, invalid, notFound } from '../../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { isStorageError } from '../../storage/contract/storage-error.ts';
import type { UpdateInput, UpdateOutput } from '../../storage/contract/storage-interface.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';
import {
  admitNewObject,
  fillSystemFields,
  placeInNamespace,
  prepareNewObject,
  validateNewObject,
} from './create-object.ts';
import { serverStrategy } from '../contract/server-context.ts';
import {
  admissionOf,
  mutated,
  validated,
  writtenOptions,
  type AdmittedWrite,
} from './write-admission.ts';
import { blockingFinalizers } from './deletion-plan.ts';
import { checkVersionText, isUnset, refuseGivenUid, uidConflict } from './given-identity.ts';
import { DerivedObject } from '../rules/derived-object.ts';
import { fieldInvalid } from '../rules/field-causes.ts';
import { setOwn } from '../../../meta/json-value.ts';
import type { MutableMetadata, MutableObject } from '../rules/mutable-object.ts';
import { checkNameOfUrl } from '../rules/name-validation.ts';
import { trackChange } from './track-fields.ts';
import { metadataCausesOfUpdate, type MetadataOfKind } from '../rules/metadata-rules.ts';
import type {
  RequestContext,
  UpdateFunc,
  WriteOptions,
  WriteResult,
} from '../contract/rest-storage.ts';
import { typedBody } from './typed-body.ts';
import { MODIFIED, storageFailure } from './storage-failures.ts';
import type { FinishWrite } from '../contract/store-hooks.ts';
import {
  objectKey,
  present,
  servedForm,
  warnAll,
  type ReleaseAdmission,
  type StoreAdmission,
  type StoreParts,
} from './store-parts.ts';
import type { UpdateStrategy } from '../contract/strategy.ts';

export interface UpdateRequest {
  readonly context: RequestContext;
  readonly name: string;
  readonly update: UpdateFunc;
  readonly options: WriteOptions;
  /** The strategy of the endpoint: that of the object, or of a subresource. */
  readonly strategy: UpdateStrategy;
}

export interface UpdateAnswer {
  readonly result: WriteResult;
  readonly created: boolean;
}

/** Thrown to leave the update loop: no finalizer is left, so the object has to be deleted instead of written. */
class FinalizersEmptied extends Error {
  readonly object: MutableObject;
  readonly existing: StoredObject<UnstructuredObject>;

  constructor(object: MutableObject, existing: StoredObject<UnstructuredObject>) {
    super('the last finalizer is gone');
    this.object = object;
    this.existing = existing;
  }
}

/**
 * Replaces an object by the result of `update`, which is called again after each concurrent write.
 * Awaits between read and write; the storage's compare-and-swap makes that safe.
 * @throws {ApiError} 400, 404, 409, 422.
 */
export async function updateObject(
  parts: StoreParts,
  request: UpdateRequest,
): Promise<UpdateAnswer> {
  const { context, name } = request;
  const key = objectKey(parts, context.namespace, name);
  for (;;) {
    const attempt = new UpdateAttempt(parts, request);
    try {
      const result = await attempt.run(key);
      const { created } = attempt;
      await attempt.end(true);
      const { strategy } = request;
      if (!created) {
        warnAll(context, strategy.warnings?.(result.object, attempt.existing, parts.kind));
      }
      if (request.options.dryRun !== true) {
        if (created) parts.hooks.afterCreate?.(result);
        else parts.hooks.afterUpdate?.(result);
      }
      return { result: present(parts, result), created };
    } catch (error) {
      await attempt.end(false);
      if (!(error instanceof FinalizersEmptied)) {
        throw storageFailure(error, 'update', parts.kind.describe, name);
      }
      const result = await deleteFinalized(parts, request, error);
      if (result !== undefined) return { result: present(parts, result), created: false };
    }
  }
}

/** Undefined when the object has changed and the update has to be computed again. */
async function deleteFinalized(
  { storage, hooks, kind }: StoreParts,
  { name, options, context: { client, guard, signal } }: UpdateRequest,
  { object, existing }: FinalizersEmptied,
): Promise<WriteResult | undefined> {
  if (options.dryRun === true) return new DerivedObject(existing.key, object);
  const { uid } = existing.metadata;
  const { resourceVersion } = existing;
  try {
    const deleted = await storage.delete(existing.key, {
      preconditions: { uid, resourceVersion },
      cachedExisting: existing,
      client,
      guard,
      signal,
    });
    await hooks.afterDelete?.(deleted);
    object.metadata.resourceVersion = deleted.resourceVersion;
  } catch (error) {
    if (isStorageError(error, 'INVALID_OBJECT')) return undefined;
    if (!isStorageError(error, 'KEY_NOT_FOUND')) {
      throw storageFailure(error, 'update', kind.describe, name);
    }
  }
  return new DerivedObject(existing.key, object);
}

/** One run of the update loop, with the resources that its tries hold. */
class UpdateAttempt {
  readonly #parts: StoreParts;
  readonly #request: UpdateRequest;
  #finish: FinishWrite[] = [];
  #release: ReleaseAdmission | undefined;
  /** Whether the last try created the object. */
  created = false;
  /** The stored object that the last try replaced. */
  existing: UnstructuredObject | undefined;

  constructor(parts: StoreParts, request: UpdateRequest) {
    this.#parts = parts;
    this.#request = request;
  }

  async run(key: string): Promise<WriteResult> {
    const { storage } = this.#parts;
    const { client, guard, signal } = this.#request.context;
    if (this.#request.options.dryRun !== true) {
      const written = await storage.guaranteedUpdate(key, (input) => this.#try(input), {
        ignoreNotFound: true,
        cachedExisting: this.#request.options.known,
        client,
        guard,
        signal,
      });
      this.#request.context.step?.('stored');
      return written;
    }
    const stored = await storage.get(key, { ignoreNotFound: true, signal });
    const { object } = await this.#try({ existing: stored?.copy(), stored });
    return new DerivedObject(key, object);
  }

  /** Releases the resources of the last try. */
  async end(success: boolean): Promise<void> {
    const finishers = this.#finish;
    this.#finish = [];
    for (const finish of finishers) await finish(success);
    this.#release?.();
    this.#release = undefined;
  }

  #begun(finish: FinishWrite | undefined): void {
    if (finish !== undefined) this.#finish.push(finish);
  }

  async #try(input: UpdateInput<UnstructuredObject>): Promise<UpdateOutput<UnstructuredObject>> {
    const { stored } = input;
    await this.end(false);
    this.#request.context.step?.(stored === undefined ? 'nothing found' : 'read from storage');
    const { ttlSeconds } = this.#parts.kind;
    this.created = stored === undefined;
    const isShared = this.#request.options.known !== undefined;
    const existing = isShared ? stored?.object : input.existing;
    if (existing === undefined || stored === undefined) {
      return { object: await this.#create(), ttlSeconds };
    }
    return { object: await this.#update(existing, stored), ttlSeconds };
  }

  async #create(): Promise<MutableObject> {
    const { context, name, update, options, strategy } = this.#request;
    // A subresource creates without the hooks of the kind, as kube-apiserver does: such a service has no address.
    const parts =
      strategy === this.#parts.kind.strategy ? this.#parts : { ...this.#parts, hooks: {} };
    const { describe } = parts.kind;
    if (!strategy.allowCreateOnUpdate && options.forceAllowCreate !== true) {
      // A body that cannot be read counts before an object that is not there.
      if (options.bodyFaults !== undefined && options.refuseBody === undefined) {
        typedBody(parts, context, await update(undefined), options);
      }
      throw notFound(describe, name);
    }
    const given = typedBody(parts, context, await update(undefined), options);
    checkName(given, name);
    refuseGivenUid(describe, objectKey(parts, context.namespace, name), given.metadata, options);
    const admission = this.#admission('CREATE');
    const object = admission
      ? await admitNewObject(parts, context, { admission, given, options })
      : given;
    if (parts.hooks.authorize !== undefined) {
      await parts.hooks.authorize(context, object, {
        name,
        existing: undefined,
        subresource: '',
      });
    }
    const found = await parts.hooks.lookUp?.(object);
    checkVersionText(object.metadata.resourceVersion ?? '');
    // A dry run answers with the version that it was given: nothing is stored that would have one.
    if (options.dryRun !== true) delete object.metadata.resourceVersion;
    checkName(object, name);
    fillSystemFields(parts, context, object);
    this.#release = await parts.admission.enter(describe, object.metadata.namespace ?? '', name);
    const isTracked = admission !== undefined || options.applied;
    const prepared = { ...options, applied: isTracked };
    this.#begun(await prepareNewObject(parts, context, object, prepared, found));
    await validateNewObject(parts, context, object, options);
    if (context.authorize !== undefined) await context.authorize('create');
    if (options.dryRun !== true) this.#begun(await parts.hooks.beginCreate?.(object));
    return object;
  }

  async #update(
    existing: UnstructuredObject,
    stored: StoredObject<UnstructuredObject>,
  ): Promise<MutableObject> {
    const parts = this.#parts;
    const request = this.#request;
    const { context, name, update, options, strategy } = request;
    const { describe } = parts.kind;
    const { apiVersion } = parts;
    const before = { ...servedForm(parts, existing), apiVersion, kind: describe.kind };
    const given = typedBody(parts, context, await update(before), options, stored);
    const old = stored.object as MutableObject;
    this.existing = stored.object;
    const object = await this.#admitted(given, stored);
    const isAdmitted = object !== given;
    if (parts.hooks.authorize !== undefined) {
      await parts.hooks.authorize(context, object, {
        name,
        existing: old,
        subresource: options.subresource ?? '',
      });
    }
    this.#complete(object, stored, isAdmitted);
    const isTyped = parts.kind.type !== undefined;
    if (isTyped && !isAdmitted) this.#track(object, old);
    if (strategy === parts.kind.strategy) {
      this.#begun(await parts.hooks.prepareUpdate?.(object, old, options.dryRun === true));
    }
    const { minor, allowPrivileged } = parts.kind;
    const nowMs = parts.runtime.wallMs();
    strategy.prepareForUpdate(object, old, { nowMs, minor });
    if (!isTyped && !isAdmitted) this.#track(object, old);
    const causes = [
      ...metadataCausesOfUpdate(object, old, metadataOf(parts, strategy)),
      ...strategy.validateUpdate(object, old, { minor, allowPrivileged, nowMs }),
    ];
    if (causes.length > 0) {
      throw invalid(invalidSubject(parts.kind), name, causesOfVersion(parts.kind, causes));
    }
    await this.#validate(object, old);
    parts.kind.storeAs?.(object);
    if (isFinalized(parts, object)) throw new FinalizersEmptied(object, stored);
    context.step?.('validated');
    if (options.dryRun !== true) this.#begun(await parts.hooks.beginUpdate?.(object, old));
    return object;
  }

  /** Checks the address of the object, and restores what only the server sets. @throws {ApiError} 400, 409, 422. */
  #complete(
    object: MutableObject,
    stored: StoredObject<UnstructuredObject>,
    isAdmitted: boolean,
  ): void {
    const parts = this.#parts;
    const { context, name } = this.#request;
    const { describe } = parts.kind;
    // A name or uid that admission sets is a change, which validation refuses.
    if (!isAdmitted) checkName(object, name);
    else if (object.metadata.name !== name) throw renamed(parts.kind, object);
    placeInNamespace(describe.namespaced, context, object);
    if (!isAdmitted) checkUid(parts, this.#request, object, stored);
    object.metadata.uid ||= stored.metadata.uid ?? '';
    checkResourceVersion(parts, this.#request, object, stored);
    keepSystemFields(object.metadata, stored.metadata as MutableMetadata);
    object.apiVersion = parts.storedApiVersion;
    object.kind = describe.kind;
  }

  /** The plug-ins that look at the write. A Scale was admitted as such; the server's own updates are not. */
  #admission(operation: 'CREATE' | 'UPDATE'): StoreAdmission | undefined {
    const { context, options, strategy } = this.#request;
    const { subresource = '' } = options;
    if (strategy === serverStrategy || subresource === 'scale') return undefined;
    return admissionOf(this.#parts, context, operation, subresource);
  }

  /** The object after the plug-ins that may change it. What they change belongs to no field manager. */
  async #admitted(
    object: MutableObject,
    stored: StoredObject<UnstructuredObject>,
  ): Promise<MutableObject> {
    const admission = this.#admission('UPDATE');
    if (admission === undefined) return object;
    const old = stored.object as MutableObject;
    const { describe } = this.#parts.kind;
    checkName(object, this.#request.name);
    placeInNamespace(describe.namespaced, this.#request.context, object);
    checkUid(this.#parts, this.#request, object, stored);
    object.apiVersion = this.#parts.storedApiVersion;
    object.kind = describe.kind;
    this.#track(object, old);
    return await mutated(this.#parts, admission, { ...this.#write(object, old), object });
  }

  async #validate(object: MutableObject, old: MutableObject): Promise<void> {
    const admission = this.#admission('UPDATE');
    if (admission !== undefined) await validated(this.#parts, admission, this.#write(object, old));
  }

  #write(object: MutableObject, oldObject: MutableObject): AdmittedWrite {
    const { context, name, options } = this.#request;
    return {
      operation: 'UPDATE',
      context,
      name,
      subresource: options.subresource ?? '',
      dryRun: options.dryRun === true,
      options: writtenOptions('UpdateOptions', options),
      object,
      oldObject,
    };
  }

  /** A client that leaves out that the object is deleted removes this from the fields of managers, although it stays. */
  #track(object: MutableObject, old: MutableObject): void {
    const { context, options } = this.#request;
    trackChange(this.#parts, context, object, { live: old, options });
    keepDeletion(object.metadata, old.metadata);
  }
}

function metadataOf({ kind }: StoreParts, strategy: UpdateStrategy): MetadataOfKind {
  const { nameProblems, metadataRules } = kind.strategy;
  return {
    namespaced: kind.describe.namespaced,
    nameProblems,
    rules: strategy.metadataRules ?? { kubeFinalizers: metadataRules?.kubeFinalizers },
  };
}

/** Whether a deletion that was requested earlier can be completed now. */
function isFinalized({ kind }: StoreParts, object: MutableObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds !== 0) return false;
  return blockingFinalizers(kind.strategy, object).length === 0;
}

function checkName({ metadata }: MutableObject, name: string): void {
  metadata.name ??= '';
  checkNameOfUrl(metadata.name, name);
}

function renamed(definition: KindDefinition, { metadata }: MutableObject): Error {
  const { kind, group } = definition.describe;
  const { name = '' } = metadata;
  const cause = fieldInvalid('metadata.name', name, 'field is immutable');
  return invalid({ group, kind }, name, causesOfVersion(definition, [cause, cause]));
}

/** @throws {ApiError} 409 when the uid differs from the stored one. */
function checkUid(
  { kind: { describe } }: StoreParts,
  { options: { checksUid = true, dryRun = false } }: UpdateRequest,
  { metadata: { name = '', uid = '' } }: MutableObject,
  stored: StoredObject<UnstructuredObject>,
): void {
  const storedUid = stored.metadata.uid ?? '';
  // A uid that a patch sets is a change, which validation refuses.
  if (checksUid && uid !== '' && uid !== storedUid) {
    throw uidConflict(describe, name, { key: stored.key, dryRun, uid, storedUid });
  }
}

/** @throws {ApiError} 409 when the resource version differs from the stored one; 422 when a required version is missing. */
function checkResourceVersion(
  { kind: { describe } }: StoreParts,
  { strategy }: UpdateRequest,
  { metadata }: MutableObject,
  stored: StoredObject<UnstructuredObject>,
): void {
  const { name = '', resourceVersion = '' } = metadata;
  if (!isUnset(resourceVersion)) {
    checkVersionText(resourceVersion);
    if (resourceVersion !== stored.resourceVersion) throw conflict(describe, name, MODIFIED);
    return;
  }
  if (!strategy.allowUnconditionalUpdate) {
    const cause = fieldInvalid('metadata.resourceVersion', 0, 'must be specified for an update');
    // kube-apiserver names the resource here, not the kind.
    throw invalid({ group: describe.group, kind: describe.resource }, name, [cause]);
  }
  metadata.resourceVersion = stored.resourceVersion;
}

const KEPT = ['creationTimestamp', 'generation', 'selfLink'] as const;

/** Restores the fields that clients cannot change, without an error. */
function keepSystemFields(metadata: MutableMetadata, existing: MutableMetadata): void {
  for (const name of KEPT) {
    if (existing[name] === undefined) delete metadata[name];
    else setOwn(metadata, name, existing[name]);
  }
}

function keepDeletion(metadata: MutableMetadata, existing: MutableMetadata): void {
  // A deletion that a client writes itself is refused by validation.
  const { deletionTimestamp, deletionGracePeriodSeconds } = existing;
  if (deletionTimestamp !== undefined) metadata.deletionTimestamp = deletionTimestamp;
  if (deletionGracePeriodSeconds !== undefined) {
    metadata.deletionGracePeriodSeconds ??= deletionGracePeriodSeconds;
  }
}
