import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { chooseMutants } from './mutant-choice.ts';
import { MutantRun, scoresOf } from './mutant-run.ts';
import { readMutantsOptions } from './mutants-options.ts';
import { pageWith, percentKilled, type FolderScore } from './score-page.ts';
import { SpecChoice } from './spec-choice.ts';
import { SwitchRun } from './switch-run.ts';
import { TreeCopy } from './tree-copy.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');

/** A package with a file of two mutants, of which its one spec kills the first. */
function smallPackage(root: string): void {
  mkdirSync(join(root, 'lib', 'folder'), { recursive: true });
  mkdirSync(join(root, 'spec', 'folder'), { recursive: true });
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
  writeFileSync(
    join(root, 'lib', 'folder', 'sum.ts'),
    [
      'export const sum = (a: number, b: number) => a + b;',
      'export const spare = (a: boolean, b: boolean) => a && b;',
    ].join('\n'),
  );
  writeFileSync(
    join(root, 'spec', 'folder', 'sum.spec.ts'),
    [
      "import { sum } from '../../lib/folder/sum.ts';",
      "it('adds', () => { if (sum(1, 2) !== 3) throw new Error('wrong'); });",
    ].join('\n'),
  );
}

describe('MutantRun', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'mutants-'));
  });
  afterEach(() => {
    rmSync(root, { recursive: true, force: true });
  });

  it('distinguishes a mutant that a spec kills from one that survives, and leaves the tree as it was', async function () {
    // Three processes, which a busy machine may hold up.
    this.timeout(600_000);
    smallPackage(root);
    symlinkSync(join(REPOSITORY, 'node_modules'), join(root, 'node_modules'));
    writeFileSync(join(root, '.mocharc.json'), '{ "require": ["tsx"] }');
    const before = readFileSync(join(root, 'lib/folder/sum.ts'), 'utf8');
    const printed: string[] = [];
    const options = readMutantsOptions(['--folder', 'folder']);
    const run = new MutantRun({
      root,
      choice: new SpecChoice(root),
      jobs: 1,
      print: (line) => printed.push(line),
    });
    const results = await run.run(chooseMutants(root, options));
    const verdicts = results.map(({ mutant, verdict }) => `${mutant.mutation.id} ${verdict}`);
    expect(verdicts, printed.join('\n')).to.deep.equal([
      'arithmetic@1:48 killed',
      'logic@2:52 survived',
    ]);
    expect(printed).to.include('2/2 survived  lib/folder/sum.ts:2 logic');
    expect(printed).to.include(
      '    npm run check -- mutants --file lib/folder/sum.ts --mutant logic@2:52',
    );
    expect(readFileSync(join(root, 'lib/folder/sum.ts'), 'utf8')).to.equal(before);
    const command = '--folder folder --count 10 --seed 1';
    expect(scoresOf(results, options)).to.deep.equal([
      { folder: 'folder', command, killed: 1, survived: 1, timedOut: 0, equivalent: 0 },
    ]);
  });

  it('checks a mutant with the tests that reach it, and reports those that none reaches', async function () {
    this.timeout(600_000);
    smallPackage(root);
    symlinkSync(join(REPOSITORY, 'node_modules'), join(root, 'node_modules'));
    writeFileSync(join(root, '.mocharc.json'), '{ "require": ["tsx"] }');
    mkdirSync(join(root, 'spec', 'mutants'));
    for (const name of ['switch-child.ts', 'switches.ts', 'mutation.ts']) {
      copyFileSync(join(import.meta.dirname, name), join(root, 'spec', 'mutants', name));
    }
    const options = readMutantsOptions(['--folder', 'folder', '--whole', '--reached']);
    const mutants = chooseMutants(root, options);
    const choice = new SpecChoice(root);
    const verdicts: unknown[] = [];
    const run = new SwitchRun({
      root,
      choice,
      specs: choice.all(),
      jobs: 1,
      print: (line) => verdicts.push(line),
      report: ({ mutation }, verdict) => verdicts.push({ id: mutation.id, ...verdict }),
    });
    await run.run(mutants);
    expect(verdicts).to.deep.equal([
      {
        id: 'arithmetic@1:48',
        killedBy: 'spec/folder/sum.spec.ts adds',
        late: false,
        reaching: 1,
        passed: 0,
      },
      { id: 'logic@2:52', reaching: 0, passed: 0 },
    ]);
  });

  it('names with a score the options that run it again', () => {
    smallPackage(root);
    const args =
      '--folder folder --count 1 --whole --reached --specs spec/folder,spec/other --seed a';
    const options = readMutantsOptions(args.split(' '));
    const [mutant] = chooseMutants(root, options);
    const [score] = scoresOf([{ mutant: mutant!, verdict: 'killed' }], options);
    expect(score).to.have.property('command', args);
  });

  it('puts the file back when a run fails, and removes its copy', async () => {
    smallPackage(root);
    const file = 'lib/folder/sum.ts';
    const [mutant] = chooseMutants(root, readMutantsOptions(['--file', file]));
    let folder = '';
    {
      using tree = new TreeCopy(root);
      ({ folder } = tree);
      const text = (): string => readFileSync(join(folder, file), 'utf8');
      const before = text();
      const failing = tree.with(file, mutant!.mutation, () => {
        expect(text()).not.to.equal(before);
        return Promise.reject(new Error('no process'));
      });
      expect(await failing.catch(String)).to.equal('Error: no process');
      expect(text()).to.equal(before);
    }
    expect(existsSync(folder)).to.equal(false);
  });
});

describe('SpecChoice', () => {
  const choice = new SpecChoice(REPOSITORY);

  it('names the spec of the file first, then those of its folder', () => {
    const specs = choice.specsFor('lib/kernel/data/ring-buffer.ts');
    expect(specs[0]).to.equal('spec/kernel/data/ring-buffer.spec.ts');
    expect(specs).to.include('spec/kernel/data/heap.spec.ts');
    expect(new Set(specs)).to.have.property('size', specs.length);
  });

  it('adds the suites of the folder above, after all others', () => {
    const specs = choice.specsFor('lib/server/storage/writes/lease-manager.ts');
    const suite = 'spec/server/storage/raw-storage-conformance.spec.ts';
    expect(specs).to.include(suite);
    expect(specs.indexOf(suite)).to.be.greaterThan(
      specs.indexOf('spec/server/storage/writes/lease-manager.spec.ts'),
    );
  });

  it('names all specs, or those below some folders', () => {
    const kernel = choice.below(['spec/kernel/data', 'spec/meta']);
    expect(kernel).to.include('spec/kernel/data/heap.spec.ts');
    expect(kernel.some((spec) => spec.startsWith('spec/meta/'))).to.equal(true);
    expect(kernel.filter((spec) => !/^spec\/(?:kernel\/data|meta)\//.test(spec))).to.deep.equal([]);
    expect(choice.below([])).to.deep.equal(choice.all());
    expect(() => choice.below(['spec/kernel/data', 'spec/kern'])).to.throw(
      'no specs below spec/kern',
    );
  });

  it('goes up to the next folder with specs where there is none', () => {
    const specs = choice.specsFor('lib/cache/reflector/contract/lister-watcher.ts');
    expect(specs).not.to.deep.equal([]);
    expect(specs.every((spec) => spec.startsWith('spec/'))).to.equal(true);
  });
});

describe('pageWith', () => {
  const PAGE = '# Scores\n\n<!-- scores: begin -->\n<!-- scores: end -->\n';
  const score = (folder: string, killed: number, seed: string = '1'): FolderScore => ({
    folder,
    command: `--folder ${folder} --count 10 --seed ${seed}`,
    killed,
    survived: 10 - killed,
    timedOut: 0,
    equivalent: 2,
  });
  const rowsOf = (page: string): string[] =>
    page.split('\n').filter((line) => line.includes('npm run check -- mutants --folder'));

  it('begins a page with its folders in order', () => {
    const page = pageWith(PAGE, [score('meta', 10), score('kernel', 7)]);
    expect(rowsOf(page)).to.deep.equal([
      '| kernel | 7 | 3 | 0 | 2 | 70 % | `npm run check -- mutants --folder kernel --count 10 --seed 1` |',
      '| meta | 10 | 0 | 0 | 2 | 100 % | `npm run check -- mutants --folder meta --count 10 --seed 1` |',
    ]);
  });

  it('replaces the rows of the folders that ran and keeps the others', () => {
    const first = pageWith(PAGE, [score('meta', 10), score('kernel', 7)]);
    const second = pageWith(first, [score('kernel', 9, '2'), score('client/rest', 5)]);
    expect(rowsOf(second).map((row) => row.split('|')[2]?.trim())).to.deep.equal(['5', '9', '10']);
    expect(pageWith(second, [])).to.equal(second);
  });

  it('leaves what timed out out of the score', () => {
    expect(percentKilled({ ...score('meta', 8), timedOut: 5 })).to.equal('80 %');
    expect(percentKilled({ ...score('meta', 10), killed: 0 })).to.equal('–');
  });
});
