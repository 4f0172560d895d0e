import {
  type FilledOptions,
  invalidOption,
  is,
  optionsOf,
  type OptionsSchema,
} from '../../kernel/options/options-schema.ts';
import { consoleLogger } from '../../kernel/report/console-logger.ts';
import { LOGGER } from '../../kernel/report/logger-rule.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { CandidateVersions } from './coordinated-entry.ts';
import { silentMetrics, type Metrics } from '../../kernel/report/metrics.ts';
import { randomUuid } from '../../kernel/time/random.ts';
import { hostName } from '../../kernel/time/real-process.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';

/** How one of several replicas is chosen. */
export interface LeaderElectionOptions {
  /** The name of the Lease, the same for all replicas of a program, e.g. `site-operator`. */
  readonly name: string;
  /** @defaultValue the namespace of the client */
  readonly namespace?: string | undefined;
  /** Names this replica in the Lease. No two replicas may have the same. @defaultValue the name of the machine or pod, and a UUID */
  readonly identity?: string | undefined;
  /**
   * For how long other replicas wait after the last renewal that they have seen, milliseconds; whole seconds. @defaultValue 15 000
   */
  readonly leaseDurationMs?: number | undefined;
  /**
   * For how long a leader that cannot renew goes on, milliseconds, from the moment when it sent the last renewal that succeeded. Less
   * than `leaseDurationMs`: the difference is for clocks of different speed, and for writes that are under way. @defaultValue 10 000
   */
  readonly renewDeadlineMs?: number | undefined;
  /** Time between renewals, milliseconds. A replica that does not lead looks after it, and up to 1.2 of it more. @defaultValue 2000 */
  readonly retryMs?: number | undefined;
  /**
   * `local`: the client checks the lease in the last step before the bytes of a write leave. A process that is stopped between this step
   * and the socket can still send that write. `strict`: each write carries the epoch of the lease too, and the server refuses older ones;
   * `run` rejects with FENCING_UNSUPPORTED on a server that does not. @defaultValue 'local'
   */
  readonly fencing?: 'local' | 'strict' | undefined;
  /** Labels of a Lease that is created. @defaultValue none */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /**
   * Longest wait for the work after its signal has aborted, milliseconds. The lease is not given back then: it ends by itself, so that the
   * work of the next leader begins later. @defaultValue 25 000; a `Manager` has `shutdownTimeoutMs`
   */
  readonly drainTimeoutMs?: number | undefined;
  /**
   * Asks the replica that leads to give the lease up, which ends its work first and lets `run` reject with LEADERSHIP_PREEMPTED; as long as this
   * replica asks or leads, those without the option stand by. Best for a program on a laptop that takes the place of the deployed one while
   * it is examined. Programs of other libraries do not give the lease up. @defaultValue false
   */
  readonly preempt?: boolean | undefined;
  /**
   * Lets the coordinator of the API server choose the leader: the replica of the oldest version, so that a rolling update hands over once,
   * at its end. It is the feature CoordinatedLeaderElection of Kubernetes, which serves `leasecandidates` of `coordination.k8s.io/v1beta1` and is off by
   * default up to 1.37; where it is not served, the replicas elect the leader as without. A leader that the coordinator replaces ends its
   * work, gives the lease back, and `run` rejects with LEADERSHIP_PREEMPTED. `identity` has to be a name of Kubernetes then. The user needs `get`, `create`,
   * `update`, `delete` and `watch` for `leasecandidates` too. @defaultValue the replicas elect the leader
   *
   * @experimental
   */
  readonly coordinated?: CandidateVersions | undefined;
  /** Called when another replica leads, with its identity, also when it is this one. */
  readonly onLeader?: ((identity: string) => void) | undefined;
}

/** Options of a `LeaderElector`. */
export interface LeaderElectorOptions extends LeaderElectionOptions {
  readonly runtime?: Runtime | undefined;
  /** @defaultValue consoleLogger */
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
}

/** The name of a Lease or a namespace. */
const dnsName = is.openRule<string>(
  'a name of Kubernetes: lower case letters, digits, "-" and "."',
  (given) => typeof given === 'string' && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(given),
);

const semanticVersion = is.openRule<string>(
  'a semantic version without "v", such as "1.4.0"',
  (given) =>
    typeof given === 'string' &&
    /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}(?:-[\dA-Za-z.-]+)?(?:\+[\dA-Za-z.-]+)?$/.test(given),
);

const VERSIONS = optionsOf<CandidateVersions>()('coordinated', {
  binaryVersion: semanticVersion.required,
  emulationVersion: semanticVersion,
});

type Defaulted =
  | 'leaseDurationMs'
  | 'renewDeadlineMs'
  | 'retryMs'
  | 'fencing'
  | 'drainTimeoutMs'
  | 'preempt'
  | 'runtime'
  | 'logger'
  | 'metrics';

export const LEADER_ELECTION: OptionsSchema<LeaderElectorOptions, Defaulted> =
  optionsOf<LeaderElectorOptions>()('LeaderElector', {
    name: dnsName.required,
    namespace: dnsName,
    identity: is.openRule<string>(
      'a text that no other replica has, such as the name of the pod',
      (given) => typeof given === 'string' && given.trim() !== '',
    ),
    leaseDurationMs: is.number({ min: 1 }).default(15_000),
    renewDeadlineMs: is.number({ min: 1 }).default(10_000),
    retryMs: is.number({ min: 1 }).default(2000),
    fencing: is.oneOf('local', 'strict').default('local'),
    labels: is.object(),
    drainTimeoutMs: is.number({ min: 1 }).default(25_000),
    preempt: is.flag().default(false),
    coordinated: VERSIONS.nested,
    onLeader: is.callback(),
    runtime: is.object().default(realRuntime),
    logger: LOGGER.default(consoleLogger),
    metrics: is.object().default(silentMetrics),
  });

/** Jitter of the waits of replicas that do not lead: up to this share of `retryMs` is added. @see client-go JitterFactor @ 32ce75a7 */
export const JITTER = 1.2;

/** The times of an election. */
export interface ElectionTimes {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
  /** The longest request for the lease: one that hangs must not use up the deadline. */
  readonly requestMs: number;
  readonly drainTimeoutMs: number;
}

/** @throws {ListwatchError} code INVALID_OPTION. */
export function resolveElection(
  owner: string,
  given: LeaderElectorOptions,
): FilledOptions<LeaderElectorOptions, Defaulted> & ElectionTimes {
  const options = LEADER_ELECTION.read(given, owner);
  const { leaseDurationMs, renewDeadlineMs, retryMs } = options;
  if (leaseDurationMs % 1000 !== 0) {
    throw invalidOption(
      owner,
      `option "leaseDurationMs" must be whole seconds, as a Lease has it, not ${leaseDurationMs}`,
    );
  }
  if (renewDeadlineMs >= leaseDurationMs) {
    throw invalidOption(
      owner,
      `option "renewDeadlineMs" (${renewDeadlineMs}) must be less than "leaseDurationMs" (${leaseDurationMs})`,
    );
  }
  if (retryMs * JITTER >= renewDeadlineMs) {
    throw invalidOption(
      owner,
      `option "retryMs" (${retryMs}) must be less than "renewDeadlineMs" (${renewDeadlineMs}) divided by ${JITTER}`,
    );
  }
  if (options.coordinated !== undefined) checkCoordinated(owner, options);
  return { ...options, requestMs: Math.max(1000, renewDeadlineMs / 2) };
}

/** The identity is the name of an object, and a coordinator does not know who asks for the lease. */
function checkCoordinated(
  owner: string,
  { identity, preempt }: Pick<LeaderElectorOptions, 'identity' | 'preempt'>,
): void {
  if (preempt === true) {
    throw invalidOption(owner, 'option "preempt" does not go with option "coordinated"');
  }
  if (identity !== undefined) dnsName.read(owner, 'identity', identity);
}

/** An identity that no other replica has. */
export function newIdentity(runtime: Runtime, isName: boolean = false): string {
  const host = hostName();
  if (!isName) return `${host}_${randomUuid(runtime)}`;
  const name = host
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  return `${name === '' ? 'replica' : name.slice(0, 100)}-${randomUuid(runtime)}`;
}
