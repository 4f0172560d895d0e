import { seededRandom } from '../../kernel/time/random.ts';
import type { PlannedFault, FaultKind, RequestPoint, SimulationPlan } from '../contract/fault.ts';
import { SIMULATOR_VERSION } from '../contract/simulator-version.ts';
import { pointOf, type Recording } from './recording.ts';

const MOST_KINDS = 3;
/** Faults of a plan at most. */
export const MOST_FAULTS = 5;
const PARTITION_MS = [1_000, 60_000] as const;
const PAUSE_MS = [1_000, 40_000] as const;
const WEBHOOK_MS = [1_000, 60_000] as const;
/** Most wake-ups between an answer and a crash. */
const MOST_WAKE_UPS = 12;
const SLOW_MS = [100, 20_000] as const;
const STALE_MS = [5_000, 30_000] as const;
const CLOCK_MS = [-120_000, 120_000] as const;

/** Draws of a seed. */
export class Draw {
  readonly #random: () => number;

  constructor(seed: string) {
    this.#random = seededRandom(seed);
  }

  whole(least: number, most: number): number {
    return least + Math.floor(this.#random() * (most - least + 1));
  }

  of<T>(from: readonly T[]): T | undefined {
    return from[Math.floor(this.#random() * from.length)];
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }
}

/**
 * The plan of a seed: it draws a few kinds of faults, and then faults of these kinds only, so that seeds differ in what they try. Without
 * faults of any kind that fits, the plan has none, and only its latencies are its own.
 */
export function swarmPlan(
  seed: number,
  recording: Recording,
  kinds: readonly FaultKind[],
): SimulationPlan {
  const draw = new Draw(`swarm ${seed}`);
  const chosen: FaultKind[] = [];
  for (let count = draw.whole(1, MOST_KINDS); count > 0; count -= 1) {
    const kind = draw.of(kinds);
    if (kind !== undefined && !chosen.includes(kind)) chosen.push(kind);
  }
  const faults: PlannedFault[] = [];
  for (let count = draw.whole(1, MOST_FAULTS); count > 0; count -= 1) {
    const kind = draw.of(chosen);
    const fault = kind === undefined ? undefined : swarmFault(kind, draw, recording);
    if (fault !== undefined) faults.push(fault);
  }
  return { version: SIMULATOR_VERSION, seed, faults, origin: `seed ${seed}` };
}

/** A fault of a kind, at a point of the recording or near it; undefined where none fits. */
export function swarmFault(
  kind: FaultKind,
  draw: Draw,
  recording: Recording,
): PlannedFault | undefined {
  const process = draw.of(recording.processes);
  if (process === undefined) return undefined;
  if (kind === 'cut' || kind === 'hide' || kind === 'stale' || kind === 'reorder') {
    return drawChangeFault(kind, process, draw, recording);
  }
  const at = drawPoint(process, draw, recording);
  switch (kind) {
    case 'crash': {
      const moment = draw.of(['before', 'handled', 'handled', 'answered', 'later'] as const);
      if (moment !== 'later') return { kind, process, at, moment: moment ?? 'handled' };
      return { kind, process, at, moment, wakeUp: draw.whole(1, MOST_WAKE_UPS) };
    }
    case 'error': {
      const status = draw.of([409, 429, 500, 504] as const) ?? 500;
      return { kind, process, at, status, handled: status >= 500 && draw.chance(0.5) };
    }
    case 'lost':
      return { kind, process, at, handled: draw.chance(0.6) };
    case 'repeat':
      return { kind, process, at };
    case 'slow':
      return { kind, process, at, delayMs: draw.whole(...SLOW_MS) };
    case 'partition':
      return { kind, process, at, forMs: draw.whole(...PARTITION_MS) };
    case 'webhook': {
      const written = recording.writes.filter((one) => one.process === process);
      const resource = draw.of(written)?.at.resource;
      if (resource === undefined) return undefined;
      return { kind, process, at, resource, forMs: draw.whole(...WEBHOOK_MS) };
    }
    case 'pause':
      return { kind, process, at, forMs: draw.whole(...PAUSE_MS) };
    default:
      return { kind, process, at, byMs: draw.whole(...CLOCK_MS) };
  }
}

/** Half of the points are writes of the recording, the others any request. */
function drawPoint(process: string, draw: Draw, { writes, requests }: Recording): RequestPoint {
  const own = writes.filter((one) => one.process === process);
  const write = draw.chance(0.5) ? draw.of(own) : undefined;
  if (write !== undefined) return write.at;
  const onlyWrites = draw.chance(0.5);
  const count = onlyWrites ? own.length : (requests.get(process) ?? 1);
  return { verb: onlyWrites ? 'write' : 'any', occurrence: draw.whole(1, Math.max(1, count + 2)) };
}

function drawChangeFault(
  kind: 'cut' | 'hide' | 'stale' | 'reorder',
  process: string,
  draw: Draw,
  { changes }: Recording,
): PlannedFault | undefined {
  const change = draw.of(changes);
  if (change === undefined) return undefined;
  const index = changes.indexOf(change);
  const at = pointOf(change);
  if (kind === 'cut') return { kind, process, at, compacted: draw.chance(0.5) };
  if (kind === 'reorder') return { kind, process, at };
  if (kind === 'hide') {
    const later = changes
      .slice(index + 1)
      .filter(({ ref }) => ref.resource === change.ref.resource);
    const until = draw.of(later.slice(0, 4));
    if (until === undefined) return undefined;
    return { kind, process, at, until: pointOf(until), mode: draw.chance(0.5) ? 'late' : 'missed' };
  }
  const view = draw.of(changes.slice(0, index + 1));
  if (view === undefined) return undefined;
  const side = draw.chance(0.5) ? 'before' : 'after';
  return { kind, process, at, view: pointOf(view), side, forMs: draw.whole(...STALE_MS) };
}
