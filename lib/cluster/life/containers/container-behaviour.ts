import type { Container, Pod } from '../../../types/built-in/core-v1-kinds.ts';
import type {
  PodAttachRequest,
  PodExecRequest,
} from '../../../server/api/pods/container-streams.ts';
import type { PodHandler } from '../../../server/api/pods/pod-handlers.ts';
import type { PodPortForwardRequest } from '../../../server/api/pods/port-forward.ts';
import type { ContainerUsage } from './container-usage.ts';
import type { Delay } from './delays.ts';

/** A run of a container, for its function. */
export interface ContainerRunContext {
  readonly pod: Pod;
  readonly container: Container;
  /** How often it has been started before. */
  readonly restartCount: number;
  /** Aborts when the container is stopped: its SIGTERM. What runs longer than the grace period is not awaited, and counts as killed. */
  readonly signal: AbortSignal;
  /** Writes a line to the log of the container. */
  readonly log: (line: string) => void;
  /** Waits in the time of the cluster. @throws the reason of the signal when the container is stopped. */
  readonly sleep: (ms: number) => Promise<void>;
  /** The answer of its readiness probe from now on. */
  readonly setReady: (ready: boolean) => void;
  /** The answer of its liveness probe from now on: with false, the container is started again after its failure threshold. */
  readonly setHealthy: (healthy: boolean) => void;
}

/** The behaviour of a container. A field that is left out is as its command says, if that is known, and else the default. */
export interface ContainerBehaviour {
  /** From its turn until it runs, without the pull of its image. @defaultValue that of the cluster */
  readonly startsAfterMs?: Delay | undefined;
  /** The pull of its image. @defaultValue that of the cluster; nothing when the node has the image */
  readonly pullsAfterMs?: Delay | undefined;
  /** Why its image cannot be pulled: the pod waits with ErrImagePull. */
  readonly pullError?: string | undefined;
  /** From its start until its startup probe succeeds, if it has one. @defaultValue 0 */
  readonly startedAfterMs?: Delay | undefined;
  /** From its start until it is ready; Infinity: never. A delay of its readiness probe comes before. @defaultValue 0 */
  readonly readyAfterMs?: Delay | undefined;
  /** From its start until it ends by itself. @defaultValue Infinity */
  readonly runsForMs?: Delay | undefined;
  /** The code of an end by itself. @defaultValue 0 */
  readonly exitCode?: number | undefined;
  /** The code of an end by SIGTERM. @defaultValue 0 */
  readonly stopCode?: number | undefined;
  /** From SIGTERM until it ends. @defaultValue 0 */
  readonly stopsAfterMs?: Delay | undefined;
  /** Lines of its log, from its start. */
  readonly output?: readonly string[] | undefined;
  /** Runs in place of the container: its result is the exit code, and nothing is 0. Takes the place of `runsForMs` and `exitCode`. */
  // `void` allows an async function without a return statement.
  // oxlint-disable-next-line typescript/no-invalid-void-type
  readonly run?:
    | ((context: ContainerRunContext) => Promise<number | void> | number | void)
    | undefined;
  readonly exec?: ((request: PodExecRequest) => number | Promise<number>) | undefined;
  readonly attach?: ((request: PodAttachRequest) => void | Promise<void>) | undefined;
  readonly portForward?: ((request: PodPortForwardRequest) => void | Promise<void>) | undefined;
  /**
   * The usage of the container, as `kubectl top` shows it: `{ cpu: '250m', memory: '64Mi' }`, or a function that is called when somebody asks.
   * @defaultValue half of what it requests; 1m and 10Mi if it requests nothing
   */
  readonly usage?: ContainerUsage | undefined;
  /** Answers HTTP requests that come by `pods/proxy` and `services/proxy`. */
  readonly http?: PodHandler['http'];
  /** The ports that `http` answers. @defaultValue those that the container declares; every one if it declares none */
  readonly httpPorts?: readonly number[] | undefined;
}
