import type { Client } from '../../../../../lib/client/rest/client.ts';
import { controller } from '../../../../../lib/controller/builder/controller-builder.ts';
import type { ControllerOptions } from '../../../../../lib/controller/builder/controller-options.ts';
import type { KubernetesObject } from '../../../../../lib/meta/object.ts';
import type { KnownBug } from '../../known-bug.ts';
import { customResource } from '../../support/custom-resource.ts';
import { operatorOf } from '../../support/operator-of.ts';
import type { SimulatedController } from '../../../../../lib/simulator/contract/simulated-controller.ts';
import { isAlreadyExists } from '../../../../../lib/meta/failure/failures.ts';

interface Schedule extends KubernetesObject {
  /** How many times it should have run by now. */
  readonly spec: { readonly due: number };
  readonly status?: { readonly active?: string; readonly ran?: number };
}

interface Run extends KubernetesObject {
  readonly status?: { readonly done?: boolean };
}

const API = 'corpus.example.com/v1';

/** One run after the other; the status says which one is active. */
function scheduler(adopts: boolean) {
  return (client: Client, options: ControllerOptions) =>
    controller<Schedule>(client, API, 'schedules', options)
      .owns<Run>(API, 'runs')
      .reconcile(async ({ metadata: { name } }, { resource, own }) => {
        const { spec, status } = await resource<Schedule>(API, 'schedules').get(name);
        const { active = '', ran = 0 } = status ?? {};
        if (active !== '') {
          const run = await resource<Run>(API, 'runs').get(active);
          if (run.status?.done !== true) return;
          return { status: { active: '', ran: ran + 1 }, requeueAfterMs: 10 };
        }
        if (ran >= spec.due) return;
        const next = `${name}-${ran + 1}`;
        try {
          const run = { apiVersion: API, kind: 'Run', metadata: { name: next } };
          await resource<Run>(API, 'runs').create(own(run));
        } catch (error) {
          if (!adopts || !isAlreadyExists(error)) throw error;
        }
        return { status: { active: next }, requeueAfterMs: 100 };
      });
}

/** Ends each run. */
const worker: SimulatedController = {
  name: 'worker',
  run: async ({ client, runtime, logger, signal }) => {
    await controller<Run>(client, API, 'runs', { name: 'worker', runtime, logger })
      .reconcile(async () => ({ status: { done: true } }))
      .run({ signal });
  },
};

export const kubernetes120649: KnownBug = {
  name: 'kubernetes-120649',
  upstream: {
    project: 'kubernetes/kubernetes',
    issue: 'https://github.com/kubernetes/kubernetes/pull/120649',
    fix: 'https://github.com/kubernetes/kubernetes/pull/120649',
    summary:
      'The controller of cron jobs creates a job and then writes it into the status. When the second write did not take place, each further run ' +
      'fails because the job exists already, and the status never lists it. The fix takes the existing job as the created one.',
  },
  pattern: 'intermediate',
  world: {
    objects: [
      customResource({ apiVersion: API, kind: 'Schedule', plural: 'schedules' }),
      customResource({ apiVersion: API, kind: 'Run', plural: 'runs' }),
    ],
    environment: [worker],
  },
  workload: [
    {
      title: 'two runs are due',
      act: async (user) => {
        const metadata = { name: 'nightly', namespace: 'default' };
        const schedules = user.resource<Schedule>(API, 'schedules');
        await schedules.create({ apiVersion: API, kind: 'Schedule', metadata, spec: { due: 2 } });
      },
      until: (state) =>
        state.get<Schedule>(API, 'schedules', 'nightly', 'default')?.status?.ran === 2,
    },
  ],
  wrong: [operatorOf('scheduler', scheduler(false))],
  fixed: [operatorOf('scheduler', scheduler(true))],
};
