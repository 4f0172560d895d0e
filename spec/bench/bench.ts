/** How much work a bench does: `tiny` proves that it runs, `quick` is for a look, `full` for numbers that are quoted. */
export type BenchSize = 'tiny' | 'quick' | 'full';

/** One number that a run of a bench came to. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The contestant of the figure, where several do the same. */
  readonly contestant?: string | undefined;
  /** Whether it is said how many times better ours is than each of the others. @defaultValue false */
  readonly compared?: boolean | undefined;
}

/** The export `bench` of a `*.bench.ts`. A run has a process to itself. */
export interface Bench {
  /** The name that `--only` accepts beside its file's name, e.g. `S2`. */
  readonly id?: string | undefined;
  /** The measured quantity, in one line. */
  readonly title: string;
  /** Runs of it in a full measurement. @defaultValue 5 */
  readonly repeats?: number | undefined;
  /** Runs of it in a quick one. @defaultValue 3 */
  readonly quickRepeats?: number | undefined;
  /** Done once before all runs, in the process that starts them; it may leave word in the environment. */
  readonly prepare?: (() => Promise<void>) | undefined;
  readonly run: (size: BenchSize) => Promise<readonly Figure[]>;
}

export function sized(size: BenchSize, sizes: Readonly<Record<BenchSize, number>>): number {
  return sizes[size];
}

/** Milliseconds that the work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

/** A clock that all processes of the machine share, milliseconds: their wall clocks differ when the time is set between their starts. */
export function sharedClockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export function perSecond(name: string, count: number, tookMs: number): Figure {
  return { name, value: (count / tookMs) * 1000, unit: '/s' };
}

export function each(name: string, count: number, tookMs: number): Figure {
  return { name, value: (tookMs / count) * 1000, unit: 'µs' };
}

export function seconds(name: string, tookMs: number): Figure {
  return { name, value: tookMs / 1000, unit: 's' };
}

export function megabytes(name: string, bytes: number): Figure {
  return { name, value: bytes / 1e6, unit: 'MB' };
}

/** Frees what is free already, so that memory is measured and not garbage; the harness starts node with --expose-gc. */
export function collectGarbage(): void {
  (globalThis as { gc?: () => void }).gc?.();
}
