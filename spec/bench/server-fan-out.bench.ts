import { each, sized, type Bench, type Figure } from './bench.ts';
import { ServerChild } from './server-children.ts';
import { CONFIG_MAPS } from './server-creator.ts';

/** One create after the other, each waited for until the last of the watching sockets has it. */
async function throughSockets(watchers: number, events: number): Promise<Figure> {
  await using server = new ServerChild('server');
  await using creator = new ServerChild('creator');
  await using sockets = new ServerChild('sockets');
  const served = await server.call('start');
  await creator.call('connect', served, 1);
  await sockets.call('open', served, CONFIG_MAPS, watchers);
  let tookMs = 0;
  const warmUp = Math.ceil(events / 4);
  for (let event = 1; event <= warmUp + events; event += 1) {
    const arrived = sockets.call('until', event * watchers);
    const { startMs } = await creator.call('create', 1);
    const lastMs = await arrived;
    if (event > warmUp) tookMs += lastMs - startMs;
  }
  return each(`one event, ${watchers} sockets`, events, tookMs);
}

export const bench: Bench = {
  id: 'S3',
  title:
    'S3 one write to watchers over sockets, from the request to the last of them that has the event',
  run: async (size) => {
    const events = sized(size, { tiny: 2, quick: 20, full: 100 });
    const some = sized(size, { tiny: 5, quick: 1000, full: 1000 });
    const many = sized(size, { tiny: 10, quick: 5000, full: 5000 });
    return [await throughSockets(some, events), await throughSockets(many, events)];
  },
};
