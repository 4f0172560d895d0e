import { isIP } from 'node:net';
import { badRequest, notFound } from '../../meta/failure/failures.ts';
import { failure } from '../../meta/failure/api-error.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type { RequestContext, RestStorage } from '../../server/registry/contract/rest-storage.ts';
import type {
  ServerParts,
  SubresourceParts,
} from '../../server/registry/contract/subresource-parts.ts';
import { recordsAt, textAt } from '../../meta/json-value.ts';
import { connectStorage } from './connect-storage.ts';
import { kubeletFailure } from './kubelet-address.ts';

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

/** `pods/NAME/proxy`: HTTP to a pod. There is no network of pods behind this server. */
export function podProxy({ store }: SubresourceParts): RestStorage {
  return connectStorage(store, 'PodProxyOptions', {
    verbs: VERBS,
    takesPath: true,
    handle: async (context, id) => {
      const { name, port } = targetOf(id, 'pod');
      const pod = (await store.get(context, name)).object;
      const address = addressOf(pod);
      if (address === undefined) throw badRequest('address not allowed');
      throw unreachable(address, port || firstPort(pod));
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
  return typeof first === 'number' ? String(first) : '80';
}

function unreachable(address: string, port: string): Error {
  const host = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
  return failure(
    'ServiceUnavailable',
    `error trying to reach service: dial tcp ${host}: connect: no route to host`,
  );
}

/** `services/NAME/proxy`: HTTP to an endpoint of a service. */
export function serviceProxy({ store, storeOf }: SubresourceParts): RestStorage {
  return connectStorage(store, 'ServiceProxyOptions', {
    verbs: VERBS,
    takesPath: true,
    handle: async (context, id) => {
      const { name } = targetOf(id, 'service');
      await store.get(context, name);
      const slices = await endpointSlices(storeOf, context, name);
      if (slices.length === 0) throw notFound({ group: '', resource: 'services' }, name);
      throw failure(
        'ServiceUnavailable',
        `no endpoints available for service ${JSON.stringify(id)}`,
      );
    },
  });
}

async function endpointSlices(
  storeOf: ServerParts['storeOf'],
  context: RequestContext,
  service: string,
): Promise<readonly unknown[]> {
  const labelSelector = `kubernetes.io/service-name=${service}`;
  const list = await storeOf('discovery.k8s.io', 'endpointslices')?.list(context, {
    labelSelector,
  });
  return list?.items ?? [];
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
