import { isNotFound, notFound } from '../../meta/failure/failures.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import { serverContext } from '../../server/registry/contract/server-context.ts';
import type { ServerParts } from '../../server/registry/contract/subresource-parts.ts';
import { numberAt, recordsAt, textAt } from '../../meta/json-value.ts';
import { plainFailure } from './named-creation.ts';

/** See pkg/kubelet/client KubeletClientConfig.PreferredAddressTypes @ 24a394e. */
const PREFERRED = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];
const KUBELET_PORT = 10_250;

/**
 * The failure of a request to the kubelet of a node: nothing listens there.
 * @param resource The resource that a missing node is named under: kube-apiserver names that of the request.
 * @param path The path of the kubelet.
 */
export async function kubeletFailure(
  { storeOf }: ServerParts,
  nodeName: string,
  resource: 'pods' | 'nodes',
  path: string,
): Promise<Error> {
  try {
    const node = await storeOf('', 'nodes')?.get(serverContext(''), nodeName);
    if (node === undefined) return notFound({ group: '', resource }, nodeName);
    return unreachable(node.object, path);
  } catch (error) {
    if (isNotFound(error)) return notFound({ group: '', resource }, nodeName);
    throw error;
  }
}

function unreachable(node: KubernetesObject, path: string): Error {
  const addresses = recordsAt(node, 'status', 'addresses');
  const preferred = PREFERRED.flatMap((type) =>
    addresses.filter((one) => textAt(one, 'type') === type),
  );
  const [first] = preferred.map((one) => textAt(one, 'address'));
  if (first === undefined) {
    const known = addresses.map((one) => `{${textAt(one, 'type')} ${textAt(one, 'address')}}`);
    return plainFailure(`no preferred addresses found; known addresses: [${known.join(' ')}]`);
  }
  const port =
    numberAt(node, 'status', 'daemonEndpoints', 'kubeletEndpoint', 'Port') || KUBELET_PORT;
  const host = first.includes(':') ? `[${first}]:${port}` : `${first}:${port}`;
  return plainFailure(
    `Get "https://${host}${path}": dial tcp ${host}: connect: connection refused`,
  );
}
