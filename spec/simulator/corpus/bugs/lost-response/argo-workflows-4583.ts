import type { Client } from '../../../../../lib/client/rest/client.ts';
import { controller } from '../../../../../lib/controller/builder/controller-builder.ts';
import type { ControllerOptions } from '../../../../../lib/controller/builder/controller-options.ts';
import { isApiError } from '../../../../../lib/meta/failure/failures.ts';
import type { KubernetesObject } from '../../../../../lib/meta/object.ts';
import type { SimulatedController } from '../../../../../lib/simulator/contract/simulated-controller.ts';
import type { ClusterState } from '../../../../../lib/simulator/contract/world.ts';
import type { KnownBug } from '../../known-bug.ts';
import { customResource } from '../../support/custom-resource.ts';
import { operatorOf } from '../../support/operator-of.ts';
import { unlessExists } from '../../support/quiet.ts';
import { creates } from '../../support/steps.ts';
import { stillThere } from '../../support/still-there.ts';

interface Workflow extends KubernetesObject {
  readonly spec: { readonly steps: number };
  readonly status?: { readonly phase?: 'Running' | 'Succeeded' | 'Error' };
}

interface Task extends KubernetesObject {
  readonly status?: { readonly done?: boolean };
}

const WORKFLOW = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', plural: 'workflows' };
const TASK = { apiVersion: 'corpus.example.com/v1', kind: 'Task', plural: 'tasks' };
const { apiVersion, plural } = WORKFLOW;

/** The server was too slow, or did not answer: the step may have been made or not. */
function isTimeout(error: unknown): boolean {
  return !isApiError(error) || error.code === 'GATEWAY_TIMEOUT';
}

/** Runs one step after the other. A task stands for the pod of a step. */
function workflows(triesAgain: boolean) {
  return (client: Client, options: ControllerOptions) =>
    controller<Workflow>(client, apiVersion, plural, options)
      .owns<Task>(TASK.apiVersion, TASK.plural)
      .reconcile(async (workflow, { resource, own, owned, signal }) => {
        const { metadata, spec, status } = workflow;
        const { name } = metadata;
        if (status?.phase === 'Succeeded' || status?.phase === 'Error') return;
        const tasks = owned<Task>(TASK.apiVersion, TASK.plural);
        for (let step = 1; step <= spec.steps; step += 1) {
          const task = tasks.find((one) => one.metadata.name === `${name}-${step}`);
          if (task?.status?.done === true) continue;
          if (task !== undefined) return { status: { phase: 'Running' } };
          if (!(await stillThere(resource(apiVersion, plural), workflow))) return;
          const { kind } = TASK;
          const api = resource<Task>(TASK.apiVersion, TASK.plural);
          const metadata = { name: `${name}-${step}` };
          try {
            const created = own({ apiVersion: TASK.apiVersion, kind, metadata });
            await unlessExists(api.create(created));
          } catch (error) {
            if (triesAgain || signal.aborted || !isTimeout(error)) throw error;
            return { status: { phase: 'Error' } };
          }
          return { status: { phase: 'Running' } };
        }
        return { status: { phase: 'Succeeded' } };
      });
}

/** Ends each task. */
const worker: SimulatedController = {
  name: 'worker',
  run: async ({ client, runtime, logger, signal }) => {
    const options = { name: 'worker', runtime, logger };
    await controller<Task>(client, TASK.apiVersion, TASK.plural, options)
      .reconcile(async () => ({ status: { done: true } }))
      .run({ signal });
  },
};

function hasSucceeded(state: ClusterState): boolean {
  return state.get<Workflow>(apiVersion, plural, 'build', 'default')?.status?.phase === 'Succeeded';
}

export const argoWorkflows4583: KnownBug = {
  name: 'argo-workflows-4583',
  upstream: {
    project: 'argoproj/argo-workflows',
    issue: 'https://github.com/argoproj/argo-workflows/issues/4583',
    fix: 'https://github.com/argoproj/argo-workflows/pull/4820',
    summary:
      'When the creation of the pod of a step gets no answer in time, the workflow is marked as failed for good, whether the pod was made or not. ' +
      'The fix creates the pod again; its name follows from the step.',
  },
  pattern: 'lost-response',
  world: {
    objects: [customResource(WORKFLOW), customResource(TASK)],
    environment: [worker],
  },
  workload: [creates(WORKFLOW, 'build', { steps: 3 }, hasSucceeded)],
  wrong: [operatorOf('workflow-controller', workflows(false))],
  fixed: [operatorOf('workflow-controller', workflows(true))],
};
