import type { DeltaOrder } from '../../lib/cache/delta/delta-fifo.ts';
import type { CacheMode } from '../../lib/cache/memory/object-memory.ts';
import { Dice } from './dice.ts';
import { FAULT_KINDS, type FaultKind } from './faults.ts';
import type { ListenerHabits } from './listener.ts';

export type SourceKind = 'model' | 'storage' | 'http';

/** One thing that happens from outside. Each brings its own dice, so that leaving out others does not change it. */
export type Step =
  | { readonly type: 'write'; readonly dice: string; readonly count: number }
  | { readonly type: 'wait'; readonly ms: number }
  | { readonly type: 'fault'; readonly dice: string; readonly kind: FaultKind }
  | { readonly type: 'join'; readonly dice: string }
  | { readonly type: 'leave'; readonly dice: string }
  | { readonly type: 'bookmark' }
  | { readonly type: 'add-index' };

/** Everything about one seed that is not left to chance during the run. */
export interface Scenario {
  readonly seed: number;
  readonly source: SourceKind;
  readonly faults: readonly FaultKind[];
  readonly taskOrder: 'fifo' | 'random';
  readonly order: DeltaOrder;
  readonly watchList: boolean | undefined;
  readonly pageSize: number | undefined;
  readonly startVersion: bigint;
  readonly selective: boolean;
  readonly keys: readonly string[];
  readonly initialObjects: number;
  readonly historySize: number;
  readonly watchCapacity: number;
  readonly futureWatch: 'expired' | 'too-large' | 'accept';
  readonly queueCapacity: number | undefined;
  readonly resyncIntervalMs: number;
  readonly minWatchTimeoutMs: number;
  readonly listTimeoutMs: number;
  readonly watchListTimeoutMs: number;
  readonly idleTimeoutMs: number | undefined;
  readonly silenceProbeMs: number | undefined;
  readonly internalErrorRetryMs: number;
  readonly freeze: boolean;
  readonly transform: boolean;
  /** How the cache keeps objects that come in as bytes; undefined when they come in decoded. */
  readonly cache: CacheMode | undefined;
  /** Index functions read nothing but metadata. */
  readonly readsMetadata: boolean;
  readonly listeners: readonly ListenerHabits[];
  /** Closed in the middle of everything. */
  readonly closesEarly: boolean;
  readonly steps: readonly Step[];
}

const STARTS = [0n, 0n, 5n, 2n ** 53n - 40n, 2n ** 53n + 7n, 2n ** 63n - 100n, 999_999_990n];

/** Draws the scenario of a seed. Faults left out with `without` change nothing else about it. */
export function drawScenario(seed: number, without: ReadonlySet<FaultKind> = new Set()): Scenario {
  const dice = new Dice(`scenario ${seed}`);
  const source = dice.weighted<SourceKind>([
    [88, 'model'],
    [7, 'storage'],
    [5, 'http'],
  ]);
  const faults = drawFaults(dice, source);
  const keys = drawKeys(dice, source);
  const budget = source === 'model' ? dice.int(800, 4200) : dice.int(80, 350);
  const resyncs = dice.chance(0.3);
  const has = (kind: FaultKind): boolean => faults.includes(kind) && !without.has(kind);
  const memory = new Dice(`memory ${seed}`);
  const onlyMetadata = memory.chance(0.25);
  const streams = has('no-end-bookmark') || has('no-watch-list');
  return {
    seed,
    source,
    faults: faults.filter((kind) => !without.has(kind)),
    taskOrder: dice.chance(0.4) ? 'random' : 'fifo',
    order: dice.chance(0.7) ? 'arrival' : 'key',
    watchList: streams || dice.pick([true, false, undefined]),
    pageSize: has('continue-410') ? dice.int(2, 10) : dice.pick([undefined, 0, dice.int(2, 60)]),
    startVersion: source === 'model' ? dice.pick(STARTS) : 0n,
    selective: dice.chance(0.35),
    keys,
    initialObjects: dice.int(0, keys.length),
    historySize: has('compact') ? dice.int(5, 1500) : Infinity,
    watchCapacity: has('end') ? dice.int(500, 5000) : 1_000_000,
    futureWatch: dice.pick(['expired', 'too-large', 'accept']),
    queueCapacity: dice.chance(0.3) ? dice.int(1, 100) : undefined,
    resyncIntervalMs: resyncs ? dice.int(20, 300) * 1000 : 0,
    minWatchTimeoutMs: dice.pick([2000, 10_000, 30_000, 60_000, 300_000]),
    listTimeoutMs: dice.pick([3000, 10_000, 60_000]),
    watchListTimeoutMs: dice.pick([2000, 5000, 60_000]),
    idleTimeoutMs: dice.chance(0.2) ? dice.int(65, 200) * 1000 : undefined,
    silenceProbeMs: dice.pick([undefined, undefined, 0, 5000]),
    internalErrorRetryMs: dice.pick([0, 0, 20_000]),
    freeze: dice.chance(0.05),
    transform: has('transform') || dice.chance(0.15),
    cache: memory.weighted<CacheMode | undefined>([
      [40, undefined],
      [30, 'objects'],
      [30, 'bytes'],
    ]),
    readsMetadata: memory.chance(0.5) && !has('index') && !has('transform'),
    listeners: Array.from({ length: dice.int(1, 6) }, () => ({
      ...drawHabits(dice, has('handler')),
      ...(onlyMetadata ? { view: 'metadata' as const } : {}),
    })),
    closesEarly: dice.chance(0.06),
    steps: drawSteps(dice, seed, budget, faults, without),
  };
}

/** Each seed has its own mixture: a storm of everything hides what a single kind can do. */
function drawFaults(dice: Dice, source: SourceKind): FaultKind[] {
  const count = dice.weighted<number>([
    [10, 0],
    [20, dice.int(1, 2)],
    [40, dice.int(3, 6)],
    [30, dice.int(7, FAULT_KINDS.length)],
  ]);
  const modelOnly: readonly FaultKind[] = ['restore', 'stale-list'];
  return dice
    .shuffled(FAULT_KINDS)
    .slice(0, count)
    .filter((kind) => source === 'model' || !modelOnly.includes(kind));
}

function drawKeys(dice: Dice, source: SourceKind): string[] {
  const count = dice.weighted<number>([
    [20, dice.int(1, 5)],
    [50, dice.int(6, 60)],
    [30, source === 'model' ? dice.int(61, 250) : dice.int(20, 60)],
  ]);
  const namespaces = source === 'model' ? dice.int(1, 4) : 1;
  return Array.from({ length: count }, (_, index) =>
    source === 'model' ? `ns-${index % namespaces}/thing-${index}` : `default/thing-${index}`,
  );
}

export function drawHabits(dice: Dice, mayThrow: boolean): ListenerHabits {
  const delayMs = dice.weighted<number>([
    [50, 0],
    [30, dice.int(1, 20)],
    [20, dice.int(200, 2000)],
  ]);
  const throws = dice.chance(0.4);
  const coalesceAbove = dice.int(1, 60);
  return {
    view: dice.chance(0.35) ? 'metadata' : 'object',
    delayMs,
    throwRate: mayThrow && throws ? 0.01 + dice.next() * 0.3 : 0,
    coalesceAbove: delayMs > 100 || dice.chance(0.1) ? coalesceAbove : undefined,
    // A slow handler that gets resyncs may never come to rest.
    resyncIntervalMs: delayMs > 0 ? 0 : dice.pick([undefined, 0, 30_000, 90_000]),
    meddleRate: dice.chance(0.25) ? 0.003 : 0,
  };
}

function drawSteps(
  dice: Dice,
  seed: number,
  budget: number,
  faults: readonly FaultKind[],
  without: ReadonlySet<FaultKind>,
): Step[] {
  const steps: Step[] = [];
  const pace = dice.pick([0.3, 1, 1, 3]);
  const faultWeight = faults.length === 0 ? 0 : dice.int(5, 50);
  const choices = [
    [60, 'write'],
    [60, 'wait'],
    [faultWeight, 'fault'],
    [2, 'join'],
    [2, 'leave'],
    [5, 'bookmark'],
    [0.3, 'add-index'],
  ] as const;
  for (let written = 0; written < budget; ) {
    const own = `${seed}/${steps.length}`;
    const type = dice.weighted<Step['type']>(choices);
    switch (type) {
      case 'write': {
        const count = dice.weighted<number>([
          [60, 1],
          [30, dice.int(2, 10)],
          [10, dice.int(20, 120)],
        ]);
        written += count;
        steps.push({ type, dice: own, count });
        break;
      }
      case 'wait':
        steps.push({ type, ms: Math.round(drawWaitMs(dice) * pace) });
        break;
      case 'fault': {
        const kind = dice.pick(faults);
        if (!without.has(kind)) steps.push({ type, dice: own, kind });
        break;
      }
      case 'join':
      case 'leave':
        steps.push({ type, dice: own });
        break;
      case 'bookmark':
      case 'add-index':
        steps.push({ type });
        break;
    }
  }
  return steps;
}

function drawWaitMs(dice: Dice): number {
  return dice.weighted<number>([
    [55, dice.int(0, 50)],
    [25, dice.int(50, 3000)],
    [17, dice.int(3000, 30_000)],
    [3, dice.int(60_000, 400_000)],
  ]);
}
