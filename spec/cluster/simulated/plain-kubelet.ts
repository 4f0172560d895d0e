import { controller } from '../../../lib/controller/builder/controller-builder.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import type { SimulatedController } from '../../../lib/simulator/contract/simulated-controller.ts';
import type { Pod } from '../../../lib/types/built-in/core-v1-kinds.ts';

/** Pods of this image never become ready. */
export const BROKEN = 'broken';

/** Makes pods run that are on a node. The server ends those that are deleted after their grace period, as no node does. */
export const plainKubelet: SimulatedController = {
  name: 'kubelet',
  run: async ({ client, runtime, signal, logger }) => {
    let addresses = 0;
    await using kubelet = controller(client, 'v1', 'pods', { name: 'kubelet', runtime, logger })
      .where(({ object }) => isNew(object))
      .reconcile(async (pod, { resource }) => {
        if (!isNew(pod)) return;
        addresses += 1;
        const ip = `10.0.${addresses >> 8}.${addresses & 255}`;
        const isReady = pod.spec?.containers[0]?.image !== BROKEN;
        const lastTransitionTime = new Date(runtime.wallMs()).toISOString();
        const status = {
          phase: 'Running',
          podIP: ip,
          podIPs: [{ ip }],
          conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime }],
        };
        const { name } = pod.metadata;
        const patched = { type: 'merge', subresource: 'status' } as const;
        await resource('v1', 'pods').patch(name, { status }, patched);
      });
    await kubelet.run({ signal });
  },
};

function isNew({ metadata, spec, status }: Stored<Pod>): boolean {
  return (
    spec?.nodeName !== undefined &&
    status?.phase === 'Pending' &&
    metadata.deletionTimestamp === undefined
  );
}
