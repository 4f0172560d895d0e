import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { create, type AxiosInstance } from 'axios';
import { nowUs, PACED_RESOURCE_VERSION } from './pods.ts';

/** The commands of a contestant; see `../peers/README.md`. */
export interface ContestantArgument {
  readonly server: string;
  readonly workload: 'sync' | 'watch' | 'memory' | 'latency';
  readonly variant: string;
  /** A paged list and a watch instead of a watch-list. */
  readonly listWatch?: boolean | undefined;
  readonly objects: number;
  readonly events: number;
  readonly targets: number;
  readonly handlers: number;
  /** Of ours: `nothing`, handlers that only count; `both`, handlers that read the old and the new state. */
  readonly reads: 'metadata' | 'object' | 'both' | 'nothing';
  /** "latency": resource versions count microseconds from here, a time in microseconds since 1970. */
  readonly epochUs?: number | undefined;
  /** Of ours: indexes besides the one by namespace. @defaultValue 0 */
  readonly indexes?: number | undefined;
}

/** Its output. */
export interface ContestantResult {
  readonly syncMs: number;
  readonly syncCpuMs: number;
  readonly events: number;
  readonly watchMs: number;
  readonly watchCpuMs: number;
  /** Of what still goes on in the background after the last event, if that is known. */
  readonly watchAfterCpuMs?: number | undefined;
  readonly baseRssBytes: number;
  readonly rssBytes: number;
  readonly peakRssBytes: number;
  readonly heapBytes?: number | undefined;
  /** How long something went on in the background after the first list, and what it cost, if that is known. */
  readonly settleMs?: number | undefined;
  readonly settleCpuMs?: number | undefined;
  /** 99.9 % of the pauses of the event loop while the first list came in were shorter. */
  readonly loopDelayP999Ms?: number | undefined;
  readonly loopDelayMaxMs?: number | undefined;
  /** From the write of an event to its handler. */
  readonly latencyP50Ms?: number | undefined;
  readonly latencyP99Ms?: number | undefined;
  /** Of the bytes that were read; so that no contestant can leave them out. */
  readonly checksum?: number | undefined;
}

/** When updates have reached a handler. */
export class Arrivals {
  readonly #latenciesUs: number[] = [];
  readonly #epochUs: number;

  constructor({ epochUs = 0 }: ContestantArgument) {
    this.#epochUs = epochUs;
  }

  note(resourceVersion: string): void {
    const writtenUs = Number(resourceVersion) - PACED_RESOURCE_VERSION;
    this.#latenciesUs.push(nowUs() - this.#epochUs - writtenUs);
  }

  /** Milliseconds; `share` of the updates took less. The first half of them warms the program up, and does not count. */
  percentile(share: number): number {
    const warm = this.#latenciesUs.slice(this.#latenciesUs.length >> 1);
    const sorted = warm.toSorted((one, other) => one - other);
    return (sorted[Math.floor(sorted.length * share)] ?? Number.NaN) / 1000;
  }
}

/** A contestant at work. */
export interface Contestant {
  /** Starts it; resolves when every handler has been given every object of the first list. */
  sync(): Promise<void>;
  /** Updates of the handler that has seen the fewest. */
  updates(): number;
  /** Whether every key that was handed out has been worked on. */
  idle(): boolean;
  checksum(): number;
  /** "latency": the resource version of each update, and when its handler got it, in microseconds since 1970. */
  readonly arrivals?: Arrivals | undefined;
  close(): Promise<void>;
}

const DEADLINE_MS = 600_000;
const LOOP_RESOLUTION_MS = 1;
/** A process that takes less of a processor than this, for so many milliseconds, does nothing. */
const QUIET_SHARE = 0.1;
const QUIET_MS = 200;
const NOT_SETTLED = { rss: 0, heap: 0, settleMs: 0, settleCpuMs: 0 };

/** Sends commands to a contestant, and measures it. */
export async function measure(
  argument: ContestantArgument,
  make: (argument: ContestantArgument, http: AxiosInstance) => Contestant | Promise<Contestant>,
): Promise<ContestantResult> {
  const { objects, server, workload } = argument;
  const http = create({ baseURL: server, adapter: 'http', proxy: false });
  // The first request loads what requests need.
  await http.get('/control/ready');
  gc?.();
  gc?.();
  const baseRssBytes = process.memoryUsage.rss();
  const contestant = await make(argument, http);
  const loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  loop.enable();
  const sync = await spent(() => withDeadline(contestant.sync(), `${objects} objects`));
  // The last pause is noted when it is over.
  await sleep(LOOP_RESOLUTION_MS * 5);
  loop.disable();
  const { rss, heap, ...settled } = workload === 'sync' ? NOT_SETTLED : await settle();
  let watch = { tookMs: 0, cpuMs: 0 };
  let after = { tookMs: 0, cpuMs: 0 };
  if (workload === 'latency') await followPace(argument, contestant, http);
  if (workload === 'watch') {
    watch = await spent(() => followBurst(argument, contestant, http));
    after = await spent(untilQuiet);
  }
  const result: ContestantResult = {
    syncMs: sync.tookMs,
    syncCpuMs: sync.cpuMs,
    events: contestant.updates(),
    watchMs: watch.tookMs,
    watchCpuMs: watch.cpuMs,
    watchAfterCpuMs: after.cpuMs,
    ...settled,
    baseRssBytes,
    rssBytes: rss,
    peakRssBytes: peakRss(),
    heapBytes: heap,
    loopDelayP999Ms: loop.percentile(99.9) / 1e6,
    loopDelayMaxMs: loop.max / 1e6,
    checksum: contestant.checksum(),
    ...(workload === 'latency' && {
      latencyP50Ms: contestant.arrivals?.percentile(0.5),
      latencyP99Ms: contestant.arrivals?.percentile(0.99),
    }),
  };
  await contestant.close();
  return result;
}

/** The whole program of a contestant. */
export async function runContestant(
  make: (argument: ContestantArgument, http: AxiosInstance) => Contestant | Promise<Contestant>,
): Promise<void> {
  const argument = JSON.parse(process.argv[2] ?? '{}') as ContestantArgument;
  const result = await measure(argument, make);
  // A contestant that cannot be stopped in the middle of something must not hold up the others.
  process.stdout.write(`${JSON.stringify(result)}\n`, () => {
    process.exit(0);
  });
}

/** Whether a module is the program that runs. */
export function isMain(meta: ImportMeta): boolean {
  return process.argv[1] === meta.filename;
}

const { gc } = globalThis as { gc?: () => void };

async function spent(work: () => Promise<unknown>): Promise<{ tookMs: number; cpuMs: number }> {
  const cpu = process.cpuUsage();
  const startedMs = performance.now();
  await work();
  const tookMs = performance.now() - startedMs;
  const { user, system } = process.cpuUsage(cpu);
  return { tookMs, cpuMs: (user + system) / 1000 };
}

/** Asks for a burst, and waits until the contestant is through with it. */
async function followBurst(
  { events, targets }: ContestantArgument,
  contestant: Contestant,
  http: AxiosInstance,
): Promise<void> {
  const path = `/control/burst?events=${events}&objects=${targets}`;
  const burst = http.post(path);
  await untilTrue(
    () => contestant.updates() >= events && contestant.idle(),
    () => `${contestant.updates()} events of ${events}`,
  );
  await burst;
}

/** Asks for events at a pace that every contestant keeps, and waits until it has them. */
async function followPace(
  { events, epochUs }: ContestantArgument,
  contestant: Contestant,
  http: AxiosInstance,
): Promise<void> {
  const paced = http.post(`/control/pace?events=${events}&epochUs=${epochUs}`);
  await untilTrue(
    () => contestant.updates() >= events,
    () => `${contestant.updates()} events of ${events}`,
  );
  await paced;
}

/** Memory once nothing goes on in the background and what is garbage is gone. */
async function settle(): Promise<typeof NOT_SETTLED> {
  const { tookMs, cpuMs } = await spent(untilQuiet);
  gc?.();
  // Memory that the allocator keeps is freed with a delay.
  if (gc !== undefined) await sleep(100);
  gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  return { rss, heap: heapUsed, settleMs: tookMs, settleCpuMs: cpuMs };
}

async function untilQuiet(): Promise<void> {
  // Without it nothing is measured anyway.
  if (gc === undefined) return;
  const endMs = performance.now() + DEADLINE_MS;
  for (;;) {
    const { tookMs, cpuMs } = await spent(() => sleep(QUIET_MS));
    if (cpuMs < tookMs * QUIET_SHARE) return;
    if (performance.now() > endMs) throw new Error(`busy for ${DEADLINE_MS} ms with nothing to do`);
  }
}

async function untilTrue(condition: () => boolean, lacks: () => string): Promise<void> {
  const endMs = performance.now() + DEADLINE_MS;
  while (!condition()) {
    if (performance.now() > endMs) throw new Error(`after ${DEADLINE_MS} ms there are ${lacks()}`);
    await sleep(1);
  }
}

async function withDeadline(work: Promise<void>, what: string): Promise<void> {
  const timer = new AbortController();
  const tooLate = sleep(DEADLINE_MS, undefined, { signal: timer.signal }).then(
    () => {
      throw new Error(`${what} have not come within ${DEADLINE_MS} ms`);
    },
    () => {},
  );
  try {
    await Promise.race([work, tooLate]);
  } finally {
    timer.abort();
  }
}

function peakRss(): number {
  try {
    const status = readFileSync('/proc/self/status', 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    // Not Linux.
    return process.resourceUsage().maxRSS * 1024;
  }
}
