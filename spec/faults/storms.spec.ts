import { expect } from 'chai';
import { sleep } from '../../lib/kernel/time/wait.ts';
import type { StormFigures } from './storms/storm-figures.ts';
import { withFleet } from './storms/virtual-fleet.ts';
import { closing, outage, resets, silence } from './storms/virtual-storms.ts';

const SEED = '20260101';
const FLEET = 20;
const MINUTES_MS = 60_000;

describe('the informers of one client', () => {
  for (const [storm, gapMs] of Object.entries({
    'a reset each second': () => 1000,
    'a reset each 1.5 s': () => 1500,
    'a reset a second at random': (random: number) => -1000 * Math.log(1 - random),
  })) {
    it(`watch at least 80 % of the time through ${storm}, without an event`, async () => {
      const figures = await resets(storm, SEED, 5, gapMs);
      expect(figures.watching).to.be.at.least(0.8);
      expect(figures.relists).to.equal(0);
      expect(figures.resumedS).to.be.at.most(10);
    });
  }

  it('ask a server that ends each watch at once at most 5 times a second', async () => {
    const figures = await closing(SEED);
    expect(figures.mostASecond).to.be.at.most(5);
    expect(figures.resumedS).to.be.at.most(35);
  });

  for (const weather of ['refusing', 'resetting'] as const) {
    for (const informers of [1, FLEET]) {
      it(`(${informers}) ask at most once a second in an outage, ${weather}, and resume within 10 s, without a list`, async () => {
        const figures = await outage(weather, SEED, informers, weather, 10 * MINUTES_MS);
        expect(figures).to.include({ mostASecond: 1, relists: 0, unknownDeletions: 0 });
        expect(figures.resumedS).to.be.at.most(10);
      });
    }
  }

  for (const informers of [1, FLEET]) {
    it(`(${informers}) notice within 35 s that nothing comes through any more, and resume within 10 s`, async () => {
      const figures: StormFigures = await silence(SEED, informers);
      expect(figures.noticedS).to.be.at.most(35);
      expect(figures).to.include({ mostASecond: 1, relists: 0 });
      expect(figures.resumedS).to.be.at.most(10);
    });
  }

  it('say that they wait for the server, and why', async () => {
    await withFleet({ informers: 2 }, async ({ runtime, transport, informers }) => {
      transport.weather = 'refusing';
      transport.reset();
      await sleep(runtime, 30_000);
      const [informer] = informers;
      expect(informer?.inspect().waitingForServer).to.match(
        /^waiting for the server: no answer from http:\/\/in-process for \d+ s: .*nothing listens there/,
      );
      transport.weather = 'fair';
      await sleep(runtime, 10_000);
      expect(informer?.inspect().waitingForServer).to.equal(undefined);
    });
  });
});
