import { is, optionsOf, type OptionsSchema } from '../../../../kernel/options/options-schema.ts';
import type { Logger } from '../../../../kernel/report/logger.ts';
import { LOGGER } from '../../../../kernel/report/logger-rule.ts';
import type { Runtime } from '../../../../kernel/time/runtime.ts';

/** A variable that the plug-in gets in addition to the environment of the process. */
export interface ExecVariable {
  readonly name: string;
  readonly value: string;
}

/** The cluster of the context, for plug-ins that ask for it with `provideClusterInfo`. */
export interface ExecCluster {
  readonly server: string;
  readonly tlsServerName?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** PEM text or its bytes, also where the kubeconfig names a file. */
  readonly certificateAuthorityData?: string | Uint8Array | undefined;
  readonly proxyUrl?: string | undefined;
  readonly disableCompression?: boolean | undefined;
  /** The extension `client.authentication.k8s.io/exec` of the cluster, as it is in the kubeconfig. */
  readonly config?: unknown;
}

/** The environment that a plug-in gets from this process. `ambientEnvironment()` has it. */
export interface ExecEnvironment {
  /** Environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether standard input is a terminal. @defaultValue false */
  readonly stdinIsTerminal?: boolean | undefined;
  /**
   * Sends a signal to a group of processes; false when there is no such group. With it, a plug-in is stopped together with the
   * programs that it has started. Left out: only the plug-in itself is stopped.
   */
  readonly signalGroup?: ((pid: number, signal: 'SIGTERM' | 'SIGKILL') => boolean) | undefined;
}

/** The fields of `users[].user.exec` in a kubeconfig, and what the plug-in gets from this process. */
export interface ExecPluginOptions {
  /** `client.authentication.k8s.io/v1` or `client.authentication.k8s.io/v1beta1`. */
  readonly apiVersion: string;
  /**
   * The program. With a slash it is a path, relative to `directory`. Without one it is looked for in the directories of PATH that
   * are absolute. No shell reads it.
   */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: readonly ExecVariable[] | undefined;
  /** How to install the program; part of the error when it is not installed. */
  readonly installHint?: string | undefined;
  /** @defaultValue false */
  readonly provideClusterInfo?: boolean | undefined;
  /** Required with `provideClusterInfo`. */
  readonly cluster?: ExecCluster | undefined;
  /**
   * Whether the plug-in may read from the terminal: `Never`, `IfAvailable`, or `Always`, which fails without a terminal.
   * Required by v1. @defaultValue 'IfAvailable' for v1beta1
   */
  readonly interactiveMode?: string | undefined;
  /** The directory of the kubeconfig. Left out: a relative path in `command` is refused. */
  readonly directory?: string | undefined;
  /** Where the plug-in was configured, for messages, e.g. `user dev in /home/me/.kube/config:12`. */
  readonly source: string;
  /** Maximum time of one run, milliseconds. @defaultValue 60 000; 300 000 when it may ask in the terminal */
  readonly timeoutMs?: number | undefined;
  readonly environment: ExecEnvironment;
  readonly runtime?: Runtime | undefined;
  /** Gets what the plug-in writes to standard error, line by line, as warnings. @defaultValue no log */
  readonly logger?: Logger | undefined;
}

/** Fields of a kubeconfig that are missing are refused with their place in the file. */
type GivenOptions = Omit<ExecPluginOptions, 'apiVersion' | 'command'> &
  Partial<Pick<ExecPluginOptions, 'apiVersion' | 'command'>>;

export const EXEC_PLUGIN: OptionsSchema<GivenOptions> = optionsOf<GivenOptions>()(
  'execCredentials',
  {
    apiVersion: is.anything(),
    command: is.anything(),
    args: is.anything(),
    env: is.anything(),
    installHint: is.text(),
    provideClusterInfo: is.flag(),
    cluster: is.object(),
    interactiveMode: is.anything(),
    directory: is.text(),
    source: is.text().required,
    timeoutMs: is.number({ min: 1, max: 3_600_000 }),
    environment: is.object().required,
    runtime: is.object(),
    logger: LOGGER,
  },
);
