import { Client } from '../../lib/client/rest/client.ts';
import { inProcessTransport } from '../../lib/client/transport/in-process/in-process-transport.ts';
import { ShardMember } from '../../lib/controller/sharding/shard-member.ts';
import type { ShareWorker } from '../../lib/controller/sharding/contract/work-share.ts';
import { silentLogger } from '../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../lib/kernel/time/virtual-runtime.ts';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import type { ApiHandler } from '../../lib/server/http/api-request.ts';
import { ModelApi } from './model-api.ts';
import { ReplicaLink, type LinkPlan } from './replica-link.ts';
import { ReplicaRuntime } from './replica-runtime.ts';

export interface ShardingRunOptions {
  readonly seed: number;
  readonly server: 'embedded' | 'model';
  /** Which faults are drawn. `deletions`: all, and Leases that a person deletes, of members and of the table. */
  readonly faults: 'all' | 'joins and leaves' | 'crashes' | 'deletions';
}

/** The result of one seed. */
export interface ShardingRunReport {
  readonly seed: number;
  readonly runs: number;
  /** Runs that began while another replica ran the same key, and both had valid leases by their own clocks. */
  readonly twice: number;
  readonly faults: number;
  readonly joins: number;
  /** For each run, how long its key had not been run, milliseconds; a key is due 500 ms after a run. */
  readonly gapsMs: readonly number[];
  /** Whether each key was run by the end, when the faults were long over. */
  readonly complete: boolean;
  readonly errors: readonly string[];
}

const KEYS = 120;
const FAULTS_MS = 60_000;
const END_MS = FAULTS_MS + 60_000 + 40_000;
const LOOK_MS = 250;
const DUE_MS = 500;

interface Process {
  readonly runtime: ReplicaRuntime;
  readonly share: ShardMember;
  readonly running: Set<string>;
  /** Runs that were stopped. */
  readonly cut: Set<string>;
  leaving: boolean;
}

/** Runs one seed. */
export async function runSharding(options: ShardingRunOptions): Promise<ShardingRunReport> {
  return await new ShardingRun(options).run();
}

class ShardingRun {
  readonly #options: ShardingRunOptions;
  readonly #world: VirtualRuntime;
  readonly #server: ApiServer | undefined;
  readonly #handler: ApiHandler;
  readonly #processes = new Set<Process>();
  readonly #cutUntilMs = new Map<ReplicaRuntime, number>();
  /** When the last run of a key ended. */
  readonly #endedMs = new Map<string, number>();
  readonly #gapsMs: number[] = [];
  readonly #errors: string[] = [];
  #runs = 0;
  #twice = 0;
  #faults = 0;
  #joins = 0;
  #over = false;

  constructor(options: ShardingRunOptions) {
    this.#options = options;
    this.#world = new VirtualRuntime({ seed: options.seed, order: 'random' });
    const embedded = options.server === 'embedded';
    this.#server = embedded ? new ApiServer({ runtime: this.#world }) : undefined;
    this.#handler = this.#server?.handler ?? new ModelApi().handler;
  }

  async run(): Promise<ShardingRunReport> {
    const replicas = 3 + Math.floor(this.#dice(6));
    for (let index = 0; index < replicas; index += 1) this.#start();
    const faults = 2 + Math.floor(this.#dice(8));
    for (let index = 0; index < faults; index += 1) {
      this.#world.setTimer(15_000 + this.#dice(FAULTS_MS - 15_000), () => this.#fault());
    }
    await this.#world.advance(END_MS);
    const nowMs = this.#world.monotonicMs();
    const runs = (key: string): boolean =>
      [...this.#processes].some(({ running }) => running.has(key));
    const complete = KEY_NAMES.every(
      (key) => runs(key) || nowMs - (this.#endedMs.get(key) ?? 0) < 5000,
    );
    this.#over = true;
    const ends = [...this.#processes].map((process) => this.#leave(process));
    await this.#world.advance(60_000);
    await this.#world.run(Promise.all(ends));
    if (this.#server !== undefined) await this.#world.run(this.#server.close());
    return {
      seed: this.#options.seed,
      runs: this.#runs,
      twice: this.#twice,
      faults: this.#faults,
      joins: this.#joins,
      gapsMs: this.#gapsMs,
      complete,
      errors: this.#errors,
    };
  }

  #dice(below: number): number {
    return this.#world.random() * below;
  }

  #start(): void {
    if (this.#over || this.#processes.size >= 10) return;
    this.#joins += 1;
    const runtime = new ReplicaRuntime(this.#world, {
      skewMs: this.#dice(20_000) - 10_000,
      speed: 0.99 + this.#dice(0.02),
    });
    const transport = new ReplicaLink({
      handler: this.#handler,
      replica: runtime,
      world: this.#world,
      plan: this.#plan(runtime),
      report: { sent: () => {}, answered: () => {}, received: () => {} },
    });
    const client = new Client({ transport, runtime });
    const share = new ShardMember(client, {
      name: 'group',
      namespace: 'default',
      runtime,
      logger: silentLogger,
    });
    const process: Process = { runtime, share, running: new Set(), cut: new Set(), leaving: false };
    this.#processes.add(process);
    const look = (): void => {
      if (process.leaving) return;
      for (const key of KEY_NAMES) this.#begin(process, key);
      runtime.setTimer(LOOK_MS, look);
    };
    const worker: ShareWorker = {
      name: 'worker',
      gained: () => {
        for (const key of KEY_NAMES) this.#begin(process, key);
      },
      drained: async (covers, undisturbedMs) => {
        const left = (): string[] => [...process.running].filter(covers);
        runtime.setTimer(undisturbedMs, () => {
          for (const key of left()) process.cut.add(key);
        });
        while (left().length > 0) {
          await new Promise<void>((resolve) => {
            runtime.setTimer(20, resolve);
          });
        }
      },
    };
    share.join(worker);
    share.run().catch((error: unknown) => {
      this.#errors.push(String(error));
    });
    runtime.setTimer(LOOK_MS, look);
  }

  #begin(process: Process, key: string): void {
    const { running, share, runtime, cut } = process;
    const nowMs = this.#world.monotonicMs();
    const endedMs = this.#endedMs.get(key);
    if (running.has(key) || process.leaving) return;
    if (endedMs !== undefined && nowMs - endedMs < DUE_MS) return;
    if (!share.has(key)) return;
    this.#runs += 1;
    for (const other of this.#processes) {
      if (other === process || other.runtime.isDead || !other.running.has(key)) continue;
      if (other.share.isValid) this.#twice += 1;
    }
    if (endedMs !== undefined) this.#gapsMs.push(nowMs - endedMs);
    running.add(key);
    const long = this.#dice(1) < 0.02;
    let leftMs = long ? this.#dice(15_000) : this.#dice(300);
    const step = (): void => {
      // One in ten ignores that it was stopped.
      if (leftMs <= 0 || (cut.has(key) && this.#dice(1) < 0.9)) {
        running.delete(key);
        cut.delete(key);
        this.#endedMs.set(key, this.#world.monotonicMs());
        return;
      }
      leftMs -= 100;
      runtime.setTimer(Math.min(100, Math.max(1, leftMs)), step);
    };
    step();
  }

  #fault(): void {
    this.#faults += 1;
    const { faults } = this.#options;
    const alive = [...this.#processes].filter(({ leaving }) => !leaving);
    const process = alive[Math.floor(this.#dice(alive.length))];
    if (process === undefined) return;
    if (faults === 'deletions' && this.#dice(1) < 0.4) {
      const { member } = process.share.inspect();
      void this.#delete(member === undefined || this.#dice(1) < 0.5 ? 'group' : member);
      return;
    }
    const kind = this.#dice(1);
    if (faults === 'joins and leaves') {
      if (kind < 0.5 || alive.length < 3) this.#start();
      else void this.#leave(process);
    } else if (faults === 'crashes') {
      this.#kill(process);
    } else if (kind < 0.3) process.runtime.stop(this.#dice(60_000));
    else if (kind < 0.5) {
      this.#cutUntilMs.set(process.runtime, this.#world.monotonicMs() + this.#dice(60_000));
    } else if (kind < 0.6) this.#kill(process);
    else if (kind < 0.75) void this.#leave(process);
    else if (kind < 0.9) this.#start();
    else process.runtime.setClock(this.#dice(20_000) - 10_000);
  }

  /** As a person may do it. */
  async #delete(name: string): Promise<void> {
    const transport = inProcessTransport(this.#handler);
    const user = new Client({ transport, runtime: this.#world });
    const leases = user.resource('coordination.k8s.io/v1', 'leases', { namespace: 'default' });
    try {
      await leases.delete(name, { ignoreNotFound: true });
    } catch (error) {
      this.#errors.push(String(error));
    }
  }

  #kill(process: Process): void {
    process.runtime.kill();
    this.#processes.delete(process);
    this.#world.setTimer(5000, () => this.#start());
  }

  /** As a manager does: no further run begins, running ones end, then it gives its keys away. */
  async #leave(process: Process): Promise<void> {
    const { runtime, share, running, cut } = process;
    await new Promise<void>((resolve) => {
      const end = async (): Promise<void> => {
        process.leaving = true;
        while (running.size > 0) {
          for (const key of running) cut.add(key);
          await new Promise<void>((done) => {
            runtime.setTimer(20, done);
          });
        }
        await share.close();
        this.#processes.delete(process);
        resolve();
      };
      runtime.run(() => void end());
    });
  }

  #plan(runtime: ReplicaRuntime): LinkPlan {
    const leftMs = (): number => (this.#cutUntilMs.get(runtime) ?? 0) - this.#world.monotonicMs();
    // At the end the network is as it should be, so that a leader or an owner can be expected.
    const isFaulty = (): boolean => this.#world.monotonicMs() < FAULTS_MS + 60_000;
    return {
      latencyMs: () => (isFaulty() && this.#dice(1) < 0.03 ? this.#dice(3000) : 1 + this.#dice(20)),
      partition: () => (leftMs() > 0 ? 'cut' : 'none'),
      arrivesLate: () => this.#dice(1) < 0.5,
      healed: async () => {
        while (leftMs() > 0) {
          await new Promise<void>((resolve) => {
            this.#world.setTimer(leftMs() + this.#dice(2000), resolve);
          });
        }
      },
      pauseBeforeCheckMs: () => 0,
      pauseBeforeSocketMs: () => 0,
    };
  }
}

const KEY_NAMES: readonly string[] = Array.from(
  { length: KEYS },
  (_, index) => `shop/item-${index}`,
);
