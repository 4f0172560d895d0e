import { Client } from '../../lib/client/rest/client.ts';
import type { TransportRequest } from '../../lib/client/transport/contract/transport.ts';
import { inProcessTransport } from '../../lib/client/transport/in-process/in-process-transport.ts';
import type { HeldLease } from '../../lib/controller/election/held-lease.ts';
import { LeaderElector } from '../../lib/controller/election/leader-elector.ts';
import { silentLogger } from '../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../lib/kernel/time/virtual-runtime.ts';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import type { ApiHandler } from '../../lib/server/http/api-request.ts';
import { CANDIDATES, Coordinator, keepingStrategy } from '../controller/election/coordinator.ts';
import { ModelApi } from './model-api.ts';
import { ReplicaLink, type LinkPlan, type LinkReport } from './replica-link.ts';
import { ReplicaRuntime } from './replica-runtime.ts';

export interface ElectionRunOptions {
  readonly seed: number;
  readonly fencing: 'local' | 'strict';
  /** Whether processes are stopped between the last check and the socket too. */
  readonly socketPauses: boolean;
  /** The embedded server, or a model of it that takes less time. */
  readonly server: 'embedded' | 'model';
  /** Whether a coordinator chooses the leader; on the embedded server. */
  readonly coordinated?: boolean;
}

/** The result of one seed. */
export interface ElectionRunReport {
  readonly seed: number;
  /** Writes of leaders, other than those of their leases. */
  readonly sent: number;
  readonly accepted: number;
  /** Sent when the lease had ended by the clock of the process that sent them. */
  readonly sentAfterExpiry: number;
  /** Of these, those whose process was stopped between the check and the socket. */
  readonly sentAfterPause: number;
  /** Stored when another process held the lease. */
  readonly acceptedStale: number;
  /** Moments of a write at which two processes both had a lease that was valid by their own clocks. */
  readonly overlaps: number;
  readonly terms: number;
  readonly faults: number;
  /** Whether a process led at the end, when the faults were long over. */
  readonly leads: boolean;
  /** Why a process ended, by code. */
  readonly endings: Readonly<Record<string, number>>;
  /** Failures of the run itself. */
  readonly errors: readonly string[];
}

const REPLICAS = 3;
/** Faults begin within this time, milliseconds. */
const FAULTS_MS = 60_000;
/** The last fault lasts 60 s at most; then a leader is elected within 20 s. */
const END_MS = FAULTS_MS + 60_000 + 30_000;
const RENEW_DEADLINE_MS = 10_000;
/** How a process may end. */
const EXPECTED: readonly string[] = ['LEADERSHIP_LOST', 'LEADERSHIP_PREEMPTED', 'TIMEOUT'];

/** A process that campaigns, leads and writes, from its start to its end. */
interface Process {
  readonly identity: string;
  readonly runtime: ReplicaRuntime;
  readonly stop: AbortController;
  held: HeldLease | undefined;
  hasEnded: boolean;
  /** When the last renewal was sent that was answered with success, by its monotonic clock. */
  renewedMs: number;
}

/** Runs one seed. */
export async function runElection(options: ElectionRunOptions): Promise<ElectionRunReport> {
  return await new ElectionRun(options).run();
}

class ElectionRun {
  readonly #options: ElectionRunOptions;
  readonly #world: VirtualRuntime;
  readonly #server: ApiServer | undefined;
  readonly #handler: ApiHandler;
  readonly #processes: (Process | undefined)[] = [];
  readonly #cutUntilMs: number[] = [];
  readonly #leases: { readonly version: bigint; readonly holder: string }[] = [];
  readonly #writes: { readonly version: bigint; readonly by: string }[] = [];
  readonly #paused = new WeakSet<TransportRequest>();
  readonly #endings: Record<string, number> = {};
  readonly #errors: string[] = [];
  #started = 0;
  #sent = 0;
  #sentAfterExpiry = 0;
  #sentAfterPause = 0;
  #overlaps = 0;
  #terms = 0;
  #faults = 0;
  #counter = 0;
  #over = false;

  constructor(options: ElectionRunOptions) {
    this.#options = options;
    this.#world = new VirtualRuntime({ seed: options.seed, order: 'random' });
    this.#server =
      options.server === 'embedded' ? new ApiServer({ runtime: this.#world }) : undefined;
    const handler = this.#server?.handler ?? new ModelApi().handler;
    this.#handler = options.coordinated === true ? keepingStrategy(handler) : handler;
  }

  async run(): Promise<ElectionRunReport> {
    await this.#createWork();
    const coordinator = await this.#startCoordinator();
    for (let slot = 0; slot < REPLICAS; slot += 1) this.#start(slot);
    const faults = 2 + Math.floor(this.#world.random() * 6);
    for (let index = 0; index < faults; index += 1) {
      this.#world.setTimer(this.#world.random() * FAULTS_MS, () => this.#fault());
    }
    await this.#world.advance(END_MS);
    const leads = this.#processes.some((process) => (process?.held?.leftMs ?? 0) > 0);
    this.#over = true;
    for (const process of this.#processes) process?.runtime.run(() => process.stop.abort());
    await this.#world.advance(60_000);
    if (coordinator !== undefined) await this.#world.run(coordinator.close());
    if (this.#server !== undefined) await this.#world.run(this.#server.close());
    return {
      seed: this.#options.seed,
      sent: this.#sent,
      accepted: this.#writes.length,
      sentAfterExpiry: this.#sentAfterExpiry,
      sentAfterPause: this.#sentAfterPause,
      acceptedStale: this.#writes.filter((write) => this.#holderAt(write.version) !== write.by)
        .length,
      overlaps: this.#overlaps,
      terms: this.#terms,
      faults: this.#faults,
      leads,
      endings: this.#endings,
      errors: this.#errors,
    };
  }

  async #createWork(): Promise<void> {
    const transport = inProcessTransport(this.#handler);
    const user = new Client({ transport, runtime: this.#world });
    const maps = user.resource('v1', 'configmaps', { namespace: 'default' });
    await this.#world.run(maps.create({ metadata: { name: 'work' } }));
  }

  async #startCoordinator(): Promise<Coordinator | undefined> {
    if (this.#options.coordinated !== true) return undefined;
    const user = new Client({ transport: inProcessTransport(this.#handler), runtime: this.#world });
    const definitions = user.resource('apiextensions.k8s.io/v1', 'customresourcedefinitions');
    await this.#world.run(definitions.create(CANDIDATES));
    await this.#world.advance(1000);
    return new Coordinator(this.#handler, this.#world);
  }

  #dice(below: number): number {
    return this.#world.random() * below;
  }

  #start(slot: number): void {
    if (this.#over) return;
    this.#started += 1;
    const skewMs = this.#dice(20_000) - 10_000;
    const runtime = new ReplicaRuntime(this.#world, { skewMs, speed: 0.99 + this.#dice(0.02) });
    const process: Process = {
      identity: `replica-${slot}-${this.#started}`,
      runtime,
      stop: new AbortController(),
      held: undefined,
      hasEnded: false,
      renewedMs: -Infinity,
    };
    this.#processes[slot] = process;
    const transport = new ReplicaLink({
      handler: this.#handler,
      replica: runtime,
      world: this.#world,
      plan: this.#plan(slot),
      report: this.#report(process),
    });
    const client = new Client({ transport, runtime });
    const elector = new LeaderElector(client, {
      name: 'program',
      namespace: 'default',
      identity: process.identity,
      fencing: this.#options.fencing,
      drainTimeoutMs: 5000,
      // Two of one version, and one of a later version.
      coordinated:
        this.#options.coordinated === true
          ? { binaryVersion: slot === 2 ? '1.1.0' : '1.0.0' }
          : undefined,
      runtime,
      logger: silentLogger,
    });
    const lead = async (lease: HeldLease, signal: AbortSignal): Promise<void> => {
      this.#terms += 1;
      process.held = lease;
      const maps = client.fencedBy(lease).resource('v1', 'configmaps', { namespace: 'default' });
      const work = (async (): Promise<void> => {
        while (!signal.aborted) {
          this.#counter += 1;
          const data = { by: lease.identity, count: String(this.#counter) };
          // Not awaited: several are under way at a time.
          void maps.patch('work', { data }).catch(() => {});
          await new Promise<void>((resolve) => {
            runtime.setTimer(200 + this.#dice(1200), resolve);
          });
        }
      })();
      await work;
    };
    const ended = (code: string): void => {
      this.#endings[code] = (this.#endings[code] ?? 0) + 1;
      process.held = undefined;
      process.hasEnded = true;
      // Kubernetes starts a container again.
      this.#world.setTimer(1000, () => this.#start(slot));
    };
    elector
      .run({ lead: ({ lease, signal }) => lead(lease, signal), signal: process.stop.signal })
      .then(
        () => ended('stopped'),
        (error: unknown) => {
          const { code = String(error) } = error as { readonly code?: string };
          if (!EXPECTED.includes(code)) this.#errors.push(String(error));
          ended(code);
        },
      );
  }

  #fault(): void {
    this.#faults += 1;
    const slot = Math.floor(this.#dice(REPLICAS));
    // More often the one that leads.
    const leader = this.#processes.findIndex((one) => (one?.held?.leftMs ?? 0) > 0);
    const chosen = leader >= 0 && this.#dice(1) < 0.6 ? leader : slot;
    const process = this.#processes[chosen];
    if (process === undefined) return;
    const kind = this.#dice(1);
    if (kind < 0.4) process.runtime.stop(this.#dice(60_000));
    else if (kind < 0.75) this.#cut(chosen, this.#dice(60_000));
    else if (kind < 0.85) this.#kill(chosen);
    else if (kind < 0.92) process.runtime.run(() => process.stop.abort());
    else process.runtime.setClock(this.#dice(20_000) - 10_000);
  }

  #cut(slot: number, forMs: number): void {
    this.#cutUntilMs[slot] = this.#world.monotonicMs() + forMs;
  }

  #kill(slot: number): void {
    const process = this.#processes[slot];
    if (process === undefined || process.runtime.isDead || process.hasEnded) return;
    process.runtime.kill();
    this.#endings['killed'] = (this.#endings['killed'] ?? 0) + 1;
    this.#world.setTimer(5000, () => this.#start(slot));
  }

  #plan(slot: number): LinkPlan {
    const leftMs = (): number => (this.#cutUntilMs[slot] ?? 0) - this.#world.monotonicMs();
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
      pauseBeforeCheckMs: (request) => {
        if (this.#world.monotonicMs() > FAULTS_MS || !isWork(request)) return 0;
        return this.#dice(1) < 0.01 ? this.#dice(60_000) : 0;
      },
      pauseBeforeSocketMs: (request) => {
        if (!this.#options.socketPauses || this.#world.monotonicMs() > FAULTS_MS) return 0;
        if (!isWork(request) || this.#dice(1) > 0.02) return 0;
        this.#paused.add(request);
        return this.#dice(60_000);
      },
    };
  }

  #report(process: Process): LinkReport {
    const sentMs = new WeakMap<TransportRequest, number>();
    const nowMs = (): number => process.runtime.monotonicMs();
    return {
      sent: (request) => {
        sentMs.set(request, nowMs());
        if (!isWork(request)) return;
        this.#sent += 1;
        this.#countOverlap();
        if (nowMs() <= process.renewedMs + RENEW_DEADLINE_MS) return;
        if (this.#paused.has(request)) this.#sentAfterPause += 1;
        else this.#sentAfterExpiry += 1;
      },
      answered: (request, status, body) => {
        if (status >= 300 || request.method === 'GET' || request.path.includes('dryRun')) return;
        if (
          !isWork(request) &&
          !request.path.includes('/leases/') &&
          !request.path.endsWith('/leases')
        )
          return;
        const { metadata, spec } = body as Answer;
        const version = BigInt(metadata.resourceVersion);
        if (isWork(request)) this.#writes.push({ version, by: process.identity });
        else this.#leases.push({ version, holder: spec?.holderIdentity ?? '' });
      },
      received: (request, status, body) => {
        if (status >= 300 || isWork(request) || request.method === 'GET') return;
        const { spec } = body as Answer;
        if (spec?.holderIdentity !== process.identity) return;
        process.renewedMs = Math.max(process.renewedMs, sentMs.get(request) ?? -Infinity);
      },
    };
  }

  #countOverlap(): void {
    const valid = this.#processes.filter(
      (one) => one !== undefined && !one.runtime.isDead && (one.held?.leftMs ?? 0) > 0,
    );
    if (valid.length > 1) this.#overlaps += 1;
  }

  #holderAt(version: bigint): string | undefined {
    let latest: { readonly version: bigint; readonly holder: string } | undefined;
    for (const lease of this.#leases) {
      if (lease.version > version) continue;
      if (latest === undefined || lease.version > latest.version) latest = lease;
    }
    return latest?.holder;
  }
}

interface Answer {
  readonly metadata: { readonly resourceVersion: string };
  readonly spec?: { readonly holderIdentity?: string };
}

function isWork({ method, path }: TransportRequest): boolean {
  return method !== 'GET' && path.includes('/configmaps');
}
