import { sleep } from '../../../lib/kernel/time/wait.ts';
import { mostASecond, type StormFigures } from './storm-figures.ts';
import type { Weather } from './storm-transport.ts';
import { withFleet, type VirtualFleet } from './virtual-fleet.ts';

const STORM_MS = 300_000;
const CALM_MS = 20_000;
const FLEET = 20;
const DELETED = 100;
/** More than half of them; a few may be late. */
const ALL = 1;

/** Every storm with the figures of default options; in virtual time, so a function of the seed. */
export async function virtualStorms(seed: string): Promise<readonly StormFigures[]> {
  return [
    await resets('a reset each second', seed, 5, () => 1000),
    await resets('a reset each 1.5 s', seed, 5, () => 1500),
    await resets('a reset a second, at random', seed, 5, (random) => -1000 * Math.log(1 - random)),
    await closing(seed),
    await outage('nothing listens for 10 min', seed, 1, 'refusing', 600_000),
    await outage('nothing listens for 10 min', seed, FLEET, 'refusing', 600_000),
    await outage('resets at connecting for 10 min', seed, 1, 'resetting', 600_000),
    await outage('resets at connecting for 10 min', seed, FLEET, 'resetting', 600_000),
    await silence(seed, 1),
    await silence(seed, FLEET),
  ];
}

/** Every connection breaks each time the gap is over; nothing is written meanwhile. */
export async function resets(
  storm: string,
  seed: string,
  informers: number,
  gapMs: (random: number) => number,
): Promise<StormFigures> {
  return await withFleet({ seed, informers }, async (fleet) => {
    const { runtime, transport } = fleet;
    await sleep(runtime, CALM_MS);
    const before = marks(fleet);
    const startMs = runtime.monotonicMs();
    while (runtime.monotonicMs() - startMs < STORM_MS) {
      await sleep(runtime, gapMs(runtime.random()));
      transport.reset();
    }
    const figures = since(fleet, before);
    await fleet.create('late');
    const resumedS = (await fleet.until(() => fleet.consistent)) / 1000;
    return { storm, informers, ...figures, resumedS };
  });
}

/** A server that answers each watch with 200 and ends it at once. */
export async function closing(seed: string): Promise<StormFigures> {
  return await withFleet({ seed }, async (fleet) => {
    const { runtime, transport } = fleet;
    const before = marks(fleet);
    transport.weather = 'closing';
    transport.reset();
    await sleep(runtime, STORM_MS);
    const { mostASecond: most, relists } = since(fleet, before);
    transport.weather = 'fair';
    const resumedS = (await fleet.until(() => fleet.consistent)) / 1000;
    return {
      storm: 'each watch is answered, and ends at once',
      informers: 1,
      mostASecond: most,
      relists,
      resumedS,
    };
  });
}

/** The server cannot be reached for a while; objects are deleted meanwhile, and its history stays. */
export async function outage(
  storm: string,
  seed: string,
  informers: number,
  weather: Weather,
  durationMs: number,
): Promise<StormFigures> {
  return await withFleet({ seed, informers }, async (fleet) => {
    const { runtime, transport } = fleet;
    for (let index = 0; index < DELETED; index += 1) await fleet.create(`map-${index}`);
    await fleet.until(() => fleet.consistent);
    await sleep(runtime, CALM_MS);
    const before = marks(fleet);
    transport.weather = weather;
    transport.reset();
    for (let index = 0; index < DELETED; index += 1) await fleet.delete(`map-${index}`);
    await sleep(runtime, durationMs);
    const { mostASecond: most } = since(fleet, before);
    transport.weather = 'fair';
    const resumedS = (await fleet.until(() => fleet.consistent)) / 1000;
    const { relists } = since(fleet, before);
    const { unknownDeletions } = fleet;
    return { storm, informers, mostASecond: most, resumedS, relists, unknownDeletions };
  });
}

/** The network goes dead without a word, and comes back after ten minutes. */
export async function silence(seed: string, informers: number): Promise<StormFigures> {
  return await withFleet({ seed, informers }, async (fleet) => {
    const { runtime, transport } = fleet;
    await fleet.create('last');
    await fleet.until(() => fleet.consistent);
    const before = marks(fleet);
    transport.weather = 'silent';
    const noticedS = (await fleet.until(() => transport.openStreams < ALL)) / 1000;
    await sleep(runtime, STORM_MS);
    const { mostASecond: most } = since(fleet, before);
    transport.weather = 'fair';
    const resumedS = (await fleet.until(() => fleet.consistent)) / 1000;
    const { relists } = since(fleet, before);
    const storm = 'the network goes silent for 5 min';
    return { storm, informers, mostASecond: most, noticedS, resumedS, relists };
  });
}

interface Marks {
  readonly atMs: number;
  readonly openMs: number;
  readonly backingOffMs: number;
  readonly attempts: number;
  readonly relists: number;
}

function marks({ runtime, transport, backingOffMs, relists }: VirtualFleet): Marks {
  const { openMs, attempts } = transport;
  return {
    atMs: runtime.monotonicMs(),
    openMs,
    backingOffMs,
    attempts: attempts.length,
    relists,
  };
}

function since(
  fleet: VirtualFleet,
  before: Marks,
): Required<Pick<StormFigures, 'watching' | 'backingOff' | 'mostASecond' | 'relists'>> {
  const { runtime, transport, informers } = fleet;
  const totalMs = (runtime.monotonicMs() - before.atMs) * informers.length;
  return {
    watching: (transport.openMs - before.openMs) / totalMs,
    backingOff: (fleet.backingOffMs - before.backingOffMs) / totalMs,
    mostASecond: mostASecond(transport.attempts.slice(before.attempts)),
    relists: fleet.relists - before.relists,
  };
}
