import { causesOfVersion } from '../rules/cause-changes.ts';
import { invalidSubject } from '../contract/kind-definition.ts';
import { randomUuid } from '../../../kernel/time/random.ts';
import { failure } from '../../../meta/failure/api-error.ts';
import {
  alreadyExists,
  badRequest,
  invalid,
  isAlreadyExists,
} from '../../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { DerivedObject } from '../rules/derived-object.ts';
import { timestampOf } from '../rules/duration.ts';
import type { MutableObject } from '../rules/mutable-object.ts';
import { generateName, NAME_GENERATION_ATTEMPTS } from '../rules/name-validation.ts';
import { causesOfCreate } from '../rules/metadata-rules.ts';
import type { RequestContext, WriteOptions, WriteResult } from '../contract/rest-storage.ts';
import { userNamed } from '../contract/user-info.ts';
import { typedBody } from './typed-body.ts';
import { storageFailure } from './storage-failures.ts';
import { isStorageError } from '../../storage/contract/storage-error.ts';
import type { FinishWrite } from '../contract/store-hooks.ts';
import { trackCreate } from './track-fields.ts';
import {
  objectKey,
  present,
  warnAll,
  type StoreAdmission,
  type StoreParts,
} from './store-parts.ts';
import {
  admissionOf,
  mutated,
  validated,
  writtenOptions,
  type AdmittedWrite,
} from './write-admission.ts';

/**
 * Creates an object: system fields, name, strategy, validation, write. Awaits between these steps; the write itself fails if the
 * name is taken.
 * @throws {ApiError} 400, 403, 404 (namespace), 409, 422.
 */
export async function createObject(
  parts: StoreParts,
  context: RequestContext,
  body: UnstructuredObject,
  options: WriteOptions,
): Promise<WriteResult> {
  const given = typedBody(parts, context, body, options);
  const { describe } = parts.kind;
  clearSystemFields(parts, context, given);
  const { name, generateName: prefix, namespace = '' } = given.metadata;
  // The server has not made its name yet.
  const release = await parts.admission.enter(describe, namespace, name || prefix || '');
  context.step?.('admitted');
  try {
    const admission = admissionOf(parts, context, 'CREATE', '');
    if (admission === undefined) return await createPrepared(parts, context, given, options);
    const object = await admitNewObject(parts, context, { admission, given, options });
    return await createPrepared(parts, context, object, { ...options, applied: true });
  } finally {
    release();
  }
}

interface AdmittedCreation {
  readonly admission: StoreAdmission;
  readonly given: MutableObject;
  readonly options: WriteOptions;
}

/** A new object after the plug-ins that may change it. What they change belongs to no field manager. @throws {ApiError} */
export async function admitNewObject(
  parts: StoreParts,
  context: RequestContext,
  { admission, given, options }: AdmittedCreation,
): Promise<MutableObject> {
  given.kind = parts.kind.describe.kind;
  given.apiVersion = parts.storedApiVersion;
  trackCreate(parts, context, given, options);
  return await mutated(parts, admission, {
    ...creationOf(context, given, options),
    object: given,
  });
}

function creationOf(
  context: RequestContext,
  object: UnstructuredObject,
  options: WriteOptions,
): AdmittedWrite {
  return {
    operation: 'CREATE',
    context,
    name: object.metadata?.name ?? '',
    subresource: options.subresource ?? '',
    dryRun: options.dryRun === true,
    options: writtenOptions('CreateOptions', options),
    object,
    oldObject: undefined,
  };
}

/** Asks plug-ins about a new object that was checked. @throws {ApiError} */
export async function validateNewObject(
  parts: StoreParts,
  context: RequestContext,
  object: MutableObject,
  options: WriteOptions,
): Promise<void> {
  const admission = admissionOf(parts, context, 'CREATE', options.subresource ?? '');
  if (admission === undefined) return;
  await validated(parts, admission, creationOf(context, object, options));
}

async function createPrepared(
  parts: StoreParts,
  context: RequestContext,
  object: MutableObject,
  options: WriteOptions,
): Promise<WriteResult> {
  const isGenerated = fillSystemFields(parts, context, object);
  if (parts.hooks.authorize !== undefined) {
    await parts.hooks.authorize(context, object, {
      name: '',
      existing: undefined,
      subresource: '',
    });
  }
  const found = await parts.hooks.lookUp?.(object);
  if (isGenerated) return await createGenerated(parts, context, object, options, found);
  const finish = await prepareNewObject(parts, context, object, options, found);
  return await finishing(finish, write(parts, context, object, options));
}

/** Tries several names. What a `prepare` hook allocates belongs to a name, so that it is allocated anew for each. */
async function createGenerated(
  parts: StoreParts,
  context: RequestContext,
  object: MutableObject,
  options: WriteOptions,
  found: unknown,
): Promise<WriteResult> {
  const unprepared = parts.hooks.prepareCreate === undefined ? undefined : structuredClone(object);
  let tried = object;
  let finish = await prepareNewObject(parts, context, tried, options, found);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await finishing(finish, write(parts, context, tried, options));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      if (attempt === NAME_GENERATION_ATTEMPTS) throw namesTaken(parts, tried, error);
      if (unprepared !== undefined) tried = structuredClone(unprepared);
      tried.metadata.name = generateName(parts.runtime, tried.metadata.generateName ?? '');
      if (unprepared !== undefined) {
        finish = await prepareNewObject(parts, context, tried, options, found);
      }
    }
  }
}

function namesTaken({ kind }: StoreParts, { metadata }: MutableObject, cause: unknown): Error {
  const { details } = alreadyExists(kind.describe, metadata.name ?? '').status;
  return failure(
    'AlreadyExists',
    `${kind.describe.resource} "${metadata.generateName}" already exists, the server was not able to generate a unique name for the object`,
    { cause, details: { ...details, retryAfterSeconds: 1 } },
  );
}

/** Notifies the hook of the end of the write. */
async function finishing(
  finish: FinishWrite | undefined,
  writing: Promise<WriteResult>,
): Promise<WriteResult> {
  if (finish === undefined) return await writing;
  let written: WriteResult;
  try {
    written = await writing;
  } catch (error) {
    await finish(false);
    throw error;
  }
  await finish(true);
  return written;
}

/**
 * Sets the fields that only the server may set: uid, creation time, namespace, and the name if it has to be generated. Returns whether it
 * was.
 */
export function fillSystemFields(
  { kind, runtime }: StoreParts,
  context: RequestContext,
  object: MutableObject,
): boolean {
  const { metadata } = object;
  clearSystemFields({ kind }, context, object);
  metadata.uid = randomUuid(runtime);
  metadata.creationTimestamp = timestampOf(runtime.wallMs());
  if ((metadata.name ?? '') !== '' || !metadata.generateName) return false;
  metadata.name = generateName(runtime, metadata.generateName);
  return true;
}

function clearSystemFields(
  { kind }: Pick<StoreParts, 'kind'>,
  context: RequestContext,
  object: MutableObject,
): void {
  const { metadata } = object;
  delete metadata.uid;
  delete metadata.creationTimestamp;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata['selfLink'];
  placeInNamespace(kind.describe.namespaced, context, object);
}

/** Sets the namespace of the request; cluster-scoped objects have none. @throws {ApiError} 400 when body and URL differ. */
export function placeInNamespace(
  namespaced: boolean,
  context: RequestContext,
  { metadata }: { readonly metadata: { namespace?: string } },
): void {
  if (!namespaced) {
    delete metadata.namespace;
    return;
  }
  const { namespace = '' } = metadata;
  if (namespace !== '' && context.namespace !== '' && namespace !== context.namespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
  metadata.namespace = context.namespace === '' ? namespace : context.namespace;
}

/**
 * Runs the `prepare` hook, applies the strategy to the object and validates it. Its result has to be notified of the end of the write.
 * @param found The result of the hook `lookUp`.
 * @throws {ApiError} 422.
 */
export async function prepareNewObject(
  parts: StoreParts,
  context: RequestContext,
  object: MutableObject,
  options: WriteOptions,
  found: unknown,
): Promise<FinishWrite | undefined> {
  const { kind, runtime, storedApiVersion } = parts;
  const { strategy, describe } = kind;
  object.kind = describe.kind;
  object.apiVersion = storedApiVersion;
  const user = context.identity ?? userNamed(context.user);
  // The schema of a custom resource sets its defaults in the strategy; a type has set them before.
  if (kind.type !== undefined) trackCreate(parts, context, object, options);
  const finish = await parts.hooks.prepareCreate?.(object, options.dryRun === true);
  const texts = strategy.prepareForCreate(object, {
    nowMs: runtime.wallMs(),
    minor: kind.minor,
    user,
    found,
  });
  if (kind.type === undefined) trackCreate(parts, context, object, options);
  const { metadataRules: rules, nameProblems } = strategy;
  const { namespaced } = describe;
  const causes = causesOfCreate(object, { namespaced, nameProblems, rules }, (one) =>
    strategy.validate(one, kind),
  );
  if (causes.length > 0) {
    if (texts !== undefined) warnAll(context, texts);
    await finish?.(false);
    throw invalid(invalidSubject(kind), object.metadata.name ?? '', causesOfVersion(kind, causes));
  }
  kind.storeAs?.(object);
  if (texts !== undefined) warnAll(context, texts);
  warnAll(context, strategy.warnings?.(object, undefined, kind));
  return finish;
}

async function write(
  parts: StoreParts,
  context: RequestContext,
  object: MutableObject,
  options: WriteOptions,
): Promise<WriteResult> {
  const { kind, storage, hooks } = parts;
  const { dryRun = false } = options;
  const { client, guard, signal } = context;
  const { name = '', namespace = '' } = object.metadata;
  const key = objectKey(parts, namespace, name);
  await validateNewObject(parts, context, object, options);
  if (dryRun) return await createDry(parts, context, key, object);
  let finish: FinishWrite | undefined;
  let created: WriteResult;
  try {
    context.step?.('validated');
    finish = await hooks.beginCreate?.(object);
    const { ttlSeconds } = kind;
    created = await storage.create(key, object, { ttlSeconds, client, guard, signal });
    context.step?.('stored');
  } catch (error) {
    await finish?.(false);
    if (isStorageError(error, 'KEY_EXISTS')) throw await nameTaken(parts, key, name);
    throw storageFailure(error, 'create', kind.describe, name);
  }
  await finish?.(true);
  hooks.afterCreate?.(created);
  return present(parts, created);
}

/** The object that the creation would return, with the resource version of the request, if any; nothing is written. */
async function createDry(
  parts: StoreParts,
  { signal }: RequestContext,
  key: string,
  object: MutableObject,
): Promise<WriteResult> {
  const { name = '' } = object.metadata;
  const existing = await parts.storage.get(key, { ignoreNotFound: true, signal });
  if (existing !== undefined) throw await nameTaken(parts, key, name);
  return present(parts, new DerivedObject(key, object));
}

/** The 409 for a name that is taken. It says whether the other object is being deleted, so that clients can wait. */
async function nameTaken(parts: StoreParts, key: string, name: string): Promise<Error> {
  let leaving = false;
  try {
    const existing = await parts.storage.get(key, { ignoreNotFound: true });
    leaving = existing?.metadata.deletionTimestamp !== undefined;
  } catch {
    // The name is taken, whether or not the object can be read.
  }
  return alreadyExists(parts.kind.describe, name, leaving ? 'object is being deleted: ' : '');
}
