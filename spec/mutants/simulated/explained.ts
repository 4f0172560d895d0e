import { controller } from '../../../lib/index.ts';
import type { ReconcileReason } from '../../../lib/controller/change/reconcile-reasons.ts';
import type { SimulatedController } from '../../../lib/simulator/contract/simulated-controller.ts';
import type { SimulationOptions } from '../../../lib/simulator/contract/simulation-options.ts';
import { copySteps } from '../../simulator/support/copies.ts';
import { Complaints, noComplaints } from './complaints.ts';

const FAILURE = 'not yet';
const KINDS_OF_CHANGE: readonly string[] = ['added', 'updated', 'deleted'];

/** The fault of a reason of a run of `key`. */
function problemOf(reason: ReconcileReason, key: string): string | undefined {
  const { type, resource, object, resourceVersion = '', via } = reason;
  if (type === 'retry') return via === undefined || via === '' ? 'a retry of nothing' : undefined;
  if (!KINDS_OF_CHANGE.includes(type)) return type === 'requeue' ? undefined : `a reason ${type}`;
  if (object?.startsWith(key) !== true) return `a change of ${object}`;
  if (!/^\d+$/.test(resourceVersion)) return `a change of version ${resourceVersion}`;
  const expected = resource === 'v1/secrets' ? 'owned' : 'own';
  return via === expected ? undefined : `a change of ${resource} via ${via}`;
}

/** Copies config maps as `copies` does, fails once for each, and looks at the reasons of its runs. */
const explained: SimulatedController = {
  name: 'explained',
  run: async ({ client, runtime, signal, logger }) => {
    const complaints = new Complaints(client, 'explained', () => {});
    const failed = new Set<string>();
    const asked = new Set<string>();
    const notified = new Set<string>();
    await controller(client, 'v1', 'configmaps', { runtime, logger, labelSelector: 'copy' })
      .owns('v1', 'secrets')
      .reconcile(async ({ metadata: { name, uid }, data }, context) => {
        const { key, failures, reasons, resource, own, owned } = context;
        if (reasons.length === 0 || reasons.length > 5) complaints.add(`${reasons.length} reasons`);
        for (const reason of reasons) {
          const problem = problemOf(reason, key);
          if (problem !== undefined) complaints.add(`${key}: ${problem}`);
          const change = JSON.stringify([key, reason]);
          if (KINDS_OF_CHANGE.includes(reason.type) && notified.has(change))
            complaints.add(`${key}: ${reason.type} of ${reason.object} is notified twice`);
          notified.add(change);
        }
        await complaints.write();
        if (!failed.has(uid)) {
          failed.add(uid);
          throw new Error(FAILURE);
        }
        if (asked.size === 0 && failures === 0 && reasons.some(({ type }) => type === 'retry'))
          complaints.add(`${key}: a retry after no failure`);
        const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name } } as const;
        await resource('v1', 'secrets').apply(own({ ...secret, stringData: { ...data } }));
        if (asked.has(uid)) return {};
        asked.add(uid);
        // It sees its own writes at once.
        const scratch = { ...secret, metadata: { name: `${name}-scratch` } };
        const written = await resource('v1', 'secrets').apply(own(scratch));
        const sees = () =>
          owned('v1', 'secrets').some(({ metadata }) => metadata.uid === written.metadata.uid);
        if (!sees()) complaints.add(`${key} does not see what it has made`);
        const preconditions = { uid: written.metadata.uid };
        await resource('v1', 'secrets').delete(scratch.metadata.name, { preconditions });
        if (sees()) complaints.add(`${key} still sees what it has deleted`);
        await complaints.write();
        return { requeueAfterMs: 20_000 };
      })
      .run({ signal });
  },
};

/** A controller that checks the reasons of its runs. */
export const explainedSimulation: SimulationOptions = {
  controllers: [explained],
  workload: copySteps,
  invariants: [noComplaints],
};
