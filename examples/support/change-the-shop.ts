import type { Client } from 'listwatch';
import type { ConfigMap } from 'listwatch/types';
import type { Deployment } from './kinds.ts';

/** Makes a few changes while the informers are disconnected. Returns a description of them. */
export async function changeTheShop(client: Client, signal: AbortSignal): Promise<string> {
  const done: string[] = ['wrote a config map twice'];
  const maps = client.resource('v1', 'configmaps', { namespace: 'default' });
  const note = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'while-you-were-away' },
  } satisfies ConfigMap;
  await maps.create(note, { signal });
  await maps.patch(note.metadata.name, { data: { state: 'forgotten' } }, { signal });
  const { items } = await client.resource<Deployment>('apps/v1', 'deployments').list({ signal });
  for (const { metadata, spec } of items) {
    const { name, namespace } = metadata ?? {};
    if (namespace !== 'shop') continue;
    const deployments = client.resource<Deployment>('apps/v1', 'deployments', { namespace });
    if (name === 'cart') {
      await deployments.patch(name, { spec: { replicas: (spec.replicas ?? 1) + 2 } }, { signal });
      done.push('scaled cart');
    } else if (name === 'web') {
      const annotations = { 'kubectl.kubernetes.io/restartedAt': new Date().toISOString() };
      const template = { metadata: { annotations } };
      await deployments.patch(name, { spec: { template } }, { signal });
      done.push('restarted web');
    } else if (name === 'recommendations') {
      await deployments.delete(name, { signal });
      done.push('deleted recommendations');
    }
  }
  return done.join(', ');
}
