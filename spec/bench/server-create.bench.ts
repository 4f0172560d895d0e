import { perSecond, sized, type Bench, type BenchSize, type Figure } from './bench.ts';
import { ServerChild } from './server-children.ts';
import { CONFIG_MAPS } from './server-creator.ts';
import type { Served } from './server-served.ts';

/** The watchers, and their place. */
type Audience =
  | 'none'
  | 'informers'
  | 'informers with caches of their own'
  | 'sockets'
  | 'informers in the process'
  | 'informers in the process with caches of their own';

interface Scene {
  readonly audience: Audience;
  readonly watchers: number;
  readonly inFlight: number;
  readonly creates: number;
}

/** Resolves with the time at which all watchers together have had this many events. */
type Until = (events: number) => Promise<number>;

/** The processes of one scene, which begin at the same time. */
class Cast implements AsyncDisposable {
  readonly server: ServerChild<'server'> = new ServerChild('server');
  readonly creator: ServerChild<'creator'> = new ServerChild('creator');
  readonly informers: ServerChild<'informers'> | undefined;
  readonly sockets: ServerChild<'sockets'> | undefined;

  constructor({ audience }: Scene) {
    if (audience.startsWith('informers') && !isInProcess(audience))
      this.informers = new ServerChild('informers');
    if (audience === 'sockets') this.sockets = new ServerChild('sockets');
  }

  /** Opens the watches. */
  async seat({ audience, watchers }: Scene, served: Served): Promise<Until> {
    const { server, informers, sockets } = this;
    const share = !audience.endsWith('of their own');
    if (informers !== undefined) {
      await informers.call('open', served, watchers, share);
      return (events) => informers.call('until', events);
    }
    if (sockets !== undefined) {
      await sockets.call('open', served, CONFIG_MAPS, watchers);
      return (events) => sockets.call('until', events);
    }
    await server.call('follow', watchers, share);
    return (events) => server.call('until', events);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { server, creator, informers, sockets } = this;
    for (const child of [creator, informers, sockets, server]) await child?.[Symbol.asyncDispose]();
  }
}

function isInProcess(audience: Audience): boolean {
  return audience.startsWith('informers in the process');
}

async function play(scene: Scene, warmUp: number): Promise<Figure[]> {
  const { audience, watchers, inFlight, creates } = scene;
  await using cast = new Cast(scene);
  const { server, creator } = cast;
  const served = await server.call('start');
  await creator.call('connect', served, inFlight);
  const until = await cast.seat(scene, served);
  await creator.call('create', warmUp);
  await until(warmUp * watchers);
  await server.call('relax');
  const [{ startMs, endMs }, lastMs] = await Promise.all([
    creator.call('create', creates),
    until((warmUp + creates) * watchers),
  ]);
  const { cpuMs } = await server.call('strain');
  const who = audience === 'none' ? 'no watchers' : `${watchers} ${audience}`;
  const name = `${who}, ${inFlight} in flight`;
  const tookMs = Math.max(endMs, lastMs) - startMs;
  const figures = [
    perSecond(`creates, ${name}`, creates, tookMs),
    { name: `server CPU each, ${name}`, value: (cpuMs / creates) * 1000, unit: 'µs' },
  ];
  if (watchers === 0) return figures;
  return [...figures, perSecond(`events delivered, ${name}`, creates * watchers, tookMs)];
}

function scenes(size: BenchSize): Scene[] {
  const many = sized(size, { tiny: 16, quick: 4000, full: 20_000 });
  const fewer = sized(size, { tiny: 16, quick: 1000, full: 4000 });
  const watchers = sized(size, { tiny: 3, quick: 100, full: 100 });
  const unwatched = { audience: 'none', watchers: 0 } as const;
  const all: Scene[] = [
    { ...unwatched, inFlight: 1, creates: many },
    { ...unwatched, inFlight: 16, creates: many },
    { audience: 'informers', watchers, inFlight: 1, creates: fewer },
    { audience: 'informers', watchers, inFlight: 16, creates: fewer },
    {
      audience: 'informers with caches of their own',
      watchers,
      inFlight: 16,
      creates: fewer,
    },
    { audience: 'sockets', watchers, inFlight: 1, creates: fewer },
    { audience: 'sockets', watchers, inFlight: 16, creates: fewer },
    { audience: 'informers in the process', watchers, inFlight: 16, creates: fewer },
    {
      audience: 'informers in the process with caches of their own',
      watchers,
      inFlight: 16,
      creates: fewer,
    },
  ];
  // Each is three processes; one shows that they run.
  return size === 'tiny' ? all.slice(3, 4) : all;
}

/** From the first request until the last answer, and until the last watcher has the last event. */
export const bench: Bench = {
  id: 'S2',
  title:
    'S2 creates of 1 KB objects over HTTP, server, creator and watchers in processes of their own',
  run: async (size) => {
    const warmUp = sized(size, { tiny: 4, quick: 500, full: 1000 });
    const figures: Figure[] = [];
    for (const scene of scenes(size)) figures.push(...(await play(scene, warmUp)));
    return figures;
  },
};
