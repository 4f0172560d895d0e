/**
 * Controllers at work on the pods of the static server: how long after the start of the program they are idle, and what events and
 * memory cost. To profile it: see `ours.ts`.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { SharedInformerFactory } from '../../../lib/cache/informer/factory/shared-informer-factory.ts';
import type { Tracer } from '../../../lib/kernel/report/tracer.ts';
import { connect } from '../../../lib/client/rest/connect.ts';
import { controller } from '../../../lib/controller/builder/controller-builder.ts';
import { RateLimitingQueue } from '../../../lib/controller/workqueue/rate-limiting-queue.ts';
import { isMain } from './contestant.ts';

export interface ControllersArgument {
  readonly server: string;
  readonly objects: number;
  /** Number of updates, after the first list. */
  readonly events: number;
  /** Number of objects that the updates concern, in turn. */
  readonly targets: number;
  readonly controllers: number;
  /** Whether a predicate of each controller leaves out all updates. */
  readonly rejects: boolean;
  /** Whether each reconcile and each request is a span of OpenTelemetry, all of them sampled. */
  readonly traced?: boolean;
}

export interface ControllersResult {
  /** From the start of the program until every object has been reconciled by all. */
  readonly idleMs: number;
  /** Of the updates, while no reconcile ends: their way to the queues. */
  readonly eventsMs: number;
  readonly eventsCpuMs: number;
  /** With the bytes of the cached objects, without decoded ones. */
  readonly heapBytes: number;
  /** One add of a new key to a plain queue, and its hand-out, CPU time. */
  readonly addMs: number;
}

const DEADLINE_MS = 600_000;
const { gc } = globalThis as { gc?: () => void };

export async function controllersWork(argument: ControllersArgument): Promise<ControllersResult> {
  const { server, objects, events, targets, controllers, rejects, traced = false } = argument;
  const client = await connect({ server, tracer: traced ? await tracer(objects) : undefined });
  // Objects that several controllers read are kept decoded, within a budget that is the same for one controller and for 100.
  const cache = events === 0 ? {} : { cache: { mode: 'bytes', decodedBytes: 0 } as const };
  const informers = new SharedInformerFactory(client, cache);
  let reconciled = 0;
  let gate: Promise<void> | undefined;
  const all = Array.from({ length: controllers }, (_, index) =>
    controller(client, 'v1', 'pods', { name: `pods-${index}`, informers, historySize: 10 })
      .where(({ type }) => !rejects || type !== 'updated')
      .reconcile(async () => {
        reconciled += 1;
        await gate;
      }),
  );
  const running = Promise.all(all.map((one) => one.run()));
  await untilTrue(() => reconciled >= objects * controllers);
  const idleMs = performance.now();
  const heapBytes = events === 0 ? 0 : await heapInUse();
  let open = (): void => {};
  gate = new Promise((resolve) => {
    open = resolve;
  });
  const changes = (): number =>
    Math.min(...all.map((one) => one.inspect().sources[0]?.changes ?? 0));
  const before = changes();
  const cpu = process.cpuUsage();
  const startedMs = performance.now();
  if (events > 0) {
    await fetch(`${server}/control/burst?events=${events}&objects=${targets}`, { method: 'POST' });
    await untilTrue(() => changes() - before >= events);
  }
  const eventsMs = performance.now() - startedMs;
  const { user, system } = process.cpuUsage(cpu);
  open();
  await Promise.all(all.map((one) => one.close()));
  await running;
  await informers.close();
  await client.close();
  const addMs = addTime(events, targets, controllers);
  return { idleMs, eventsMs, eventsCpuMs: (user + system) / 1000, heapBytes, addMs };
}

/** Without a tracer, the SDK is not loaded. */
async function tracer(objects: number): Promise<Tracer> {
  const { AlwaysOnSampler } = await import('@opentelemetry/sdk-trace-node');
  const { discardingTracer } = await import('../../controller/traces/discarding-tracer.ts');
  return discardingTracer(new AlwaysOnSampler(), 2 * objects);
}

/**
 * For as many plain queues as there are controllers, so that their tables take as much room: each key is new to a queue, and is handed
 * out once. The fastest of three rounds, for one key of one queue.
 */
function addTime(events: number, targets: number, queues: number): number {
  if (events === 0) return 0;
  let best = Infinity;
  for (let round = 0; round < 3; round += 1) {
    const all = Array.from({ length: queues }, () => new RateLimitingQueue());
    const { user, system } = process.cpuUsage();
    for (let index = 0; index < targets; index += 1) {
      const key = `namespace-${index % 50}/pod-${index}`;
      for (const queue of all) queue.add(key);
    }
    for (const queue of all) {
      while (queue.size > 0) queue.takeNow()?.done();
    }
    const spent = process.cpuUsage();
    best = Math.min(best, spent.user + spent.system - user - system);
    for (const queue of all) queue.destroy();
  }
  return best / 1000 / (targets * queues);
}

async function heapInUse(): Promise<number> {
  gc?.();
  await sleep(100);
  gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

async function untilTrue(condition: () => boolean): Promise<void> {
  const endMs = performance.now() + DEADLINE_MS;
  while (!condition()) {
    if (performance.now() > endMs) throw new Error(`not done after ${DEADLINE_MS} ms`);
    await sleep(1);
  }
}

if (isMain(import.meta)) {
  const argument = JSON.parse(process.argv[2] ?? '{}') as ControllersArgument;
  const result = await controllersWork(argument);
  process.stdout.write(`${JSON.stringify(result)}\n`, () => {
    process.exit(0);
  });
}
