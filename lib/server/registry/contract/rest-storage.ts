import type { KubernetesMinor } from '../../../meta/releases/kubernetes-releases.ts';
import type { BodyFaults } from '../rules/body-faults.ts';
import type { KubernetesObject, UnstructuredObject } from '../../../meta/object.ts';
import type { ResourceInfo } from '../../../meta/resource.ts';
import type { Status } from '../../../meta/failure/status.ts';
import type {
  StorageList,
  StorageScan,
  StorageWatch,
} from '../../storage/contract/storage-interface.ts';
import type { StorageGuard } from '../../storage/contract/storage-guard.ts';
import type { UserInfo } from './user-info.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';

/** The names and properties of a resource type, for discovery and URLs. */
export interface ResourceDescription extends ResourceInfo {
  /** Lower-case singular, which kubectl accepts: `deployment`. */
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** The verbs in discovery, in its order. @defaultValue those that the storage has, in alphabetical order */
  readonly verbs?: readonly string[] | undefined;
  /** Names the version in which objects are stored, for discovery. */
  readonly storageVersionHash?: string | undefined;
  /** A text for the `Warning` header of each answer. */
  readonly deprecation?: string | undefined;
  /** Annotations that hold what is a field of another version. Answers with only the metadata do not have them. */
  readonly fieldAnnotations?: readonly string[] | undefined;
}

/** The user and the namespace of a request. */
export interface RequestContext {
  /** Empty for cluster-scoped resources and for lists over all namespaces. */
  readonly namespace: string;
  /** The authenticated user. */
  readonly user: string;
  /** Further facts about the user. @defaultValue the groups that follow from the name */
  readonly identity?: UserInfo | undefined;
  /**
   * Which client sends the request: equal for all requests of one program. A write is answered after the watches of the same client
   * have its event. Left out: unknown, and the answer waits for no watch.
   */
  readonly client?: string | undefined;
  /** The lease on which writes of this request depend. @defaultValue none */
  readonly guard?: StorageGuard | undefined;
  /**
   * Whether the user may do with the object of the request what another verb says: `create` where an update creates. Left out: it may
   * do everything. @param refuse The error, from the reason of the decision. @throws {ApiError} 403.
   */
  readonly authorize?:
    | ((verb: string, refuse?: (reason: string) => Error) => Promise<void>)
    | undefined;
  /** The abort signal of the request: the client disconnected, or the time limit is over. */
  readonly signal?: AbortSignal | undefined;
  /** Adds a text as a `Warning` header. */
  readonly warn: (text: string) => void;
  /** Adds an audit annotation to the record of the request; the first value of a key stays. @defaultValue none is kept */
  readonly annotate?: ((key: string, value: string) => void) | undefined;
  /** Marks the end of a step, for the log of slow requests. @defaultValue nothing is marked */
  readonly step?: ((name: string) => void) | undefined;
}

export interface ReadOptions {
  readonly resourceVersion?: string | undefined;
}

export interface ListOptions extends ReadOptions {
  readonly resourceVersionMatch?: 'NotOlderThan' | 'Exact' | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly shardSelector?: string | undefined;
  readonly limit?: number | undefined;
  readonly continueToken?: string | undefined;
}

export interface WatchOptions extends ListOptions {
  readonly allowWatchBookmarks?: boolean | undefined;
  readonly sendInitialEvents?: boolean | undefined;
  readonly deadlineMonotonicMs?: number | undefined;
}

export interface WriteOptions {
  readonly dryRun?: boolean | undefined;
  readonly fieldManager?: string | undefined;
  /** The subresource through which the object is written; empty for the object itself. @defaultValue '' */
  readonly subresource?: string | undefined;
  /** The managed fields of the object are right already: it is the result of an apply, or no manager owns what changes. @defaultValue false */
  readonly applied?: boolean | undefined;
  /** The options of the request that webhooks see besides `dryRun`, as the client gave them. */
  readonly asked?: Readonly<Record<string, unknown>> | undefined;
  /** The configuration that was applied. */
  readonly configuration?: UnstructuredObject | undefined;
  /** Creates a missing object even if the kind does not allow it, as server-side apply does. @defaultValue false */
  readonly forceAllowCreate?: boolean | undefined;
  /** The treatment of fields that the type of the kind does not have: an error, a warning, nothing. @defaultValue 'Warn' */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore' | undefined;
  /** Whether the server made the object from the stored one and a body of another kind: its unknown fields are left out without a word. */
  readonly isDerived?: boolean | undefined;
  /** Whether another uid in the object is a conflict. If not, it is an invalid change. @defaultValue true */
  readonly checksUid?: boolean | undefined;
  /** Further problems of the bytes of the body; read after the body or the patch was decoded. */
  readonly bodyFaults?: (() => BodyFaults | undefined) | undefined;
  /**
   * A state that the caller has decoded, with which the update begins unless there is a newer one. The update gets the stored object itself
   * then, of which it changes nothing in place; what it hands back of it is not read again.
   */
  readonly known?: StoredObject<UnstructuredObject> | undefined;
  /** The error for an object that cannot be read as its kind. @defaultValue 400 that names the kind */
  readonly refuseBody?: ((detail: string, body: unknown) => Error) | undefined;
}

export interface ApplyOptions extends WriteOptions {
  /** Takes fields from other managers instead of failing with a conflict. @defaultValue false */
  readonly force?: boolean | undefined;
}

export interface DeleteRequest {
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground' | undefined;
  readonly dryRun?: boolean | undefined;
  /**
   * How admission sees the deletion: without a name, as part of that of a collection; or not at all, because it has admitted what
   * deletes the object. @defaultValue by its name
   */
  readonly admission?: 'collection' | 'done' | undefined;
  /**
   * Removes an object that cannot be read, without validation, finalizers and grace period. Objects that depend on it may stay
   * behind. A readable object is refused. @defaultValue false
   */
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean | undefined;
}

/** Computes the new object from the stored one; runs again after each conflict. Undefined: there is no stored object. */
export type UpdateFunc = (
  existing: UnstructuredObject | undefined,
) => UnstructuredObject | Promise<UnstructuredObject>;

/** The result of a write. Its bytes can be sent unchanged. */
export type WriteResult = StoredObject<UnstructuredObject>;

/** A request that is passed on to a node, a pod or a service. */
export interface ConnectRequest {
  /** Upper case. */
  readonly method: string;
  /** The path after the name of the subresource, with its first slash; empty if there is none. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The query as it was sent, with its question mark; empty if there is none. */
  readonly search: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/** The answer of the node, pod or service. */
export interface ConnectAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
  /** With status 101: how the connection continues. */
  readonly channels?: ChannelUpgrade | undefined;
}

/** A WebSocket of channels: the first byte of a message is the number of its channel. */
export interface ChannelUpgrade {
  /** The selected subprotocol. */
  readonly protocol: string;
  /** Whether a client ends a channel with the message 255 and its number. */
  readonly halfClose: boolean;
  /**
   * Serves the connection, which is closed when the result settles. The channels that it reads have to be asked for before it returns
   * its promise.
   */
  readonly run: (connection: ChannelConnection) => Promise<void>;
}

export interface ChannelConnection {
  /** Aborts when the client has gone, or the server closes. */
  readonly signal: AbortSignal;
  /** The data from the client on a channel. It ends with the channel or the connection. */
  incoming(channel: number): AsyncIterable<Uint8Array>;
  /** Calls the listener with each whole message of a channel; those of more than 4096 bytes are dropped. */
  onMessage(channel: number, listener: (message: Uint8Array) => void): void;
  /**
   * Resolves when the client has room for more. The bytes must not change before. An error that is not awaited is ignored.
   * @throws {ListwatchError} code ABORTED when the client has gone; TIMEOUT when it reads nothing for too long; the connection breaks
   * with code BUFFER_FULL when more than 16 MiB wait.
   */
  send(channel: number, bytes: Uint8Array): Promise<void>;
}

/** A subresource whose requests are passed on. */
export interface ConnectMethods {
  /** The verbs in discovery: `get` and `create` for `exec`. */
  readonly verbs: readonly ('get' | 'create' | 'update' | 'patch' | 'delete')[];
  /** Whether there may be a path after the name of the subresource. */
  readonly takesPath: boolean;
  /** @throws {ApiError} 400, 404, 422. */
  handle(context: RequestContext, name: string, request: ConnectRequest): Promise<ConnectAnswer>;
}

/**
 * The REST interface of one resource or subresource. All verbs are optional; discovery lists exactly those that are defined, and
 * the HTTP layer responds 405 to the others.
 * @see apiserver pkg/registry/rest/rest.go @ 24a394e
 */
export interface RestStorage {
  readonly describe: ResourceDescription;
  /** Column definitions and cells for `kubectl get`. Without it, a request for a table is answered with 406. */
  readonly table?: TableConvertor | undefined;
  /** For objects that are not stored, such as those of bookmarks: with the fields that the kind's type always has. */
  readonly withZeros?: ((object: KubernetesObject) => KubernetesObject) | undefined;
  get?(context: RequestContext, name: string, options: ReadOptions): Promise<WriteResult>;
  list?(context: RequestContext, options: ListOptions): Promise<StorageList<UnstructuredObject>>;
  /** As `list`, for a reader that keeps none of the objects. Without it, call `list`. */
  scan?(context: RequestContext, options: ListOptions): Promise<StorageScan<UnstructuredObject>>;
  watch?(context: RequestContext, options: WatchOptions): Promise<StorageWatch<UnstructuredObject>>;
  /** `object` is private to the call. @throws {ApiError} 400, 403, 404 (namespace), 409, 422. */
  create?(
    context: RequestContext,
    object: UnstructuredObject,
    options: WriteOptions,
  ): Promise<WriteResult>;
  /** POST to an object, e.g. `pods/web/eviction`. The body is of the kind in `describe`. @throws {ApiError} 400, 403, 404, 409, 422, 429. */
  createNamed?(
    context: RequestContext,
    name: string,
    object: UnstructuredObject,
    options: WriteOptions,
  ): Promise<WriteResult>;
  /** Other versions of the body's kind that are taken, e.g. `policy/v1beta1` for an eviction. */
  readonly acceptedVersions?: readonly string[] | undefined;
  /** Requests that something behind the server answers, e.g. `pods/web/log`. */
  readonly connect?: ConnectMethods | undefined;
  /** Whether a PATCH is allowed where a PUT is. @defaultValue true */
  readonly patchable?: boolean | undefined;
  /** `created` distinguishes 201 from 200. @throws {ApiError} 400, 404, 409, 422. */
  update?(
    context: RequestContext,
    name: string,
    update: UpdateFunc,
    options: WriteOptions,
  ): Promise<{ readonly result: WriteResult; readonly created: boolean }>;
  /**
   * Server-side apply: merges a configuration into the object, which is created if it does not exist.
   * @throws {ApiError} 400, 404, 409 for fields of other managers, 422.
   */
  apply?(
    context: RequestContext,
    name: string,
    configuration: UnstructuredObject,
    options: ApplyOptions,
  ): Promise<{ readonly result: WriteResult; readonly created: boolean }>;
  /** Whether the answer to a completed deletion is the object, not a Status. @defaultValue false */
  readonly returnsDeletedObject?: boolean | undefined;
  /** `done` is false while finalizers or a grace period keep the object. */
  delete?(
    context: RequestContext,
    name: string,
    request: DeleteRequest,
  ): Promise<{ readonly result: WriteResult; readonly done: boolean }>;
  /** Checks `deleteCollection` before the options of the deletion are read. @throws {ApiError} 400. */
  checkSelectors?(options: ListOptions): void;
  /** Deletes all matching objects and returns them. */
  deleteCollection?(
    context: RequestContext,
    options: ListOptions,
    request: DeleteRequest,
  ): Promise<StorageList<UnstructuredObject>>;
}

export interface TableColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format: string;
  readonly description: string;
  /** Columns of priority 0 are always shown, others only with `-o wide`. */
  readonly priority: number;
}

export interface TableConvertor {
  readonly columns: readonly TableColumn[];
  /** One cell per column. `nowMs` is the wall-clock time, for ages. */
  cells(object: KubernetesObject, nowMs: number): readonly (string | number | boolean | null)[];
  /** The convertor of the rows of one list, where a cell depends on the other objects of the list. */
  ofList?(objects: Iterable<KubernetesObject>): TableConvertor;
}

/** The declarations of the definition of a custom resource, for OpenAPI. */
export interface DeclaredSchema {
  /** `openAPIV3Schema` of the version. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Field paths without the first dot, e.g. `spec.color`. */
  readonly selectableFields: readonly string[];
}

/** One resource with its subresources, under `/apis/GROUP/VERSION/RESOURCE`. */
export interface InstalledResource {
  readonly main: RestStorage;
  /** By name: `status`, `scale`. */
  readonly subresources: ReadonlyMap<string, RestStorage>;
  /** Left out for resources that Kubernetes itself defines. */
  readonly declared?: DeclaredSchema | undefined;
}

/**
 * The resources that the API serves at present. Custom resources are added and removed while it runs.
 */
export interface ResourceRegistry {
  /** The minor version of Kubernetes whose resources are served: 36 for 1.36. */
  readonly minor: KubernetesMinor;
  /** Undefined when the resource is not served. */
  lookup(group: string, version: string, resource: string): InstalledResource | undefined;
  /** All served resources, in the order of discovery. */
  all(): readonly InstalledResource[];
  /** Changes whenever `all()` does; for the ETag of discovery. */
  readonly generation: number;
}

/** The Status of a completed deletion, as the body of its response. */
export function deletionStatus(
  { group, resource }: Pick<ResourceInfo, 'group' | 'resource'>,
  name: string,
  uid: string | undefined,
): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name,
      ...(group === '' ? {} : { group }),
      kind: resource,
      ...(uid === undefined ? {} : { uid }),
    },
  };
}
