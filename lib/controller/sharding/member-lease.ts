import type { Client } from '../../client/rest/client.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import { silentMetrics } from '../../kernel/report/metrics.ts';
import { randomText, randomUuid } from '../../kernel/time/random.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { ElectionReport } from '../election/election-report.ts';
import { HeldLease } from '../election/held-lease.ts';
import { newIdentity } from '../election/leader-election-options.ts';
import type { LeaseClock } from '../election/lease-clock.ts';
import { LeaseLock } from '../election/lease-lock.ts';
import { recordOf } from '../election/lease-record.ts';
import { LeaseRenewal } from '../election/lease-renewal.ts';
import type { ShardingTimes } from './sharding-options.ts';

export interface MemberLeaseOptions {
  readonly client: Client;
  readonly namespace: string;
  /** Of the group. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly times: ShardingTimes;
  readonly clock: LeaseClock;
  readonly logger: Logger;
  readonly runtime: Runtime;
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** The Lease that a replica has as a member of its group: made under a new name, renewed, and given back. */
export class MemberLease {
  readonly #options: MemberLeaseOptions;
  #renewal: LeaseRenewal | undefined;
  #giveBack: (() => Promise<void>) | undefined;
  #member: string | undefined;

  constructor(options: MemberLeaseOptions) {
    this.#options = options;
  }

  /** Its name, which is that of the member; undefined before the first and after each `giveBack`. */
  get member(): string | undefined {
    return this.#member;
  }

  async endRenewal(): Promise<void> {
    await this.#renewal?.stop();
  }

  /** Others need not wait for as long as it lasts. */
  async giveBack(): Promise<void> {
    await this.#giveBack?.();
    this.#giveBack = undefined;
    this.#member = undefined;
  }

  /** Makes one and renews it; undefined if the name is taken. */
  async make(): Promise<HeldLease | undefined> {
    const { client, namespace, name, labels, times, clock, logger, runtime } = this.#options;
    const { leaseDurationMs, renewDeadlineMs, requestMs: timeoutMs } = times;
    const member = `${name}-${randomText(runtime, 10, ALPHABET)}`;
    const identity = newIdentity(runtime);
    const instance = randomUuid(runtime);
    const common = { namespace, name: member, identity, runtime };
    const lock = new LeaseLock({ ...common, client, instance, leaseDurationMs, labels });
    const since = clock.now();
    const lease = await lock.create({ timeoutMs });
    if (lease === undefined) return undefined;
    const held = new HeldLease({
      ...common,
      uid: lease.metadata.uid,
      epoch: 0,
      validityMs: renewDeadlineMs,
      since,
      strict: false,
      clock,
    });
    const report = new ElectionReport({
      namespace,
      name: member,
      identity,
      logger,
      metrics: silentMetrics,
      onLeader: undefined,
    });
    this.#renewal = new LeaseRenewal({ lock, held, lease, times, clock, report, runtime });
    this.#renewal.start();
    this.#giveBack = async () => {
      const found = await lock.read({ timeoutMs });
      if (found === undefined) return;
      const record = recordOf(found, leaseDurationMs);
      if (record.uid !== held.uid || record.holder !== identity) return;
      if (record.instance === instance) await lock.release(found, { timeoutMs });
    };
    this.#member = member;
    return held;
  }
}
