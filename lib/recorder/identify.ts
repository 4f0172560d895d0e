import type { Client } from '../client/rest/client.ts';
import { isListwatchError } from '../kernel/failure/errors.ts';
import { shortHash, type SourceIdentity } from './format/source-identity.ts';

/**
 * The methods that `identify` calls; a `Client` has them.
 *
 * @experimental
 */
export type IdentifyingClient = Pick<Client, 'server' | 'resource'>;

const REVIEW = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };

/**
 * Which server a client speaks to, and as which user, in two small requests: the uid of the namespace `kube-system`, which distinguishes clusters
 * at one address apart, and a SelfSubjectReview. What the server does not say, because it is older or the user may not read it, does not
 * count: then the address alone distinguishes servers.
 * @throws {ListwatchError} when the server does not answer, or refuses the user.
 * @experimental
 */
export async function identify(
  client: IdentifyingClient,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<SourceIdentity> {
  const [cluster, user] = await Promise.all([
    known(async () => {
      const { metadata } = await client.resource('v1', 'namespaces').get('kube-system', options);
      return metadata?.uid;
    }),
    known(async () => {
      const reviews = client.resource('authentication.k8s.io/v1', 'selfsubjectreviews');
      const { status } = await reviews.create({ ...REVIEW } as never, options);
      return status?.userInfo?.username;
    }),
  ]);
  const { host } = new URL(client.server);
  return { server: `${host} ${shortHash(`${client.server} ${cluster}`)}`, user: shortHash(user) };
}

/** Empty for what the server does not say. */
async function known(ask: () => Promise<string | undefined>): Promise<string> {
  try {
    return (await ask()) ?? '';
  } catch (error) {
    const unknown = ['FORBIDDEN', 'NOT_FOUND', 'METHOD_NOT_ALLOWED', 'RESOURCE_UNKNOWN'] as const;
    if (unknown.some((code) => isListwatchError(error, code))) return '';
    throw error;
  }
}
