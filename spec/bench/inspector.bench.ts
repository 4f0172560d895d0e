import { sized, type Bench, type Figure } from './bench.ts';
import { InspectedLoad } from './inspector-load.ts';
import { ServerChild } from './server-children.ts';

/** Changes a second: a busy cluster. */
const RATE = 10_000;

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] as number;

export const bench: Bench = {
  title: 'processor time of an event, with the page of the inspector open and without it, by turns',
  repeats: 3,
  quickRepeats: 1,
  run: async (size) => {
    const rounds = sized(size, { tiny: 1, quick: 5, full: 11 });
    const events = sized(size, { tiny: 500, quick: 20_000, full: 40_000 });
    await using load = new InspectedLoad(sized(size, { tiny: 100, quick: 10_000, full: 10_000 }));
    await load.start();
    await load.run(events, RATE);
    const [without, closed, open]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < rounds; round += 1) {
      without.push(await load.run(events, RATE));
      await using inspector = await load.inspector();
      closed.push(await load.run(events, RATE));
      // The page has a process of its own, as a browser has.
      await using page = new ServerChild('page');
      await page.call('open', inspector.url);
      open.push(await load.run(events, RATE));
      const bytes = await page.call('close');
      if (bytes === 0) throw new Error('the page got nothing');
    }
    const figure = (name: string, values: readonly number[]): Figure => ({
      name,
      value: median(values),
      unit: 'µs',
    });
    const share = (name: string, values: readonly number[]): Figure => ({
      name,
      value: (median(values) / median(without)) * 100,
      unit: '%',
    });
    return [
      figure('without an inspector', without),
      figure('an inspector without a page', closed),
      figure('a page open', open),
      share('an inspector without a page, of the time without', closed),
      share('a page open, of the time without', open),
    ];
  },
};
