import { isIP } from 'node:net';
import { badRequest } from '../../meta/failure/failures.ts';
import { failure } from '../../meta/failure/api-error.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type {
  ConnectAnswer,
  ConnectRequest,
  RequestContext,
  RestStorage,
} from '../../server/registry/contract/rest-storage.ts';
import type { SubresourceParts } from '../../server/registry/contract/subresource-parts.ts';
import { recordsAt, textAt } from '../../meta/json-value.ts';
import { connectStorage } from './connect-storage.ts';
import { kubeletFailure } from './kubelet-address.ts';
import { serviceEndpoint } from './service-endpoint.ts';

const VERBS = ['create', 'delete', 'get', 'patch', 'update'] as const;

/** A target of a proxy: `NAME`, `NAME:PORT` or `SCHEME:NAME:PORT`. */
interface Target {
  readonly scheme: string;
  readonly name: string;
  readonly port: string;
}

/** @throws {ApiError} 400. */
function targetOf(id: string, what: string): Target {
  const parts = id.split(':');
  const invalid = badRequest(`invalid ${what} request ${JSON.stringify(id)}`);
  if (parts.length > 3) throw invalid;
  const [first = '', second = '', third = ''] = parts;
  const target =
    parts.length === 3
      ? { scheme: first, name: second, port: third }
      : { scheme: '', name: first, port: second };
  if (target.name === '' || !['', 'http', 'https'].includes(target.scheme)) throw invalid;
  return target;
}

/** `pods/NAME/proxy`: HTTP to a pod. */
export function podProxy(parts: SubresourceParts): RestStorage {
  const { store } = parts;
  return connectStorage(store, 'PodProxyOptions', {
    verbs: VERBS,
    takesPath: true,
    handle: async (context, id, request) => {
      refuseUpgrade(request);
      const { scheme, name, port } = targetOf(id, 'pod');
      const pod = (await store.get(context, name)).object;
      const address = addressOf(pod);
      if (address === undefined) throw badRequest('address not allowed');
      const prefix = `/api/v1/namespaces/${context.namespace}/pods/${id}/proxy`;
      const to = { pod, address, scheme, port: port || firstPort(pod), prefix };
      return await passOn(parts, to, context, request);
    },
  });
}

/** The address of a pod that a proxy may use: neither loopback nor link-local. */
function addressOf(pod: UnstructuredObject): string | undefined {
  const [first] = recordsAt(pod, 'status', 'podIPs').map((one) => textAt(one, 'ip'));
  const address = first ?? textAt(pod, 'status', 'podIP');
  const special = /^(?:127\.|169\.254\.|0\.|22[4-9]\.|23\d\.|::1?$|fe[89ab]|ff)/i.test(address);
  return isIP(address) === 0 || special ? undefined : address;
}

function firstPort(pod: UnstructuredObject): string {
  const ports = recordsAt(pod, 'spec', 'containers').flatMap((one) => recordsAt(one, 'ports'));
  const [first] = ports.map((one) => one['containerPort']);
  return typeof first === 'number' ? String(first) : '';
}

interface Destination {
  readonly pod: UnstructuredObject;
  readonly address: string;
  readonly scheme: string;
  /** Empty: that of the scheme. */
  readonly port: string;
  readonly prefix: string;
}

/** @throws {ApiError} 400 for a WebSocket. */
function refuseUpgrade({ headers }: ConnectRequest): void {
  if (headers['upgrade'] === undefined) return;
  throw badRequest('WebSockets are not supported by the proxies of this server');
}

/** @throws {ApiError} 503. @see apimachinery pkg/util/proxy/upgradeaware.go ServeHTTP @ v0.37.2 */
async function passOn(
  { nodes }: SubresourceParts,
  { pod, address, scheme, port, prefix }: Destination,
  context: RequestContext,
  request: ConnectRequest,
): Promise<ConnectAnswer> {
  const { method, path, search } = request;
  if (path === '' && (method === 'GET' || method === 'HEAD')) {
    const location = encodeURI(`${prefix}/`) + search;
    return { status: 301, headers: { location }, body: new Uint8Array() };
  }
  const number = portNumber(port || scheme || 'http');
  if (number === undefined) throw unreachable(`dial tcp: lookup tcp/${port}: unknown port`);
  const target = { scheme: scheme || 'http', address, port: number, prefix };
  const container = containerAt(pod, number);
  const answer = nodes.connect({ action: 'http', pod, container, target, request, context });
  if (answer !== undefined) return await answer;
  const host = address.includes(':') ? `[${address}]:${number}` : `${address}:${number}`;
  const why = nodes.endsPods === true ? 'connection refused' : 'no route to host';
  throw unreachable(`dial tcp ${host}: connect: ${why}`);
}

/** Its number, or the number of a protocol that every system knows. */
function portNumber(port: string): number | undefined {
  if (port === 'http') return 80;
  if (port === 'https') return 443;
  return /^\d{1,5}$/.test(port) && Number(port) < 65_536 ? Number(port) : undefined;
}

function containerAt(pod: UnstructuredObject, port: number): string {
  const declares = recordsAt(pod, 'spec', 'containers').find((container) =>
    recordsAt(container, 'ports').some((one) => one['containerPort'] === port),
  );
  return textAt(declares, 'name');
}

function unreachable(why: string): Error {
  return failure('ServiceUnavailable', `error trying to reach service: ${why}`);
}

/** `services/NAME/proxy`: HTTP to an endpoint of a service. */
export function serviceProxy(parts: SubresourceParts): RestStorage {
  return connectStorage(parts.store, 'ServiceProxyOptions', {
    verbs: VERBS,
    takesPath: true,
    handle: async (context, id, request) => {
      refuseUpgrade(request);
      const { scheme, name, port } = targetOf(id, 'service');
      const { address, pod, number } = await serviceEndpoint(parts, context, { id, name, port });
      const prefix = `/api/v1/namespaces/${context.namespace}/services/${id}/proxy`;
      const to = { pod, address, scheme, port: String(number), prefix };
      return await passOn(parts, to, context, request);
    },
  });
}

/** `nodes/NAME/proxy`: HTTP to the kubelet of a node. */
export function nodeProxy(parts: SubresourceParts): RestStorage {
  return connectStorage(parts.store, 'NodeProxyOptions', {
    verbs: VERBS,
    takesPath: true,
    handle: async (_context, id, { path }) => {
      const { name } = targetOf(id, 'node');
      throw await kubeletFailure(parts, name, 'nodes', path);
    },
  });
}
