import { each, sized, type Bench, type Figure } from './bench.ts';
import { ServerChild } from './server-children.ts';
import { CONFIG_MAPS } from './server-creator.ts';

/** Creates one after the other, each waited for until the last of the watching sockets has it; then the same with more of them. */
async function throughSockets(steps: readonly number[], events: number): Promise<Figure[]> {
  await using server = new ServerChild('server');
  await using creator = new ServerChild('creator');
  await using sockets = new ServerChild('sockets');
  const served = await server.call('start');
  await creator.call('connect', served, 1);
  const warmUp = Math.ceil(events / 4);
  const figures: Figure[] = [];
  let watching = 0;
  let delivered = 0;
  for (const watchers of steps) {
    await sockets.call('open', served, CONFIG_MAPS, watchers - watching);
    watching = watchers;
    let tookMs = 0;
    for (let event = 1; event <= warmUp + events; event += 1) {
      delivered += watchers;
      const arrived = sockets.call('until', delivered);
      const { startMs } = await creator.call('create', 1);
      const lastMs = await arrived;
      if (event > warmUp) tookMs += lastMs - startMs;
    }
    figures.push(each(`one event, ${watchers} sockets`, events, tookMs));
  }
  return figures;
}

export const bench: Bench = {
  id: 'S3',
  title:
    'S3 one write to watchers over sockets, from the request to the last of them that has the event',
  run: async (size) => {
    const events = sized(size, { tiny: 2, quick: 20, full: 100 });
    const some = sized(size, { tiny: 5, quick: 1000, full: 1000 });
    const many = sized(size, { tiny: 10, quick: 5000, full: 5000 });
    return await throughSockets([some, many], events);
  },
};
