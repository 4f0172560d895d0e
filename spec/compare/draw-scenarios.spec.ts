import { expect } from 'chai';
import { drawScenarios } from './draw-scenarios.ts';
import { AREAS } from './scenario.ts';

const requests = (area: string, seed: string, count: number): number =>
  drawScenarios(seed, count)
    .filter((scenario) => scenario.area === area)
    .flatMap(({ steps }) => steps)
    .filter(({ setup }) => setup !== true).length;

describe('drawn scenarios', () => {
  it('are the same for the same seed, and others for another', () => {
    expect(drawScenarios('a', 400)).to.deep.equal(drawScenarios('a', 400));
    expect(drawScenarios('a', 400)).not.to.deep.equal(drawScenarios('b', 400));
  });

  it('spread requests evenly over the areas', () => {
    const counts = AREAS.map((area) => requests(area, 'c', 800));
    expect(Math.min(...counts), counts.join(' ')).to.be.at.least(45);
    expect(Math.max(...counts), counts.join(' ')).to.be.at.most(65);
  });

  it('begin in the same way for a larger count', () => {
    const few = drawScenarios('d', 200);
    expect(drawScenarios('d', 600).slice(0, few.length)).to.deep.equal(few);
  });

  it('are only of the areas that are named', () => {
    const areas = new Set(drawScenarios('e', 60, ['watch', 'access']).map(({ area }) => area));
    expect([...areas].toSorted()).to.deep.equal(['access', 'watch']);
  });
});
