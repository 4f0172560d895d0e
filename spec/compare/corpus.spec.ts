import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCorpus, writeCorpus, type Corpus } from './corpus.ts';
import { belowFloor, CORPUS_FILE, floorText, newlyDiffering } from './replay.ts';
import type { Compared } from './report.ts';
import type { Aspect } from './aspects.ts';

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

describe('a corpus', () => {
  it('is read as it was written, also where bodies come again', async () => {
    const body = { kind: 'ConfigMap', data: { text: 'long enough to be written only once' } };
    const answer = { status: 200, type: 'application/json', body };
    const steps = ['/a', '/b', '/c'].map((path) => ({ method: 'GET', path }));
    const one = { id: 'list/1/0', area: 'list' as const, namespace: true, steps };
    const answers = [
      [{ ...answer, body: 'x' }, answer, answer],
      [undefined, { ...answer, status: 201 }, { ...answer, body: undefined }],
    ];
    const head = { version: 'v1.2.3', date: '2026-01-31', seed: '1' };
    const corpus: Corpus = { ...head, scenarios: [one, { ...one, id: 'list/1/1' }], answers };
    const folder = await mkdtemp(join(tmpdir(), 'corpus-'));
    try {
      await writeCorpus(join(folder, 'answers.jsonl'), corpus);
      expect(await readCorpus(join(folder, 'answers.jsonl'))).to.deep.equal(corpus);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('the recorded answers of a real kube-apiserver', () => {
  it('are at least six thousand, of a named version', async () => {
    const { version, date, answers } = await readCorpus(CORPUS_FILE);
    expect(version).to.match(/^v1\.\d+\.\d+$/);
    expect(date).to.match(/^\d{4}-\d\d-\d\d$/);
    expect(answers.flat().filter((one) => one !== undefined)).to.have.length.of.at.least(6000);
  });

  it('are those of the embedded server in all requests in which they were', async () => {
    const different = await newlyDiffering();
    expect(different, 'npm run check -- compare --replay --show AREA').to.deep.equal([]);
  });
});
