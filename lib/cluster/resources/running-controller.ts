import { errorMessage } from '../../kernel/failure/errors.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { ClusterPart } from './cluster-parts.ts';

/** A controller, as far as it is started and stopped. */
interface RunnableController {
  readonly name: string;
  run(): Promise<void>;
  close(): Promise<unknown>;
}

/** A controller as a part of a cluster: it runs from the start to the disposal, and an early end is logged. */
export function runningController(controller: RunnableController, logger: Logger): ClusterPart {
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
    [Symbol.asyncDispose]: async () => {
      await controller.close();
      await work;
    },
  };
}
