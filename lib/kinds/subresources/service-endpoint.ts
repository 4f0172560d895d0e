import { isNotFound, notFound } from '../../meta/failure/failures.ts';
import { failure } from '../../meta/failure/api-error.ts';
import { numberAt, recordsAt, textAt, textsAt, valueAt } from '../../meta/json-value.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import { isSince } from '../../meta/releases/kubernetes-features.ts';
import type { RequestContext } from '../../server/registry/contract/rest-storage.ts';
import type { SubresourceParts } from '../../server/registry/contract/subresource-parts.ts';

export interface ServiceTarget {
  /** As the client wrote it. */
  readonly id: string;
  readonly name: string;
  /** A number or a name; empty for a port without a name. */
  readonly port: string;
}

interface ServiceEndpoint {
  readonly pod: UnstructuredObject;
  readonly address: string;
  readonly number: number;
}

/**
 * A ready endpoint of a service, which is a pod; the first one at random.
 * @throws {ApiError} 404, 503.
 * @see kubernetes pkg/registry/core/service/storage/storage.go ResourceLocation @ v1.37.2
 */
export async function serviceEndpoint(
  parts: SubresourceParts,
  context: RequestContext,
  { id, name, port }: ServiceTarget,
): Promise<ServiceEndpoint> {
  const { storeOf, minor, runtime } = parts;
  const portName = await portNameOf(parts, context, name, port);
  const labelSelector = `kubernetes.io/service-name=${name}`;
  const list = await storeOf('discovery.k8s.io', 'endpointslices')?.list(context, {
    labelSelector,
  });
  const slices = [...(list?.items ?? [])].map(({ object }) => object);
  const isNew = isSince(minor, 'proxiesToSlices');
  if (slices.length === 0 && !isNew) throw notFound({ group: '', resource: 'endpoints' }, name);
  for (const slice of slices) {
    const found = recordsAt(slice, 'ports').find((one) => textAt(one, 'name') === portName);
    const number = numberAt(found, 'port');
    if (number === 0) continue;
    const endpoints = recordsAt(slice, 'endpoints');
    const first = Math.floor(runtime.random() * endpoints.length);
    for (const endpoint of [...endpoints.slice(first), ...endpoints.slice(0, first)]) {
      if (valueAt(endpoint, 'conditions', 'ready') === false) continue;
      const [address = ''] = textsAt(endpoint, 'addresses');
      const pod = await podAt(parts, context, textAt(endpoint, 'targetRef', 'name'), address);
      if (pod !== undefined) return { pod, address, number };
    }
  }
  throw noEndpoints(isNew ? name : id);
}

/** The name of the port that was asked for by its number. @throws {ApiError} 404, 503. */
async function portNameOf(
  { store }: SubresourceParts,
  context: RequestContext,
  name: string,
  port: string,
): Promise<string> {
  if (!/^[+-]?\d+$/.test(port)) return port;
  const service = (await store.get(context, name)).object;
  const number = Number(port);
  const found = recordsAt(service, 'spec', 'ports').find((one) => one['port'] === number);
  if (found !== undefined) return textAt(found, 'name');
  const text = `no service port ${number} found for service ${JSON.stringify(name)}`;
  throw failure('ServiceUnavailable', text);
}

/** Only pods are asked, and only at an address of theirs. */
async function podAt(
  { storeOf }: SubresourceParts,
  context: RequestContext,
  name: string,
  address: string,
): Promise<UnstructuredObject | undefined> {
  if (name === '') return undefined;
  try {
    const pod = (await storeOf('', 'pods')?.get(context, name))?.object;
    const ips = recordsAt(pod, 'status', 'podIPs').map((one) => textAt(one, 'ip'));
    return ips.includes(address) ? pod : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function noEndpoints(service: string): Error {
  const text = `no endpoints available for service ${JSON.stringify(service)}`;
  return failure('ServiceUnavailable', text);
}
