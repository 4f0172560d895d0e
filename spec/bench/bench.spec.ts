import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ratiosOf, ratioTables, rowsOf, table } from './report.ts';
import { benchNames, chosenBenches, loadBench } from './run-bench.ts';

describe('the benches', () => {
  for (const name of benchNames()) {
    it(`${name} runs and comes to figures`, async () => {
      const { title, run } = await loadBench(name);
      expect(title).to.match(/\w/);
      const figures = await run('tiny');
      expect(figures.length).to.be.at.least(1);
      const names = figures.map(({ name, contestant }) => `${name}: ${contestant}`);
      expect(new Set(names).size).to.equal(figures.length);
      for (const figure of figures) {
        // A difference of memory may be below nothing: the collector decides when a process gives memory back.
        const least = ['MB', 'KB'].includes(figure.unit) ? -Number.MAX_VALUE : 0;
        expect(figure.value, figure.name).to.be.finite.and.be.at.least(least);
      }
    });
  }

  it('have least, middle and greatest of their runs side by side', () => {
    const run = (value: number) => [{ name: 'puts', value, unit: '/s' }];
    const rows = rowsOf('engine', [run(3000), run(1), run(20.5)]);
    expect(rows).to.deep.equal([
      {
        bench: 'engine',
        figure: 'puts',
        unit: '/s',
        samples: [3000, 1, 20.5],
        min: 1,
        median: 20.5,
        max: 3000,
      },
    ]);
    expect(table(rows).split('\n')).to.deep.equal([
      'bench   figure   min  median    max',
      'engine  puts    1.00    20.5  3,000  /s',
    ]);
  });

  it('say run by run how many times better ours is than each of the others', () => {
    const run = (ours: number, theirs: number, unit: string) => [
      { name: 'list', value: ours, unit, contestant: 'ours, bytes', compared: true },
      { name: 'list', value: theirs, unit, contestant: 'theirs', compared: true },
      { name: 'peak', value: 1, unit, contestant: 'theirs', compared: false },
    ];
    const faster = ratiosOf('sync', [run(2, 3, 's'), run(1, 4, 's'), run(1, 2, 's')]);
    expect(faster.map(({ figure, ours, peer }) => [figure, ours, peer])).to.deep.equal([
      ['list', 'ours, bytes', 'theirs'],
    ]);
    expect(faster[0]?.samples).to.deep.equal([1.5, 4, 2]);
    expect(ratiosOf('sync', [run(2, 3, '/s')])[0]?.median).to.be.closeTo(2 / 3, 1e-9);
    expect(ratioTables(faster).map((one) => one.split('\n'))).to.deep.equal([
      ['sync, times better than            theirs', 'list: ours, bytes        2.00 (1.50-4.00)'],
    ]);
    expect(ratioTables([])).to.deep.equal([]);
  });

  it('are chosen by id or name, in any case', async () => {
    expect(await chosenBenches(['w2', 'SYNC'])).to.deep.equal(['sync', 'watch']);
    const refused = await chosenBenches(['w99']).catch((error: Error) => error.message);
    expect(refused).to.match(/no bench is called w99; there are .*W2 watch/);
  });

  it('are run in processes of their own, by name, and written down as JSON', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'listwatch-bench-'));
    try {
      const json = join(folder, 'figures.json');
      const main = join(import.meta.dirname, 'main.ts');
      const args = ['--import', 'tsx', main, '--only', 'engine-write', '--tiny', '--repeats', '2'];
      const { stdout } = await promisify(execFile)(process.execPath, [...args, '--json', json]);
      expect(stdout).to.match(/engine-write +puts of new keys +[\d,.]+ +[\d,.]+ +[\d,.]+ +\/s/);
      const { rows } = JSON.parse(await readFile(json, 'utf8')) as { rows: { samples: unknown }[] };
      expect(rows[0]?.samples).to.have.length(2);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
