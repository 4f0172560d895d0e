import type { UnstructuredObject } from '../../../meta/object.ts';
import type { GroupVersionKind, ResourceInfo } from '../../../meta/resource.ts';
import type { JsonRecord } from '../../../meta/json-value.ts';
import type { RequestContext } from './rest-storage.ts';
import type { UserInfo } from './user-info.ts';

/** The operation of a request, as in webhook rules. */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** A resource in one version, with the kind of what is written. */
export interface AdmittedVersion
  extends Pick<ResourceInfo, 'group' | 'version' | 'resource' | 'kind'> {
  /** Of a subresource whose body is of another group or version, such as an Eviction. */
  readonly objects?: GroupVersionKind | undefined;
}

/** The versions in which the object of a request can be shown. */
export interface AdmittedVersions {
  /** The served versions of the same objects, besides that of the request. */
  others(): readonly AdmittedVersion[];
  /** The object in the API version of `to`. @throws {ApiError} 500 when it cannot be converted. */
  convert(
    object: UnstructuredObject,
    to: AdmittedVersion,
    signal: AbortSignal | undefined,
  ): Promise<UnstructuredObject>;
  /**
   * An object from a webhook as its kind: with the fields of its type and its defaults.
   * @throws {ApiError} for another kind; {Error} for what cannot be read.
   */
  read(object: UnstructuredObject, version: AdmittedVersion): UnstructuredObject;
}

/**
 * One request as admission sees it. Objects are in the version of the request.
 * @see apiserver pkg/admission/interfaces.go Attributes @ v0.36.3
 */
export interface AdmissionRequest {
  readonly operation: AdmissionOperation;
  /** The resource of the URL, with the kind of the body. */
  readonly target: AdmittedVersion;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** That of a namespace itself is its name; empty for other cluster-scoped objects. */
  readonly namespace: string;
  /** Empty when the name is not known yet, and for each object of a deleted collection. */
  readonly name: string;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** `CreateOptions`, `UpdateOptions` or `DeleteOptions`; undefined for a connection. */
  readonly options: JsonRecord | undefined;
  /** The written object, or the options of a connection. Mutating plug-ins may change or replace it; others must not change it. */
  object: UnstructuredObject | undefined;
  /** The stored object of an update or deletion; shared. */
  readonly oldObject: UnstructuredObject | undefined;
  readonly versions: AdmittedVersions;
  /** Of the request: its abort signal, and where warnings go. */
  readonly context: RequestContext;
}

/** Which requests a plug-in may look at, known before anything is made of the request. */
export interface AdmissionScope {
  readonly operation: AdmissionOperation;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
}

/**
 * Changes and refuses requests before they are written.
 * @see apiserver pkg/admission/chain.go @ v0.36.3
 */
export interface Admission {
  /** Whether a request has to be shown. Called for each request, so it must be fast. */
  wants(scope: AdmissionScope): boolean;
  /** Before the object is checked. @throws {ApiError} */
  mutate(request: AdmissionRequest): Promise<void>;
  /** After the object was checked, before it is written. @throws {ApiError} */
  validate(request: AdmissionRequest): Promise<void>;
}
