import type { ControllerInspection } from '../../controller/builder/controller-inspection.ts';
import type { InspectQueueOptions } from '../../controller/workqueue/queue-inspection.ts';
import { errorMessage } from '../../kernel/failure/errors.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { ClusterPart } from './cluster-parts.ts';

/** Retries among the objects that are held back. */
const MOST_SHOWN = 1000;

/** A controller, as far as it is started, asked and stopped. */
interface RunnableController {
  readonly name: string;
  run(): Promise<void>;
  inspect(options: InspectQueueOptions): Pick<ControllerInspection, 'phase' | 'queue'>;
  close(): Promise<unknown>;
}

interface ReportOptions {
  readonly logger: Logger;
  /** The events of the controller; those that wait are written when it has ended. */
  readonly events?: { close(): Promise<void> } | undefined;
}

/** A controller as a part of a cluster: it runs from the start to the disposal, and an early end is logged. */
export function runningController(
  controller: RunnableController,
  { logger, events }: ReportOptions,
): ClusterPart {
  let work: Promise<void> = Promise.resolve();
  return {
    start: () => {
      work = controller.run().catch((error: unknown) => {
        const { name } = controller;
        logger.error('a controller of the cluster has stopped', {
          controller: name,
          error: errorMessage(error),
        });
      });
    },
    pending: () => pendingWork(controller),
    [Symbol.asyncDispose]: async () => {
      await controller.close();
      await work;
      await events?.close();
    },
  };
}

/** Objects that wait for a time of their own, such as a deadline of days, are no pending work; retries are. */
function pendingWork(controller: RunnableController): string | undefined {
  const { phase, queue } = controller.inspect({ limit: MOST_SHOWN });
  if (phase === 'syncing') return `the first lists of ${controller.name}`;
  const soon = queue.delayed.keys.filter(({ why }) => why !== 'delay').length;
  const count = queue.waiting.count + queue.running.count + soon;
  return count === 0 ? undefined : `${count} objects of ${controller.name}`;
}
