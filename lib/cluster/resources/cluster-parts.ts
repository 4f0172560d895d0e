import type { Logger } from '../../kernel/report/logger.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';

/** The parts that every controller of a cluster uses. */
export interface ClusterParts {
  readonly runtime: Runtime;
  readonly logger: Logger;
}

/** Work from `start` to its disposal. */
export interface ClusterPart extends AsyncDisposable {
  start(): void;
}
