import { Client } from '../../../../lib/client/rest/client.ts';
import { inProcessTransport } from '../../../../lib/client/transport/in-process/in-process-transport.ts';
import { startCluster } from '../../../../lib/cluster/cluster.ts';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../../lib/kernel/time/wait.ts';
import type { KubernetesObject } from '../../../../lib/meta/object.ts';
import type { ApiHandler } from '../../../../lib/server/http/api-request.ts';
import { EmbeddedKeyValueStore } from '../../../../lib/server/mvcc/embedded-key-value-store.ts';
import type { SimulatedController } from '../../../../lib/simulator/contract/simulated-controller.ts';
import type { ClusterState, Invariant } from '../../../../lib/simulator/contract/world.ts';
import type { KnownBug } from '../known-bug.ts';
import { WorldMirror } from './world-mirror.ts';

export interface FaultFreeRun {
  /** The titles of the steps whose condition was met, in their order. */
  readonly reached: readonly string[];
  /** The failures: broken invariants, and controllers that ended by themselves. */
  readonly broken: readonly string[];
  /** The objects at the end, a line each. */
  readonly state: readonly string[];
  /** The controllers that had not ended a minute after their signal aborted. */
  readonly endless: readonly string[];
}

const LONGEST_STEP_MS = 600_000;
const QUIET_MS = 60_000;
const LOOK_MS = 20;
/** Reports of the controllers of a cluster, which are no part of a bug. */
const LEFT_OUT = new Set(['Event', 'Lease']);

/** Runs a bug's workload with these controllers, on one server that has no faults. */
export async function runWithoutFaults(
  bug: KnownBug,
  controllers: readonly SimulatedController[],
): Promise<FaultFreeRun> {
  const runtime = new VirtualRuntime();
  return await runtime.run(
    async () => {
      await using store = new EmbeddedKeyValueStore({ runtime });
      await using cluster = await startCluster({
        runtime,
        keyValueStore: store,
        controllers: ['garbage-collector', 'namespace'],
      });
      await using user = clientOf(cluster.server.handler, runtime, 'user');
      await makeWorld(user, bug.world.objects);
      const mirror = new WorldMirror(store, runtime);
      mirror.learn(await user.discovery.resources());
      const stop = new AbortController();
      const broken = new Set<string>();
      mirror.onWrite = (state) => {
        for (const text of violations(bug.invariants, state)) broken.add(text);
      };
      await mirror.follow(stop.signal);
      const programs = new Programs(cluster.server.handler, runtime, broken);
      programs.start(bug.world.environment ?? []);
      programs.start(controllers);
      const reached = await play(bug, user, mirror, runtime);
      await quiet(mirror, runtime);
      for (const invariant of bug.invariants ?? []) {
        if ('eventually' in invariant && !invariant.eventually(mirror.state))
          broken.add(invariant.name);
      }
      const state = mirror.lines(LEFT_OUT);
      const endless = await programs.stop();
      stop.abort();
      return { reached, broken: [...broken], state, endless };
    },
    { limitMs: 24 * 3_600_000 },
  );
}

function clientOf(handler: ApiHandler, runtime: VirtualRuntime, fieldManager: string): Client {
  return new Client({ transport: inProcessTransport(handler), runtime, fieldManager });
}

async function makeWorld(user: Client, objects: KnownBug['world']['objects']): Promise<void> {
  if (objects === undefined) return;
  if (typeof objects !== 'string') {
    const named = objects.map(({ metadata }: KubernetesObject) => metadata?.namespace);
    const others = new Set(named.filter((one) => one !== undefined && one !== 'default'));
    for (const name of others)
      await user.resource('v1', 'namespaces').create({ metadata: { name } });
  }
  await user.applyAll(objects, { fieldManager: 'world' });
}

/** Until a step is reached, or too much time has passed. */
async function play(
  bug: KnownBug,
  user: Client,
  mirror: WorldMirror,
  runtime: VirtualRuntime,
): Promise<string[]> {
  const reached: string[] = [];
  for (const step of bug.workload) {
    const { title, until } = step;
    await step.act(user);
    const limitMs = runtime.monotonicMs() + LONGEST_STEP_MS;
    if (until === undefined) await quiet(mirror, runtime);
    while (until !== undefined && !until(mirror.state)) {
      if (runtime.monotonicMs() > limitMs) return reached;
      await sleep(runtime, LOOK_MS);
    }
    reached.push(title);
  }
  return reached;
}

async function quiet(mirror: WorldMirror, runtime: VirtualRuntime): Promise<void> {
  const limitMs = runtime.monotonicMs() + LONGEST_STEP_MS;
  const from = runtime.monotonicMs();
  for (;;) {
    const now = runtime.monotonicMs();
    if (now - Math.max(from, mirror.lastWriteMs) >= QUIET_MS || now > limitMs) return;
    await sleep(runtime, 1000);
  }
}

function violations(invariants: readonly Invariant[] = [], state: ClusterState): string[] {
  return invariants.flatMap((invariant) => {
    if (!('always' in invariant)) return [];
    const reason = invariant.always(state);
    return reason === undefined ? [] : [`${invariant.name}: ${reason}`];
  });
}

/** Programs at work, each replica of them with a client of its own. */
class Programs {
  readonly #handler: ApiHandler;
  readonly #runtime: VirtualRuntime;
  readonly #broken: Set<string>;
  readonly #abort = new AbortController();
  readonly #running = new Map<string, Promise<void>>();

  constructor(handler: ApiHandler, runtime: VirtualRuntime, broken: Set<string>) {
    this.#handler = handler;
    this.#runtime = runtime;
    this.#broken = broken;
  }

  start(programs: readonly SimulatedController[]): void {
    for (const program of programs) {
      for (let replica = 0; replica < (program.replicas ?? 1); replica += 1) {
        const identity = `${program.name}-${replica}`;
        this.#running.set(identity, this.#run(program, replica, identity));
      }
    }
  }

  /** The programs that do not end. */
  async stop(): Promise<readonly string[]> {
    this.#abort.abort();
    await sleep(this.#runtime, QUIET_MS);
    return [...this.#running.keys()];
  }

  async #run(program: SimulatedController, replica: number, identity: string): Promise<void> {
    const { signal } = this.#abort;
    const runtime = this.#runtime;
    await using client = clientOf(this.#handler, runtime, program.name);
    try {
      await program.run({ client, runtime, signal, logger: silentLogger, replica, identity });
      if (!signal.aborted) this.#broken.add(`${identity} has ended`);
    } catch (error) {
      if (!signal.aborted) this.#broken.add(`${identity} has failed: ${String(error)}`);
    }
    this.#running.delete(identity);
  }
}
