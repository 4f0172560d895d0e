import { megabytes, perSecond, sized, timed, type Bench, type Figure } from './bench.ts';
import { ServerChild } from './server-children.ts';

interface Size {
  readonly watches: number;
  readonly events: number;
}

/** Creates one object after the other, each waited for until all watches have its event. */
async function watched(http2: boolean, { watches, events }: Size): Promise<Figure[]> {
  const protocol = http2 ? 'HTTP/2' : 'HTTP/1.1';
  await using server = new ServerChild('server');
  await using creator = new ServerChild('creator');
  await using crowd = new ServerChild('watches');
  const served = await server.call('start');
  await creator.call('connect', served, 1);
  await crowd.call('open', served, http2, watches);
  const createAndWait = async (event: number): Promise<void> => {
    const arrived = crowd.call('until', watches * event);
    await creator.call('create', 1);
    await arrived;
  };
  // The first event says that all are open.
  await createAndWait(1);
  const tookMs = await timed(async () => {
    for (let event = 2; event < 2 + events; event += 1) await createAndWait(event);
  });
  const { sessions, sockets, resident } = await crowd.call('state');
  await crowd.call('close');
  return [
    { name: `sessions, ${protocol}`, value: sessions, unit: '' },
    { name: `sockets, ${protocol}`, value: sockets, unit: '' },
    megabytes(`resident above idle, ${protocol}`, resident),
    perSecond(`events, ${protocol}`, watches * events, tookMs),
  ];
}

export const bench: Bench = {
  id: 'W11',
  title: '1,000 watches of one client over TLS: each create is waited for until all have its event',
  repeats: 3,
  quickRepeats: 1,
  run: async (size) => {
    const watches = sized(size, { tiny: 5, quick: 1000, full: 1000 });
    const events = sized(size, { tiny: 2, quick: 20, full: 100 });
    const figures: Figure[] = [];
    for (const http2 of [true, false]) figures.push(...(await watched(http2, { watches, events })));
    return figures;
  },
};
