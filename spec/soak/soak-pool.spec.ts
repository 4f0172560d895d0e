import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { verdictOf } from './mutant-run.ts';
import { playInPool, type PoolOptions } from './soak-pool.ts';

const SEEDS = [1, 2, 3];

/** Plays seeds with a worker that answers each, but for what `onSeed` does before. */
async function play(onSeed: string, options: Partial<PoolOptions>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'listwatch-pool-'));
  const notified: string[] = [];
  try {
    const file = join(folder, 'worker.mjs');
    writeFileSync(
      file,
      `
      import { existsSync, writeFileSync } from 'node:fs';
      const marker = ${JSON.stringify(join(folder, 'marker'))};
      const hang = () => { for (;;) {} };
      process.on('message', async ({ seeds }) => {
        for (const seed of seeds) {
          const failures = [];
          ${onSeed}
          await new Promise((sent) => process.send({ report: { seed, failures } }, sent));
        }
        process.send({ done: true });
      });`,
    );
    await playInPool({
      seeds: SEEDS,
      without: new Set(),
      workers: 1,
      onReport: ({ seed, failures }) => notified.push([`${seed}`, ...failures].join(': ')),
      onInconclusive: (seed, limitMs) => notified.push(`${seed}: nothing within ${limitMs} ms`),
      enough: () => false,
      worker: pathToFileURL(file),
      ...options,
    });
    return notified;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the processes of the soak', () => {
  it('play a seed again, with more time, that gave no answer', async () => {
    const once = `
      if (seed === 2 && existsSync(marker)) failures.push('played again');
      else if (seed === 2) {
        writeFileSync(marker, '');
        hang();
      }`;
    const notified = await play(once, { limitMs: 2_000, attempts: 5 });
    expect(notified.toSorted()).to.deep.equal(['1', '2: played again', '3']);
  });

  it('call a seed inconclusive, not failed, that never gives an answer', async () => {
    const notified = await play('hang();', { seeds: [2], limitMs: 250, attempts: 2 });
    expect(notified).to.deep.equal(['2: nothing within 1000 ms']);
  });

  it('call a seed failed whose process ends by itself, and play the others', async () => {
    const notified = await play('if (seed === 2) process.exit(7);', {});
    expect(notified.toSorted()).to.deep.equal(['1', '2: the process ended with 7', '3']);
  });
});

describe('the verdict on a mutant', () => {
  const inconclusive = [{ seed: 4, limitMs: 60_000 }];

  it('is found where a seed fails, whether or not another gave no answer', () => {
    const failures = [{ seed: 9, failures: ['an event was lost'] }];
    const found = { seed: 9, failure: 'an event was lost' };
    expect(verdictOf({ failures, inconclusive: [] }, 10)).to.deep.equal(found);
    expect(verdictOf({ failures, inconclusive }, 10)).to.deep.equal(found);
  });

  it('is neither found nor missed where no seed fails and one gave no answer', () => {
    expect(verdictOf({ failures: [], inconclusive }, 10)).to.deep.equal({
      inconclusive: 'seed 4 gave no answer within 60 s',
    });
    expect(verdictOf({ failures: [], inconclusive: [] }, 10)).to.have.property('missed');
  });
});
