import { SharedInformerFactory } from '../../../../lib/cache/informer/factory/shared-informer-factory.ts';
import type { Client } from '../../../../lib/client/rest/client.ts';
import type { ControllerOptions } from '../../../../lib/controller/builder/controller-options.ts';
import {
  ReconcileLoop,
  type Reconcile,
} from '../../../../lib/controller/runtime/reconcile-loop.ts';
import { RateLimitingQueue } from '../../../../lib/controller/workqueue/rate-limiting-queue.ts';
import { isConflict } from '../../../../lib/meta/failure/failures.ts';
import type {
  Incarnation,
  SimulatedController,
} from '../../../../lib/simulator/contract/simulated-controller.ts';

/** A program that runs until a signal aborts, such as a `Controller`. */
export interface RunsUntilAborted {
  run(options: { readonly signal: AbortSignal }): Promise<void>;
}

export interface LoopParts {
  readonly client: Client;
  /** Not started yet. */
  readonly informers: SharedInformerFactory;
  readonly queue: RateLimitingQueue;
  readonly incarnation: Incarnation;
}

const SYNC_TIMEOUT_MS = 300_000;

/**
 * A program of one `controller(…)`. Its informers begin with a plain list, as with servers without streaming lists: such a list may be of
 * the past.
 */
export function operatorOf(
  name: string,
  build: (client: Client, options: ControllerOptions) => RunsUntilAborted,
): SimulatedController {
  return {
    name,
    run: async ({ client, runtime, signal, logger }) => {
      await using informers = new SharedInformerFactory(client, {
        runtime,
        logger,
        watchList: false,
      });
      await build(client, { name, runtime, logger, informers }).run({ signal });
    },
  };
}

/**
 * A program of informers, a queue and a loop. Its writes go past the caches, which learn of them by their watches, as in programs with
 * client-go.
 */
export function loopOf(name: string, setUp: (parts: LoopParts) => Reconcile): SimulatedController {
  return { name, run: (incarnation) => runLoop(name, incarnation, setUp) };
}

/** The run of a `loopOf`, for programs that do more. */
export async function runLoop(
  name: string,
  incarnation: Incarnation,
  setUp: (parts: LoopParts) => Reconcile,
): Promise<void> {
  const { client, runtime, signal, logger } = incarnation;
  await using informers = new SharedInformerFactory(client, { runtime, logger, watchList: false });
  const queue = new RateLimitingQueue({ runtime, name });
  const reconcile = setUp({ client, informers, queue, incarnation });
  const loop = new ReconcileLoop({ queue, reconcile, isExpected: isConflict, runtime, logger });
  informers.start();
  try {
    await informers.whenSynced({ timeoutMs: SYNC_TIMEOUT_MS, signal });
  } catch (error) {
    if (signal.aborted) return;
    throw error;
  }
  await loop.run({ signal });
}
