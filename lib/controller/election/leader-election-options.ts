import { ListwatchError } from '../../kernel/failure/errors.ts';
import {
  numberOption,
  rejectUnknownOptions,
  requireOptions,
} from '../../kernel/options/options.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { Metrics } from '../../kernel/report/metrics.ts';
import { randomUuid } from '../../kernel/time/random.ts';
import { hostName } from '../../kernel/time/real-process.ts';
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
   * Longest wait for the work after it was told to end, milliseconds. The lease is not given back then: it ends by itself, so that the
   * work of the next leader begins later. @defaultValue 25 000; a `Manager` has `shutdownTimeoutMs`
   */
  readonly drainTimeoutMs?: number | undefined;
  /**
   * Asks the replica that leads to give the lease up, which ends its work first and lets `run` reject with LEADERSHIP_PREEMPTED; as long as this
   * replica asks or leads, those without the option stand by. Best for a program on a laptop that takes the place of the deployed one while
   * it is examined. Programs of other libraries do not give the lease up. @defaultValue false
   */
  readonly preempt?: boolean | undefined;
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

const LEADER_ELECTION_OPTIONS: readonly (keyof LeaderElectorOptions)[] = [
  'name',
  'namespace',
  'identity',
  'leaseDurationMs',
  'renewDeadlineMs',
  'retryMs',
  'fencing',
  'labels',
  'drainTimeoutMs',
  'preempt',
  'onLeader',
  'runtime',
  'logger',
  'metrics',
];

/** Jitter of the waits of replicas that do not lead: up to this share of `retryMs` is added. @see client-go JitterFactor @ 32ce75a7 */
export const JITTER = 1.2;

/** The options with their defaults. */
export interface ElectionTimes {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
  /** The longest request for the lease: one that hangs must not use up the deadline. */
  readonly requestMs: number;
  readonly drainTimeoutMs: number;
}

/** The name of a Lease or a namespace. */
const DNS_NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** @throws {ListwatchError} code INVALID_OPTION. */
export function electionTimes(owner: string, options: LeaderElectorOptions): ElectionTimes {
  rejectUnknownOptions(owner, options, LEADER_ELECTION_OPTIONS);
  requireOptions(owner, options, ['name']);
  const number = (name: keyof ElectionTimes & keyof LeaderElectorOptions, fallback: number) =>
    numberOption(owner, name, options[name], fallback, { min: 1 });
  const leaseDurationMs = number('leaseDurationMs', 15_000);
  const renewDeadlineMs = number('renewDeadlineMs', 10_000);
  const retryMs = number('retryMs', 2000);
  const drainTimeoutMs = number('drainTimeoutMs', 25_000);
  const refuse = (problem: string): never => {
    throw new ListwatchError('INVALID_OPTION', `${owner}: ${problem}`);
  };
  if (leaseDurationMs % 1000 !== 0) {
    refuse(
      `option "leaseDurationMs" must be whole seconds, as a Lease has it, not ${leaseDurationMs}`,
    );
  }
  if (renewDeadlineMs >= leaseDurationMs) {
    refuse(
      `option "renewDeadlineMs" (${renewDeadlineMs}) must be less than "leaseDurationMs" (${leaseDurationMs})`,
    );
  }
  if (retryMs * JITTER >= renewDeadlineMs) {
    refuse(
      `option "retryMs" (${retryMs}) must be less than "renewDeadlineMs" (${renewDeadlineMs}) divided by ${JITTER}`,
    );
  }
  const { fencing = 'local', name, namespace, identity, preempt = false } = options;
  if (fencing !== 'local' && fencing !== 'strict') {
    refuse(`option "fencing" must be 'local' or 'strict', not ${String(fencing)}`);
  }
  if (typeof preempt !== 'boolean') {
    refuse(`option "preempt" must be true or false, not ${String(preempt)}`);
  }
  for (const [option, text] of Object.entries({ name, namespace })) {
    if (text === undefined) continue;
    if (typeof text !== 'string' || !DNS_NAME.test(text)) {
      refuse(
        `option "${option}" must be a name of Kubernetes: lower case letters, digits, "-" and "."`,
      );
    }
  }
  if (identity !== undefined && (typeof identity !== 'string' || identity.trim() === '')) {
    refuse(
      'option "identity" must be a text that no other replica has, such as the name of the pod',
    );
  }
  const requestMs = Math.max(1000, renewDeadlineMs / 2);
  return { leaseDurationMs, renewDeadlineMs, retryMs, requestMs, drainTimeoutMs };
}

/** An identity that no other replica has. */
export function newIdentity(runtime: Runtime): string {
  return `${hostName()}_${randomUuid(runtime)}`;
}
