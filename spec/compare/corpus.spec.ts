import { expect } from 'chai';
import { readCorpus } from './corpus.ts';
import { belowFloor, checkReplay, CORPUS_FILE, floorText } from './replay.ts';
import type { Compared } from './report.ts';
import type { Aspect } from './judge.ts';

const answer = { status: 200, type: 'application/json', body: {} };

function compared(id: string, ...same: Aspect[]): Compared {
  const step = { method: 'GET', path: `/${id}` };
  return { id, area: 'watch', step, real: answer, embedded: answer, same: new Set(same) };
}

describe('the floor of an area', () => {
  const floor = JSON.parse(floorText([compared('a', 'status'), compared('b')])) as Parameters<
    typeof belowFloor
  >[1];

  it('holds while as many requests are the same', () => {
    expect(belowFloor([compared('a', 'status'), compared('b')], floor)).to.deep.equal([]);
    expect(belowFloor([compared('a', 'status'), compared('b', 'status')], floor)).to.deep.equal([]);
  });

  it('names the requests that newly differ below it', () => {
    expect(belowFloor([compared('a'), compared('b')], floor)).to.deep.equal([
      'watch: 0 have the same status, the floor is 1',
      '  newly differs: a GET /a 200 | 200',
    ]);
  });

  it('counts the requests too, so that none is dropped', () => {
    expect(belowFloor([compared('a', 'status')], floor)[0]).to.equal(
      'watch: 1 have the same requests, the floor is 2',
    );
  });
});

describe('the recorded answers of a real kube-apiserver', () => {
  it('are at least a thousand, of a named version', async () => {
    const { version, date, answers } = await readCorpus(CORPUS_FILE);
    expect(version).to.match(/^v1\.\d+\.\d+$/);
    expect(date).to.match(/^\d{4}-\d\d-\d\d$/);
    expect(answers.flat().filter((one) => one !== undefined)).to.have.length.of.at.least(1000);
  });

  it('are those of the embedded server in no fewer requests of any area than before', async () => {
    const { problems } = await checkReplay();
    expect(problems.join('\n'), 'npm run compare -- --replay --show AREA').to.equal('');
  });
});
