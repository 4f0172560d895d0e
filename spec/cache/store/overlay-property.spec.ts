import { OverlayWorld } from './overlay-world.ts';

describe('Reads through a WriteOverlay', () => {
  for (let block = 0; block < 3; block += 1) {
    it(`never go back behind an own write, for every order of arrival (${block})`, () => {
      for (let seed = 0; seed < 60; seed += 1) {
        const world = new OverlayWorld(block * 1000 + seed);
        for (let step = 0; step < 100; step += 1) world.step();
        world.settle();
      }
    });
  }
});
