import { seededRandom } from '../../kernel/time/random.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { Latency } from '../network/latency.ts';

/** Largest times from one end to the other, milliseconds: of requests, and of the events of watches. */
const PROFILES: readonly (readonly [requestMs: number, eventMs: number])[] = [
  [2, 2],
  [2, 20],
  [20, 2],
  [5, 300],
  [100, 5],
  [50, 2000],
];

/** The latencies of a run. Each seed draws a profile: fast and slow requests, fast and slow watches. */
export function latencyOf(seed: number, runtime: Runtime): Latency {
  const draw = seededRandom(`latency ${seed}`);
  const [requestMs, eventMs] = PROFILES[
    Math.floor(draw() * PROFILES.length)
  ] as (typeof PROFILES)[0];
  return {
    request: () => 0.1 + runtime.random() * requestMs,
    event: () => 0.1 + runtime.random() * eventMs,
  };
}
