import { connect } from '../../lib/client/rest/connect.ts';
import { collectGarbage, megabytes, perSecond, sized, timed, type Bench } from './bench.ts';
import { podServer } from './workload/contest.ts';

/** Objects between two looks at the memory. */
const LOOK_EVERY = 50;

/** Iterates over all pods; returns the most memory that the process had meanwhile, above what it had before. */
async function peakOf(url: string, objects: number, prefetchPages: number): Promise<number> {
  await using client = await connect({ server: url });
  const pods = client.resource('v1', 'pods');
  await pods.list({ limit: 1 });
  collectGarbage();
  const idle = process.memoryUsage.rss();
  let peak = idle;
  let seen = 0;
  for await (const pod of pods.items({ prefetchPages })) {
    if (pod.metadata?.name === undefined) throw new Error('an object came without its name');
    seen += 1;
    if (seen % LOOK_EVERY === 0) peak = Math.max(peak, process.memoryUsage.rss());
  }
  if (seen !== objects) throw new Error(`${seen} of ${objects} objects came`);
  return peak - idle;
}

export const bench: Bench = {
  id: 'W10',
  title: 'iteration over a list of 100,000 pods of 3.9 KB, in pages of 500',
  repeats: 3,
  quickRepeats: 1,
  run: async (size) => {
    const objects = sized(size, { tiny: 100, quick: 100_000, full: 100_000 });
    await using server = await podServer(size, objects);
    const figures = [];
    for (const prefetchPages of [0, 2]) {
      const what = prefetchPages === 0 ? 'page by page' : `${prefetchPages} pages ahead`;
      let peak = 0;
      const tookMs = await timed(async () => {
        peak = await peakOf(server.url, objects, prefetchPages);
      });
      figures.push(
        perSecond(`objects, ${what}`, objects, tookMs),
        megabytes(`peak above idle, ${what}`, peak),
      );
    }
    return figures;
  },
};
