import type { Logger } from '../../../kernel/report/logger.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { AllowExec } from '../credentials/exec/allow-exec.ts';
import type { ExecCluster, ExecEnvironment } from '../credentials/exec/exec-plugin-options.ts';

/** The parts that the credentials of a user need beside its entry. */
export interface UserCredentialsOptions {
  /** The name of the user. Messages show it with `shownName`. */
  readonly name: string;
  /** The facts about the cluster that an exec plug-in may read. */
  readonly cluster: ExecCluster;
  readonly environment: ExecEnvironment;
  readonly allowExec: AllowExec | undefined;
  /** The URL of the proxy for an address of an identity provider. */
  readonly proxyFor?: ((address: string) => string | undefined) | undefined;
  /** Whether refreshed tokens are written back to the kubeconfig. */
  readonly persistTokens?: boolean | undefined;
  readonly runtime: Runtime;
  readonly logger: Logger;
}
