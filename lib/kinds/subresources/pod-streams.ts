import { badRequest, forbidden } from '../../meta/failure/failures.ts';
import type { RestStorage } from '../../server/registry/contract/rest-storage.ts';
import type { SubresourceParts } from '../../server/registry/contract/subresource-parts.ts';
import { textAt } from '../../meta/json-value.ts';
import { kubeletFailure } from './kubelet-address.ts';
import { containerOf } from './pod-container.ts';
import { connectStorage } from './connect-storage.ts';

const OPTIONS = {
  exec: 'PodExecOptions',
  attach: 'PodAttachOptions',
  portforward: 'PodPortForwardOptions',
} as const;

const KUBELET_PATHS = { exec: 'exec', attach: 'attach', portforward: 'portForward' } as const;

/** `pods/NAME/exec`, `attach` and `portforward`: streams that a kubelet carries. */
export function podStream(
  parts: SubresourceParts,
  action: 'exec' | 'attach' | 'portforward',
): RestStorage {
  const { store, nodes } = parts;
  return connectStorage(store, OPTIONS[action], {
    verbs: ['create', 'get'],
    takesPath: false,
    handle: async (context, name, request) => {
      // Streams are opened by GET as well, which a right to read must not be enough for.
      await context.authorize?.('create', (reason) => forbidden(store.describe, name, reason));
      const pod = (await store.get(context, name)).object;
      const asked = request.query.get('container') ?? '';
      const container = action === 'portforward' ? '' : containerOf(pod, asked);
      const answer = nodes.connect({ action, pod, container, request, context });
      if (answer !== undefined) return await answer;
      const node = textAt(pod, 'spec', 'nodeName');
      if (node === '') throw badRequest(`pod ${name} does not have a host assigned`);
      const end = container === '' ? '' : `/${container}`;
      const path = `/${KUBELET_PATHS[action]}/${context.namespace}/${name}${end}`;
      throw await kubeletFailure(parts, node, 'pods', path);
    },
  });
}
