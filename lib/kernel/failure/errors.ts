import { startAtUser } from './user-frames.ts';

/**
 * Every error code of the package with its meaning and remedy.
 * Codes are stable between major versions, messages are not. A spec compares `docs/errors.md` with this table.
 */
export const errorCodes = {
  // kernel
  ABORTED: 'The caller aborted the operation through its AbortSignal.',
  TIMEOUT: 'A wait reached its deadline; the message says what was waited for.',
  INVALID_OPTION:
    'An option is unknown, missing or out of range; the message names it and the rule.',
  ASSERTION: 'An invariant of the package is broken: please report it with the message.',
  MISSING_PEER:
    'An optional package that this part needs is not installed, or in part, or in another version; the message has the npm install line.',
  DEPENDENCY:
    'A package that this one depends on cannot be loaded, as in a bundle without it; the message says what to set.',
  CLOSED: 'The object was closed before the call.',
  BUFFER_FULL: 'A bounded buffer is full; the message names the buffer and its bound.',
  VIRTUAL_DEADLOCK: 'A virtual run cannot make progress: something waits outside the Runtime.',
  VIRTUAL_TIME_LIMIT:
    'A virtual run reached its limit of virtual time, or runs without end at one instant.',
  VIRTUAL_NESTED: 'A virtual clock was moved by code inside run(), which moves the clock itself.',
  // meta
  KEY: 'No key can be computed for an object: it lacks metadata or a name.',
  INVALID_RESOURCE_VERSION: 'A resource version is not a decimal number without leading zeros.',
  INVALID_SELECTOR: 'A label or field selector cannot be parsed; the message points at the place.',
  INVALID_API_VERSION: 'An apiVersion is not of the form VERSION or GROUP/VERSION.',
  FIELD_SCHEMA:
    'An item of a list cannot be distinguished from the others by the schema that server-side apply merges it by.',
  // Status answers of an API server, by reason
  BAD_REQUEST: 'HTTP 400: the server cannot read the request.',
  UNAUTHORIZED: 'HTTP 401: the credentials are missing, wrong or expired.',
  FORBIDDEN: 'HTTP 403: the user may not do this; the message names the missing rule.',
  NOT_FOUND: 'HTTP 404: no such object, or no such resource type on this server.',
  METHOD_NOT_ALLOWED: 'HTTP 405: the resource does not offer this verb.',
  NOT_ACCEPTABLE: 'HTTP 406: the server cannot produce what Accept asks for.',
  ALREADY_EXISTS: 'HTTP 409: an object of this name exists.',
  CONFLICT: 'HTTP 409: the object changed since it was read; read it again and reapply.',
  APPLY_CONFLICT:
    'HTTP 409: other managers have fields that an apply would change; conflicts names managers and fields.',
  GONE: 'HTTP 410: the resource is gone.',
  EXPIRED: 'HTTP 410: the resource version or continue token is older than the kept history.',
  REQUEST_ENTITY_TOO_LARGE: 'HTTP 413: the request body is over the limit.',
  UNSUPPORTED_MEDIA_TYPE: 'HTTP 415: the server does not take this Content-Type here.',
  INVALID: 'HTTP 422: the object breaks a rule; details.causes names the fields.',
  TOO_MANY_REQUESTS: 'HTTP 429: try again after retryAfterMs.',
  INTERNAL_ERROR: 'HTTP 500: the server failed.',
  STORAGE_READ_ERROR: 'HTTP 500: a stored object cannot be decoded.',
  SERVER_TIMEOUT: 'HTTP 500: the storage behind the server did not answer in time.',
  SERVICE_UNAVAILABLE: 'HTTP 503: the server is not ready.',
  GATEWAY_TIMEOUT:
    'HTTP 504: the request took too long, or asked for a resource version not reached yet.',
  UNKNOWN_STATUS: 'The error response of the server is not a Status.',
  // cache
  UNKNOWN_INDEX: 'No index of this name was registered on the store.',
  INDEX_CONFLICT: 'An index of this name exists already.',
  INDEX_FUNCTION: 'An index function threw or returned something other than an array of strings.',
  TRANSFORM: 'A transform function threw or returned no object.',
  HANDLER: 'An event handler threw.',
  OBJECT_RELEASED:
    'The body or the metadata of an object was read when the object had left the cache and was not kept for such a reader.',
  FIFO_CLOSED: 'The DeltaFIFO is closed and empty.',
  ALREADY_STARTED: 'The object was started before; it can be started once.',
  NOT_STARTED: 'The object has to be started first.',
  WATCH_LIST_INCOMPLETE: 'A streaming list ended without its end bookmark.',
  VERY_SHORT_WATCH: 'A watch ended within a second without an event.',
  STALE_EVENT:
    'A watch repeated earlier events; they are dropped. A proxy replays, or a replica lags behind.',
  RESOURCE_VERSION_WENT_BACK:
    'The server is at an older resource version than it was: its storage was restored; the collection is listed again.',
  MALFORMED_EVENT: 'A watch event lacks a resource version, or is of an unknown type.',
  WATCH_CLOSED: 'A stream of events ended before what was waited for had happened.',
  HISTORY_REPLACED:
    'The server went back to an older state, a restored backup: what was waited for is not part of it.',
  TABLE_OBJECT: 'The server sent Table objects where plain objects were asked for.',
  // client
  CONNECTION_REFUSED: 'Nothing listens at the server address.',
  CONNECTION_FAILED: 'The connection could not be made or broke; the cause says why.',
  CERTIFICATE:
    'A TLS certificate or key is the cause: that of the server does not verify, or that of the client is refused or cannot be used.',
  REQUEST_TIMEOUT: 'The server did not answer within the request timeout.',
  REDIRECT_REFUSED: 'The server answered with a redirect; credentials are not sent on.',
  RESPONSE_TOO_LARGE: 'A response body is over the size limit; ask for pages, or raise the limit.',
  FRAME_TOO_LARGE:
    'A frame of a watch, a line of a log or a WebSocket message is over the size limit.',
  MALFORMED_FRAME:
    'A frame of a watch stream is not a watch event in JSON, or a WebSocket frame is wrong.',
  MALFORMED_RESPONSE: 'A response body is not the JSON that was asked for.',
  STREAM_IDLE: 'A stream carried no byte for longer than its limit.',
  SUBPROTOCOL: 'The server does not speak a subprotocol of WebSockets that this stream needs.',
  CONTAINER_UNKNOWN: 'A pod has no such container, or has several and none was named.',
  POD_NOT_RUNNING: 'A pod or a container has ended, or has not started.',
  POD_STREAM:
    'The node of a pod could not carry out a command or a connection; the message has its words.',
  COPY_FAILED:
    'Files could not be copied from or to a pod; the message names the path, or has the words of tar.',
  PORT_REFUSED: 'Nothing listens at the port of a pod.',
  STDIN_STAYS_OPEN:
    'Standard input cannot be ended, because the server does not speak v5.channel.k8s.io.',
  CONFIG_NOT_FOUND: 'No kubeconfig, in-cluster service account or server address was found.',
  CONFIG_INVALID: 'A configuration file cannot be read; the message names file, line and field.',
  CONFIG_UNSUPPORTED: 'A kubeconfig asks for a credential kind that is not supported.',
  CREDENTIAL_PLUGIN:
    'An exec credential plug-in is not installed, failed, did not answer in time, or printed something other than a credential.',
  CREDENTIAL_PLUGIN_REFUSED:
    'A configuration names a program to run, but was passed as data, or the option `allowExec` excludes the program.',
  OIDC: 'An identity provider cannot be reached, refused the refresh token, or the token has expired and cannot be refreshed.',
  PROXY: 'A proxy cannot be reached, or refused the connection.',
  TYPES_FILE:
    'A file of generated types cannot be read or written, or is not one; the cause says why.',
  TYPES_OUTDATED: 'A file of generated types differs from the definitions: generate it again.',
  PROGRAM_FAILED:
    'A program that a command or a test runs cannot be started, or ended with a failure; the message says how.',
  BINARIES_MISSING:
    'The programs of a real API server are not where they were looked for; the message names the places.',
  NO_REQUESTS: 'A program whose rights are recorded sent no request that needs one.',
  MANIFEST_INVALID:
    'A manifest cannot be read, or the server refuses its object; the message names file, document and line.',
  SIMULATION_FAILED:
    'A simulation has found a failure of a controller; the message says what happened.',
  SIMULATION_ESCAPE:
    'A controller in a simulation uses something real that cannot be simulated, such as a socket or a file; the message names file and line.',
  MANIFESTS_FAILED:
    'Some manifests were not applied; the message names each with its cause, and results has what was done.',
  RESOURCE_UNKNOWN: 'The server does not serve this resource.',
  DISCOVERY_STALE:
    'The server cannot say which resources an API version has, because the service behind it does not answer.',
  // controller
  RECONCILE: 'A reconcile function threw; the key is retried with back-off.',
  RECONCILE_TERMINAL: 'A reconcile function asked not to be retried until its object changes.',
  OWNER_REFUSED:
    'An object cannot get an owner that is in another namespace, or a second controller; the message says which.',
  NAME_TAKEN:
    'A manager has a part of this name already, or a cluster the webhooks of another server; give one of them another name.',
  WEBHOOK_CERTIFICATE:
    'The certificate of a webhook server has expired, or is not valid where API servers call; the message says which, and what to do.',
  LEADERSHIP_LOST:
    'The lease that lets this replica lead or share the work was lost; the message says why. The process should end and start anew; with sharding the replica joins again by itself.',
  LEADERSHIP_PREEMPTED:
    'Another replica, with option `preempt`, has asked for the lease of leader election, or a coordinator prefers another one; it was given back after the work had ended.',
  NOT_LEADING: 'A write needs a lease that this replica does not hold; the write was not sent.',
  IDENTITY_TAKEN:
    'Two processes have the same identity in leader election; the message names the lease and the identity.',
  LEASE_INVALID:
    'A Lease belongs to another kind of program or to another version, or was edited; the message says which.',
  FENCING_UNSUPPORTED:
    'The server does not refuse writes of an older epoch, which strict fencing needs.',
  // recorder
  RECORDING_FILE: 'A recording cannot be written or read; the cause says why.',
  RECORDING_FULL:
    'A recording ended before it was closed: it has reached its bound, or the disk is too slow; the message says which.',
  RECORDING_INVALID:
    'A file is no recording, is of another version of the format, or was cut short, damaged or edited; the message says where.',
  WARM_START_REFUSED:
    'A file for a warm start is of another server, user, collection or form; the message says which. The collection is listed.',
  // server: key-value engine
  COMPACTED: 'The revision was compacted away.',
  FUTURE_REVISION: 'The revision lies in the future.',
  DUPLICATE_KEY: 'A transaction writes one key twice.',
  TOO_MANY_OPERATIONS: 'A transaction has too many operations.',
  LEASE_NOT_FOUND: 'No lease of this id exists.',
  VALUE_TOO_LARGE: 'A value is over the size limit of the key-value engine.',
  SNAPSHOT_INVALID:
    'The bytes are not a snapshot, have an unknown format version, or are cut off or damaged; the message says where.',
  SNAPSHOT_FILE: 'A snapshot file cannot be read or written; the cause says why.',
  STORE_UNAVAILABLE:
    'No member of the etcd cluster answered; `outcome` says whether a write may have been carried out.',
  STORE_FORBIDDEN: 'The user is not accepted by etcd, or may not do this.',
  STORE_FULL: 'The space quota of etcd is used up: compact and defragment it, or raise the quota.',
  STORE_REFUSED: 'A request was refused by etcd; the message says why.',
  // server: storage
  KEY_NOT_FOUND: 'No object is stored under this key.',
  KEY_EXISTS: 'An object is stored under this key already.',
  RESOURCE_VERSION_CONFLICT: 'The stored object has another resource version.',
  INVALID_OBJECT: 'A precondition on the stored object does not hold.',
  RESOURCE_VERSION_SET: 'The object to be created has a resourceVersion.',
  INVALID_KEY: 'A storage key is empty, has dot segments or leaves its prefix.',
  INVALID_CONTINUE: 'A continue token is malformed.',
  CORRUPT_OBJECT: 'A stored value cannot be transformed or decoded.',
  MALFORMED_OBJECT:
    'Bytes are not an object in the encoding they claim to have; the message names the place.',
  UNSUPPORTED_ENCODING:
    'Bytes are in an encoding, or of a protobuf kind or field, that cannot be decoded here.',
  UNKNOWN_KIND: 'The scheme has no such kind in this version: register it with addKnownType.',
  NO_CONVERSION:
    'No conversion between two versions of a kind is registered; the message names both.',
  CONVERSION:
    'A conversion or defaulting function threw, or returned something other than an object.',
  ENCRYPTION_KEY_EXHAUSTED:
    'An AES-GCM key has encrypted as many values as is safe: put a new key in front of it.',
  KEY_SERVICE_FAILED:
    'A key service refused, did not answer in time, or broke its contract; the message says which. Nothing was written.',
  // server: webhooks
  WEBHOOK_FAILED: 'A webhook gave no usable answer; the message says why.',
  // server: listener
  PORT_IN_USE: 'The port is taken by another process.',
  LISTEN_FAILED: 'The address cannot be listened on; the cause says why.',
  KUBECONFIG_FILE: 'The kubeconfig of a server cannot be written; the cause says why.',
} as const;

/** Codes of wrong calls: their stack begins with the line of the caller. */
const WRONG_CALL: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'INVALID_OPTION',
  'MISSING_PEER',
  'INVALID_SELECTOR',
  'INVALID_API_VERSION',
  'UNKNOWN_INDEX',
  'INDEX_CONFLICT',
  'ALREADY_STARTED',
  'NOT_STARTED',
  'NAME_TAKEN',
  'CONFIG_NOT_FOUND',
  'CONFIG_INVALID',
  'CONFIG_UNSUPPORTED',
]);

/** A stable name for a kind of failure; see `docs/errors.md`. */
export type ErrorCode = keyof typeof errorCodes;

export interface ErrorOptions {
  readonly cause?: unknown;
}

/**
 * The base of every error that the package throws deliberately. Match on `code`, never on the message.
 * `isListwatchError` also recognises errors of another copy of the package.
 */
export class ListwatchError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    if (WRONG_CALL.has(code)) startAtUser(this);
  }

  /** Marks errors of this package, also across copies of it. It is a getter of the class, so that logs of an error do not show it. */
  get isListwatchError(): true {
    return true;
  }
}

/** Whether `error` was thrown on purpose by this package, and, if `code` is given, with that code. */
export function isListwatchError(error: unknown, code?: ErrorCode): error is ListwatchError {
  if (typeof error !== 'object' || error === null || !isReadable(error)) return false;
  if ((error as Partial<ListwatchError>).isListwatchError !== true) return false;
  return code === undefined || (error as ListwatchError).code === code;
}

/** Whether something that was thrown is an Error. Never throws, as `instanceof` does for a revoked proxy. */
export function isError(thrown: unknown): thrown is Error {
  if (typeof thrown !== 'object' || thrown === null) return false;
  return isReadable(thrown) && thrown instanceof Error;
}

/** Whether the properties of a thrown object can be read. Those of a revoked proxy cannot. */
export function isReadable(thrown: object): boolean {
  try {
    Reflect.getPrototypeOf(thrown);
    return true;
  } catch {
    return false;
  }
}

/** Maximum number of inner messages that replace the message of an AggregateError without one. */
const MOST_MESSAGES = 5;

/** The message of any thrown value, for logs. Never empty; never throws. */
export function errorMessage(error: unknown): string {
  try {
    const text = isError(error) ? error.message || messagesWithin(error) || error.name : error;
    return String(text) || 'unknown error';
  } catch {
    return 'unknown error';
  }
}

/** The messages of the inner errors, for example one for each address that Node tried. */
function messagesWithin(error: Error): string {
  const { errors } = error as { readonly errors?: unknown };
  if (!Array.isArray(errors)) return '';
  const messages = errors
    .slice(0, MOST_MESSAGES)
    .map((one: unknown) => String(isError(one) ? one.message || one.name : one));
  const more = errors.length - messages.length;
  return messages.join('; ') + (more > 0 ? `; and ${more} more` : '');
}
