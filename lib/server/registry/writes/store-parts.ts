import type { Runtime } from '../../../kernel/time/runtime.ts';
import { badRequest, type Subject } from '../../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import type { StorageInterface } from '../../storage/contract/storage-interface.ts';
import { inApiVersion } from '../rules/derived-object.ts';
import type { GracePeriodReaper } from './grace-period-reaper.ts';
import type { KindDefinition } from '../contract/kind-definition.ts';
import { pathSegment } from '../rules/name-forms.ts';
import type { RequestContext, WriteResult } from '../contract/rest-storage.ts';
import type { StoreHooks } from '../contract/store-hooks.ts';
import type { Admission, AdmittedVersions } from '../contract/admission.ts';

/** Ends an admission, during which the namespace is kept. */
export type ReleaseAdmission = () => void;

/** Decides whether an object may be created. */
export interface CreateAdmission {
  /** Resolves when the creation may proceed; call the returned function when it has ended. @throws {ApiError} 403, 404, 405. */
  enter(subject: Subject, namespace: string, name: string): Promise<ReleaseAdmission>;
}

/** Admission of the objects of one resource. */
export interface StoreAdmission {
  readonly plugins: Admission;
  readonly versions: AdmittedVersions;
}

/** The parts that the verbs of one resource share. */
export interface StoreParts {
  readonly kind: KindDefinition;
  readonly storage: StorageInterface<UnstructuredObject>;
  readonly runtime: Runtime;
  readonly hooks: StoreHooks;
  readonly admission: CreateAdmission;
  /** Admission, which changes and refuses requests. @defaultValue none */
  readonly chain?: StoreAdmission | undefined;
  readonly reaper: GracePeriodReaper;
  /** The apiVersion of this endpoint. */
  readonly apiVersion: string;
  /** The apiVersion in which objects are stored; it differs only for custom resources with several versions. */
  readonly storedApiVersion: string;
}

/** The storage key of one object. @throws {ApiError} 400 when the name is not valid in a key. */
export function objectKey(parts: StoreParts, namespace: string, name: string): string {
  if (name === '') throw badRequest('name is required');
  const problem = pathSegment(name)[0];
  if (problem !== undefined)
    throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${problem}`);
  if (parts.kind.describe.namespaced && namespace === '') {
    throw badRequest('an empty namespace may not be set when a resource name is provided');
  }
  return `${collectionKey(parts, namespace)}${name}`;
}

/** The key prefix of a namespace, or of the whole resource when `namespace` is empty. */
export function collectionKey({ kind }: StoreParts, namespace: string): string {
  if (!kind.describe.namespaced || namespace === '') return `${kind.keyRoot}/`;
  const problem = pathSegment(namespace)[0];
  if (problem !== undefined) {
    throw badRequest(`invalid namespace ${JSON.stringify(namespace)}: ${problem}`);
  }
  return `${kind.keyRoot}/${namespace}/`;
}

/** The object in the version of this endpoint. */
export function present(parts: StoreParts, stored: WriteResult): WriteResult {
  const { apiVersion, storedApiVersion, kind } = parts;
  if (apiVersion === storedApiVersion) return stored;
  return inApiVersion(stored, apiVersion, kind.conversion?.fromStored);
}

/** An object in the stored form, as the version of this endpoint has it; the same one if both have the same fields. */
export function servedForm(
  { kind }: Pick<StoreParts, 'kind'>,
  object: UnstructuredObject,
): UnstructuredObject {
  return kind.conversion?.fromStored(object) ?? object;
}

export function warnAll(context: RequestContext, texts: readonly string[] | undefined): void {
  for (const text of texts ?? []) context.warn(text);
}
