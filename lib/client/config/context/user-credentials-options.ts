import type { Logger } from '../../../kernel/logger.ts';
import type { Runtime } from '../../../kernel/runtime.ts';
import type { AllowExec } from '../credentials/exec/allow-exec.ts';
import type { ExecCluster, ExecEnvironment } from '../credentials/exec/exec-plugin-options.ts';

/** What the credentials of a user need beside its entry. */
export interface UserCredentialsOptions {
  /** The name of the user, for messages. */
  readonly name: string;
  /** What an exec plug-in may learn about the cluster. */
  readonly cluster: ExecCluster;
  readonly environment: ExecEnvironment;
  readonly allowExec: AllowExec | undefined;
  readonly runtime: Runtime;
  readonly logger: Logger;
}
