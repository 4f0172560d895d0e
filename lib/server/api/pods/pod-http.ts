import { errorMessage } from '../../../kernel/failure/errors.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import { failure } from '../../../meta/failure/api-error.ts';
import { internalError } from '../../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import type { ContainerRequest, ProxyTarget } from '../../registry/contract/node-connector.ts';
import type { ConnectAnswer, ConnectRequest } from '../../registry/contract/rest-storage.ts';
import { proxiedLocation, withProxiedLinks } from './proxied-links.ts';

/** Answers HTTP requests to a pod. */
export type PodHttp = (
  request: Request,
  context: {
    readonly pod: UnstructuredObject;
    /** The container that declares the port; empty if none does. */
    readonly container: string;
    readonly port: number;
  },
) => Response | Promise<Response>;

export interface HttpOptions {
  readonly request: ContainerRequest;
  readonly http: PodHttp;
  readonly logger: Logger;
}

/** Of one connection, or for the API server alone. */
const NOT_SENT =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|authorization|impersonate-.*)$/;
const NOT_RETURNED =
  /^(?:connection|keep-alive|trailer|transfer-encoding|upgrade|access-control-allow-(?:credentials|headers|methods|origin)|set-cookie)$/;
const NOTHING = new Uint8Array();

/**
 * The answer of a function in place of a container. Its body is read as fast as the client takes it.
 * @throws {ApiError} 503 when the function fails.
 * @see apimachinery pkg/util/proxy/transport.go @ v0.37.2
 */
export async function answerHttp({ request, http, logger }: HttpOptions): Promise<ConnectAnswer> {
  const { pod, container, target } = request;
  if (target === undefined) throw internalError('a request to a pod has no target');
  const { port } = target;
  try {
    const sent = requestTo(target, request);
    const { url } = sent;
    const response: unknown = await http(sent, { pod, container, port });
    return await answerOf(checked(response), new URL(url), target, request.request);
  } catch (error) {
    const { name, namespace } = pod.metadata ?? {};
    logger.error('a handler of pods failed', { namespace, name, error: errorMessage(error) });
    const text = `error trying to reach service: ${errorMessage(error)}`;
    throw failure('ServiceUnavailable', text);
  }
}

function requestTo(
  { scheme, address, port, prefix }: ProxyTarget,
  { request, context }: ContainerRequest,
): Request {
  const { method, path, search, headers, body } = request;
  const host = address.includes(':') ? `[${address}]` : address;
  const escaped = encodeURI(path).replaceAll('?', '%3F').replaceAll('#', '%23');
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !NOT_SENT.test(name)) sent.set(name, value);
  }
  sent.set('x-forwarded-uri', `${prefix}${escaped}`);
  const { signal } = context;
  const hasBody = body.length > 0 && method !== 'GET' && method !== 'HEAD';
  return new Request(`${scheme}://${host}:${port}${escaped}${search}`, {
    method,
    headers: sent,
    ...(hasBody ? { body: Buffer.from(body) } : {}),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** The function may be of a program without types. */
function checked(response: unknown): Response {
  const { status = 0, bodyUsed = true } = Object(response) as Partial<Response>;
  if (status < 200) throw new TypeError('the handler "http" must return a Response');
  if (!bodyUsed) return response as Response;
  throw new TypeError(
    'the handler "http" returned a Response whose body has been read: return a new one for each request',
  );
}

async function answerOf(
  response: Response,
  from: URL,
  { prefix }: ProxyTarget,
  request: ConnectRequest,
): Promise<ConnectAnswer> {
  const { status } = response;
  const asked = request.headers['host'] ?? '';
  const headers: Record<string, string | readonly string[]> = {};
  for (const [name, value] of response.headers) {
    if (!NOT_RETURNED.test(name)) headers[name] = value;
  }
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) headers['set-cookie'] = cookies;
  const links = { prefix, hosts: [from.host, asked] };
  const { location } = headers;
  if (typeof location === 'string') headers['location'] = proxiedLocation(location, links);
  if (request.method === 'HEAD' || response.body === null) {
    await response.body?.cancel();
    return { status, headers, body: NOTHING };
  }
  const isPage = /^text\/html\s*(?:;|$)/.test(String(headers['content-type']));
  if (location !== undefined || !isPage || headers['content-encoding'] !== undefined) {
    return { status, headers, body: response.body };
  }
  delete headers['content-length'];
  return { status, headers, body: withProxiedLinks(response.body, links) };
}
