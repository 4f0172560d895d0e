import { controller } from '../../../../lib/controller/builder/controller-builder.ts';
import type { SimulatedController } from '../../../../lib/simulator/contract/simulated-controller.ts';

/** How long a pod takes to end. */
const SHUTDOWN_MS = 500;

/** Lets pods run and get ready, and ends those that are deleted, after a while. */
export const kubelet: SimulatedController = {
  name: 'kubelet',
  run: async ({ client, runtime, logger, signal }) => {
    await controller(client, 'v1', 'pods', { name: 'kubelet', runtime, logger })
      .reconcile(async ({ metadata, status }, { resource }) => {
        const pods = resource('v1', 'pods');
        const { name, uid, deletionTimestamp } = metadata;
        if (deletionTimestamp !== undefined) {
          const asked = Date.parse(deletionTimestamp);
          const grace = (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
          const leftMs = asked - grace + SHUTDOWN_MS - runtime.wallMs();
          if (leftMs > 0) return { requeueAfterMs: leftMs };
          const preconditions = { uid };
          await pods.delete(name, { gracePeriodSeconds: 0, preconditions, ignoreNotFound: true });
          return;
        }
        if (status?.phase !== 'Pending') return;
        const conditions = [{ type: 'Ready', status: 'True' }];
        const running = { phase: 'Running', conditions };
        await pods.patch(name, { status: running }, { subresource: 'status' });
        return;
      })
      .run({ signal });
  },
};
