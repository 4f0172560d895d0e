import { megabytes, perSecond, sized, type Bench } from './bench.ts';
import { ServerChild } from './server-children.ts';
import { podServer } from './workload/contest.ts';

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
      await using reader = new ServerChild('iterator');
      const { peakBytes, tookMs } = await reader.call(
        'iterate',
        server.url,
        objects,
        prefetchPages,
      );
      figures.push(
        perSecond(`objects, ${what}`, objects, tookMs),
        megabytes(`peak above idle, ${what}`, peakBytes),
      );
    }
    return figures;
  },
};
