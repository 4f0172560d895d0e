import { errorMessage } from '../../lib/kernel/failure/errors.ts';
import type { Contestant, ContestantKind } from './contestants/contestant.ts';
import { DEFAULT_BOUND, type Fault, type RequestBound } from './fault.ts';
import { checkDeliveries, type Findings } from './check-deliveries.ts';
import { View } from './view.ts';
import { pause, type Exchange } from './world/exchange.ts';
import type { FaultProxy } from './world/fault-proxy.ts';
import { World } from './world/world.ts';

export interface CaseOptions {
  readonly seed: string;
  /** The duration of a second of a fault, in seconds. @defaultValue 1 */
  readonly scale?: number | undefined;
  /** Longest time to catch up in place of the fault's. */
  readonly limitMs?: number | undefined;
}

/** How one contestant came through one fault. */
export interface Verdict extends Findings {
  readonly fault: string;
  readonly contestant: string;
  readonly ok: boolean;
  /** From the end of the fault until cache and handlers agreed with the server; undefined: never. */
  readonly convergedMs: number | undefined;
  readonly requests: RequestBound;
  readonly bound: RequestBound;
  readonly survived: boolean;
  /** The other failures. */
  readonly complaints: readonly string[];
  /** The events of the run, in words. */
  readonly story: string;
}

const OBJECTS = 30;
const BEFORE_MS = 500;
const AFTER_MS = 1000;
const FIRST_SYNC_LIMIT_MS = 30_000;
const POLL_MS = 5;
/** Whatever is still under way, such as a line sent twice, has come by then. */
const SETTLE_MS = 150;
const CLOSE_LIMIT_MS = 10_000;

/** Lets one contestant go through one fault, in a world of its own. */
export async function runCase(
  fault: Fault,
  kind: ContestantKind,
  options: CaseOptions,
): Promise<Verdict> {
  const { seed, scale = 1 } = options;
  await using world = await World.open({
    seed: `${seed}/${fault.name}`,
    objects: fault.objects ?? OBJECTS,
    scale,
  });
  const trial = new Trial(fault, kind, world, options);
  try {
    return await trial.run();
  } catch (error) {
    return await trial.broken(error);
  }
}

class Trial {
  readonly #fault: Fault;
  readonly #kind: ContestantKind;
  readonly #world: World;
  readonly #limitMs: number;
  readonly #scale: number;
  #contestant: Contestant | undefined;
  #views: readonly View[] = [];
  #complaints: string[] = [];

  constructor(fault: Fault, kind: ContestantKind, world: World, options: CaseOptions) {
    this.#fault = fault;
    this.#kind = kind;
    this.#world = world;
    this.#limitMs = options.limitMs ?? fault.limitMs;
    this.#scale = options.scale ?? 1;
  }

  async run(): Promise<Verdict> {
    const { history, proxy, writer } = this.#world;
    const { early = false } = this.#fault;
    if (early) writer.resume();
    else await this.#startSynced();
    const gapFrom = early ? 0 : history.changes.length;
    const firstRequest = proxy.exchanges.length;

    const installed = this.#fault.install(this.#world);
    if (early) await this.#start();
    const cameAbout = await within(this.#limitMs, installed);
    if (!cameAbout) this.#complaints.push('it stopped asking before the fault was over');
    const overMs = performance.now();
    // Earlier knowledge does not count: it needs a new notification.
    const heardOf = history.changes.length + 1;
    const converged = cameAbout && (await this.#agrees(this.#limitMs, heardOf));
    const convergedMs = converged ? Math.round(performance.now() - overMs) : undefined;
    const gapTo = history.changes.length;

    if (converged) await this.#goOn();
    const { changes } = history;
    const deliveries = this.#contestant?.deliveries() ?? [];
    // Without another list there is no excuse for a missing notification.
    const merges = proxy.exchanges.slice(firstRequest).some(isList);
    const to = converged ? gapTo : changes.length;
    const checked = checkDeliveries(deliveries, changes, {
      from: gapFrom,
      to: merges ? to : gapFrom,
    });
    const requests = countRequests(proxy, firstRequest);
    const story = this.#contestant?.story() ?? '';
    const survived = this.#contestant?.survives === true;
    await this.#close();
    this.#complaints.push(...this.#world.complaints());
    return this.#verdict({ ...checked, convergedMs, requests, survived, story });
  }

  /** The verdict when the trial itself came to nothing. */
  async broken(error: unknown): Promise<Verdict> {
    this.#complaints.push(errorMessage(error));
    const none = { lost: [], repeated: [], disordered: [], invented: [] };
    const requests = { perSecond: 0, total: 0 };
    const survived = this.#contestant?.survives === true;
    await this.#close();
    return this.#verdict({ ...none, convergedMs: undefined, requests, survived, story: '' });
  }

  /** Runs it before the fault, with everything well. */
  async #startSynced(): Promise<void> {
    const { writer } = this.#world;
    await this.#start();
    if (!(await this.#agrees(FIRST_SYNC_LIMIT_MS))) {
      const story = this.#contestant?.story() ?? '';
      throw new Error(`it did not sync with a healthy server: ${story}`);
    }
    writer.resume();
    await this.#world.sleep(BEFORE_MS);
    // Events still under way when the fault begins may be part of it.
    await this.#agrees(FIRST_SYNC_LIMIT_MS);
  }

  async #start(): Promise<void> {
    const { proxy, token } = this.#world;
    const { handler: badHandler } = this.#fault;
    this.#contestant = await this.#kind.start({ server: proxy.url, token, badHandler });
    this.#views = this.#contestant.deliveries().map((deliveries) => new View(deliveries));
  }

  /** Life after the fault: it has to stay at one with the server, to the last change. */
  async #goOn(): Promise<void> {
    const { writer } = this.#world;
    await this.#world.sleep(AFTER_MS);
    await writer.pause();
    const isComplete = await this.#isHistoryComplete();
    if (!isComplete || !(await this.#agrees(this.#limitMs))) {
      this.#complaints.push('it lost the server again after the fault');
      return;
    }
    await pause(SETTLE_MS);
    if (!this.#agreesNow()) this.#complaints.push('its state changed after the last write');
  }

  async #isHistoryComplete(): Promise<boolean> {
    const giveUpMs = performance.now() + this.#limitMs;
    while (!(await this.#world.history.isComplete())) {
      if (performance.now() > giveUpMs) return false;
      await pause(POLL_MS);
    }
    return true;
  }

  /** Waits until it agrees with the server about a history of so many changes at least. */
  async #agrees(limitMs: number, changes: number = 0): Promise<boolean> {
    const { history } = this.#world;
    const giveUpMs = performance.now() + limitMs;
    while (history.changes.length < changes || !this.#agreesNow()) {
      if (performance.now() > giveUpMs || this.#contestant?.survives !== true) return false;
      await pause(POLL_MS);
    }
    return true;
  }

  #agreesNow(): boolean {
    const truth = this.#world.history.state;
    if (this.#contestant === undefined) return false;
    return (
      this.#views.every((view) => equal(view.present(), truth)) &&
      equal(this.#contestant.cache(), truth)
    );
  }

  async #close(): Promise<void> {
    const closed = this.#contestant?.close() ?? Promise.resolve();
    if (!(await within(CLOSE_LIMIT_MS, closed))) this.#complaints.push('it could not be closed');
  }

  #verdict(parts: Omit<Verdict, 'fault' | 'contestant' | 'ok' | 'bound' | 'complaints'>): Verdict {
    const { perSecond, total } = this.#fault.bound ?? DEFAULT_BOUND;
    // Where time is shorter, more happens in it.
    const bound = { perSecond: perSecond / this.#scale, total };
    const { convergedMs, requests, survived, lost, repeated, disordered, invented } = parts;
    const wrong = [lost, repeated, disordered, invented, this.#complaints];
    const ok =
      convergedMs !== undefined &&
      survived &&
      requests.total <= bound.total &&
      requests.perSecond <= bound.perSecond &&
      wrong.every((one) => one.length === 0);
    return {
      fault: this.#fault.name,
      contestant: this.#kind.name,
      ok,
      bound,
      complaints: this.#complaints,
      ...parts,
    };
  }
}

/** A list of one object is a question about the version of the server. */
function isList({ kind, head }: Exchange): boolean {
  return kind === 'streaming-list' || (kind === 'list' && !/[?&]limit=1(?:&|$)/.test(head.path));
}

function equal(left: ReadonlyMap<string, string>, right: ReadonlyMap<string, string>): boolean {
  if (left.size !== right.size) return false;
  for (const [key, value] of left) if (right.get(key) !== value) return false;
  return true;
}

/** Whether the work was done in time; if not, it is left to itself. */
async function within(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, limitMs, false);
  });
  // Later failures do not matter.
  work.catch(() => {});
  try {
    return await Promise.race([work.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}

function countRequests({ exchanges }: FaultProxy, first: number): RequestBound {
  const times = exchanges.slice(first).map(({ startedMs }) => startedMs);
  let perSecond = 0;
  let start = 0;
  for (let end = 0; end < times.length; end += 1) {
    while (times[end]! - times[start]! >= 1000) start += 1;
    perSecond = Math.max(perSecond, end - start + 1);
  }
  return { perSecond, total: times.length };
}
