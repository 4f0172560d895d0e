import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { ApiServer } from '../../lib/cluster/server/index.ts';
import { inTurn } from '../compare/in-turn.ts';
import { Target } from '../compare/target/target.ts';
import { shareOf } from '../support/share.ts';
import { drawSequence } from './draw-sequence.ts';
import { digestOf } from './sequence-difference.ts';
import { RECORD_FILE, type Recorded } from './recorded-answers.ts';
import { prepare, runSequence } from './run-sequence.ts';
import { onlySteps, shrink } from './shrink-sequence.ts';

describe('applies of several managers', () => {
  it('are answered as kube-apiserver answered them', async () => {
    const { seed, differ, sequences } = JSON.parse(await readFile(RECORD_FILE, 'utf8')) as Recorded;
    await using server = new ApiServer();
    await server.listen();
    const { url, token } = server;
    const ground = { target: new Target({ server: url, token }), namespace: 'applies-spec0' };
    try {
      await prepare(ground);
      const recorded = Object.keys(sequences).map(Number);
      expect(recorded.length).to.be.at.least(100);
      const indexes = shareOf(recorded, 3);
      const answers = await inTurn(indexes, 12, (index) =>
        runSequence(ground, drawSequence(seed, index)),
      );
      const different = indexes.filter((index, at) => {
        const digests = (answers[at] ?? []).map(digestOf).join(', ');
        return digests !== sequences[index] && !differ.includes(index);
      });
      const command = `npm run check -- applies --kubeconfig FILE --seed ${seed} --sequences 1 --from `;
      expect(different.map((index) => command + index)).to.deep.equal([]);
    } finally {
      ground.target.close();
    }
  });

  it('are drawn again by seed and number', () => {
    expect(drawSequence('1', 7)).to.deep.equal(drawSequence('1', 7));
    expect(drawSequence('1', 7).steps).not.to.deep.equal(drawSequence('2', 7).steps);
  });

  it('shrink to the steps that a failure needs', async () => {
    const sequence = drawSequence('1', 3);
    const [, second, , fourth] = sequence.steps;
    const needed = await shrink(sequence, [...sequence.steps.keys()], ({ steps }) =>
      Promise.resolve(steps.includes(second!) && steps.includes(fourth!)),
    );
    expect(needed).to.deep.equal([1, 3]);
    expect(onlySteps(sequence, needed).steps).to.deep.equal([second, fourth]);
  });
});
