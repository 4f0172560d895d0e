import type { InspectorSnapshot } from '../../contract/inspector-snapshot.ts';

/** Samples of each rate: two minutes at one a second. */
const KEPT = 120;
/** A rate is that of the last three seconds, so that it can be read. */
const WINDOW_MS = 3_000;
/** Names of informers and controllers come and go; those that were not seen lately are dropped. */
const MOST_SERIES = 1_000;

interface Sample {
  readonly atMs: number;
  readonly value: number;
}

/** Rates of counters, from one snapshot to the next. Its memory is bounded. */
export class Rates {
  readonly #series = new Map<string, Sample[]>();

  /** Takes the counters of a snapshot. */
  note(snapshot: InspectorSnapshot): void {
    for (const [name, value] of countersOf(snapshot)) {
      const samples = this.#series.get(name) ?? [];
      // A counter that went back is that of another run.
      if (samples.length > 0 && value < (samples[samples.length - 1] as Sample).value) {
        samples.length = 0;
      }
      samples.push({ atMs: snapshot.atMs, value });
      if (samples.length > KEPT) samples.shift();
      this.#series.delete(name);
      this.#series.set(name, samples);
    }
    for (const name of this.#series.keys()) {
      if (this.#series.size <= MOST_SERIES) break;
      this.#series.delete(name);
    }
  }

  get size(): number {
    let sum = 0;
    for (const samples of this.#series.values()) sum += samples.length;
    return sum;
  }

  /** Events a second at the end. */
  perSecond(name: string): number {
    const samples = this.#series.get(name) ?? [];
    const last = samples[samples.length - 1];
    if (last === undefined) return 0;
    const first = samples.find(({ atMs }) => last.atMs - atMs <= WINDOW_MS) as Sample;
    return between(first, last);
  }

  /** Events a second between each two samples, the oldest first. */
  line(name: string): number[] {
    const samples = this.#series.get(name) ?? [];
    return samples.slice(1).map((sample, index) => between(samples[index] as Sample, sample));
  }
}

function between(first: Sample, last: Sample): number {
  const seconds = (last.atMs - first.atMs) / 1000;
  return seconds <= 0 ? 0 : (last.value - first.value) / seconds;
}

function countersOf({ informers, controllers, server }: InspectorSnapshot): [string, number][] {
  const counters: [string, number][] = [];
  let [events, delivered, runs] = [0, 0, 0];
  for (const informer of informers) {
    const given = informer.handlers.reduce((sum, handler) => sum + handler.delivered, 0);
    counters.push([`events ${informer.name}`, informer.eventsApplied]);
    counters.push([`delivered ${informer.name}`, given]);
    events += informer.eventsApplied;
    delivered += given;
  }
  for (const { name, runs: results } of controllers) {
    const all = Object.values(results).reduce((sum, one) => sum + one, 0);
    counters.push([`runs ${name}`, all], [`failed ${name}`, results.failed + results.conflict]);
    runs += all;
  }
  counters.push(['events', events], ['delivered', delivered], ['runs', runs]);
  if (server !== undefined) counters.push(['requests', server.requests]);
  return counters;
}
