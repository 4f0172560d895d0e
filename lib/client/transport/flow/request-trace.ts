import { isError, isListwatchError } from '../../../kernel/failure/errors.ts';
import type { RequestTiming } from '../contract/request-timing.ts';
import type { RequestName } from './request-name.ts';

/**
 * One request that has ended, in the form of an OpenTelemetry span. It ends when the headers of the answer have arrived; for a
 * watch that is when it is open.
 */
export interface RequestTrace {
  /** Method and path without names, e.g. `GET /api/v1/namespaces/{namespace}/pods/{name}`. */
  readonly name: string;
  /** Wall clock, milliseconds since 1970. */
  readonly startMs: number;
  /** With all waits, milliseconds. */
  readonly durationMs: number;
  readonly attributes: RequestAttributes;
}

/**
 * The attributes of OpenTelemetry's conventions for HTTP clients, and those of this package. There is no query, header or
 * body among them; the path has the names of objects and namespaces.
 */
export interface RequestAttributes {
  readonly 'http.request.method': string;
  /** The number of times that it was sent again. Left out: 0. */
  readonly 'http.request.resend_count'?: number;
  readonly 'http.response.status_code'?: number;
  /** The code of a `ListwatchError` or the name of another error; for a status of 400 and more, the status. */
  readonly 'error.type'?: string;
  readonly 'server.address': string;
  readonly 'server.port'?: number;
  /** Without query. */
  readonly 'url.path': string;
  /** The path without names. */
  readonly 'url.template': string;
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`. */
  readonly 'listwatch.verb': string;
  /** E.g. `pods`, `deployments.apps`, `pods/eviction`. */
  readonly 'listwatch.resource': string;
  /** The time spent waiting, milliseconds: for a turn of the limiter. */
  readonly 'listwatch.wait.limiter_ms': number;
  /** Before it was sent again. */
  readonly 'listwatch.wait.retry_ms': number;
  /** For a credential. */
  readonly 'listwatch.wait.credential_ms': number;
  /** For a new connection. */
  readonly 'listwatch.wait.connection_ms': number;
}

/** The server of a trace. */
export interface TracedServer {
  readonly 'server.address': string;
  readonly 'server.port'?: number;
}

/** A request that has ended. */
export interface EndedParts {
  readonly server: TracedServer;
  readonly method: string;
  readonly path: string;
  readonly name: RequestName;
  readonly timing: RequestTiming;
  readonly status: number | undefined;
  /** Why there was no answer. */
  readonly error: string | undefined;
}

export interface TraceParts extends EndedParts {
  readonly startMs: number;
  readonly durationMs: number;
}

export function tracedServer(server: string): TracedServer {
  if (!URL.canParse(server)) return { 'server.address': server };
  const { hostname, port, protocol } = new URL(server);
  const number = Number(port) || (protocol === 'https:' ? 443 : 80);
  return { 'server.address': hostname, 'server.port': number };
}

export function requestTrace(parts: TraceParts): RequestTrace {
  const { method, name, startMs, durationMs } = parts;
  const attributes = requestAttributes(parts);
  return { name: `${method} ${name.template}`, startMs, durationMs, attributes };
}

export function requestAttributes(parts: EndedParts): RequestAttributes {
  const { method, path, name, timing, status } = parts;
  const error = parts.error ?? (status !== undefined && status >= 400 ? String(status) : undefined);
  // A transport of the user may not count its attempts.
  const resent = Math.max(timing.retries, timing.attempts - 1, 0);
  const end = path.indexOf('?');
  const { limiter, retry, credential, connection } = timing.waitedMs;
  return {
    'http.request.method': method,
    ...(resent === 0 ? {} : { 'http.request.resend_count': resent }),
    ...(status === undefined ? {} : { 'http.response.status_code': status }),
    ...(error === undefined ? {} : { 'error.type': error }),
    ...parts.server,
    'url.path': end === -1 ? path : path.slice(0, end),
    'url.template': name.template,
    'listwatch.verb': name.verb,
    'listwatch.resource': name.resource,
    'listwatch.wait.limiter_ms': limiter,
    'listwatch.wait.retry_ms': retry,
    'listwatch.wait.credential_ms': credential,
    'listwatch.wait.connection_ms': connection,
  };
}

/** A short name for the cause of a request without an answer, of which there are few different ones. */
export function errorType(error: unknown): string {
  if (isListwatchError(error)) return error.code;
  return isError(error) ? error.name : 'Error';
}
