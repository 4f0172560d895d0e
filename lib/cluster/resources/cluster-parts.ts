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
  /** The work that it has still to do now, in words; undefined when it waits for changes, or for a time that is not near. */
  readonly pending?: () => string | undefined;
}
