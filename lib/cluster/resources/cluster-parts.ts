import type { Logger } from '../../kernel/report/logger.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';

/** What every controller of a cluster works with. */
export interface ClusterParts {
  readonly runtime: Runtime;
  readonly logger: Logger;
}
