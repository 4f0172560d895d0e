import { resolve } from 'node:path';
import { expect } from 'chai';
import {
  chooseMutants,
  LEFT_OUT,
  replayCommand,
  foldersOf,
  sample,
  steadySample,
  type Mutant,
} from './mutant-choice.ts';
import { mutationsOf } from './mutator.ts';
import { readMutantsOptions } from './mutants-options.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const chosen = (...args: string[]): string[] =>
  chooseMutants(ROOT, readMutantsOptions(args)).map(
    ({ file, mutation }) => `${file} ${mutation.id}`,
  );

describe('chooseMutants', () => {
  it('draws the same mutants for the same seed, others for another', () => {
    const first = chosen('--folder', 'kernel/time', '--count', '12');
    expect(first).to.have.length(12);
    expect(chosen('--folder', 'kernel/time', '--count', '12', '--seed', '1')).to.deep.equal(first);
    expect(chosen('--folder', 'kernel/time', '--count', '12', '--seed', '2')).not.to.deep.equal(
      first,
    );
  });

  it('draws as many from each folder below the one that is named', () => {
    const mutants = chosen('--folder', 'controller', '--count', '3');
    const folders = mutants.map((mutant) => mutant.split('/').slice(1, -1).join('/'));
    // That folder is one interface, in which there is nothing to change.
    const named = foldersOf(ROOT).filter(
      (folder) => folder.startsWith('controller/') && folder !== 'controller/sharding/contract',
    );
    expect(named).to.include.members(['controller/events', 'controller/runtime']);
    expect(folders).to.deep.equal(named.flatMap((folder) => [folder, folder, folder]));
  });

  it('draws from a folder with all below it, where that is asked for', () => {
    const mutants = chooseMutants(
      ROOT,
      readMutantsOptions(['--folder', 'controller', '--whole', '--count', '30']),
    );
    expect(mutants).to.have.length(30);
    expect(new Set(mutants.map(({ folder }) => folder))).to.deep.equal(new Set(['controller']));
    const folders = new Set(mutants.map(({ file }) => file.split('/')[2]));
    expect(folders.size).to.be.greaterThan(1);
  });

  it('finds one mutant by its id, as the command for its replay names it', () => {
    const [one] = chooseMutants(ROOT, readMutantsOptions(['--folder', 'meta', '--count', '1']));
    expect(one).not.to.equal(undefined);
    const command = one === undefined ? '' : replayCommand(one);
    const again = chooseMutants(ROOT, readMutantsOptions(command.split(' ').slice(5)));
    expect(again).to.deep.equal([one]);
  });

  it('refuses a folder and a mutant that do not exist', () => {
    expect(() => chosen('--folder', 'kern')).to.throw('no folder kern');
    expect(() => chosen('--file', 'lib/kernel/data/heap.ts', '--mutant', 'logic@1:1')).to.throw(
      'lib/kernel/data/heap.ts has no mutant logic@1:1',
    );
  });

  it('knows the folders it leaves out', () => {
    const folders = foldersOf(ROOT);
    for (const folder of LEFT_OUT.keys()) {
      expect(
        folders.some((one) => `${one}/`.startsWith(`${folder}/`)),
        folder,
      ).to.equal(true);
    }
  });
});

describe('sample', () => {
  it('keeps the order, and takes all where there are fewer', () => {
    const items = Array.from({ length: 50 }, (_, index) => index);
    const drawn = sample(items, 10, 'a');
    expect(drawn).to.have.length(10);
    expect(drawn).to.deep.equal(drawn.toSorted((left, right) => left - right));
    expect(sample(items, 60, 'a')).to.deep.equal(items);
  });
});

describe('steadySample', () => {
  const mutantsOf = (text: string): Mutant[] =>
    mutationsOf('lib/some.ts', text).map((mutation) => ({
      folder: '',
      file: 'lib/some.ts',
      text,
      mutation,
    }));
  const lines = Array.from({ length: 60 }, (_, at) => `const x${at} = a${at} < b${at};`);
  const drawn = (all: readonly string[], seed: string): string[] =>
    steadySample(mutantsOf(all.join('\n')), 10, seed).map(
      ({ text, mutation }) => text.split('\n')[mutation.line - 1] ?? '',
    );

  it('keeps its mutants when other lines are added and removed', () => {
    const first = drawn(lines, 's');
    const others = lines.filter((line) => first.includes(line) || line.endsWith('3;'));
    expect(drawn(['const first = 7;', ...others], 's')).to.deep.equal(first);
  });

  it('draws others for another seed', () => {
    expect(drawn(lines, 's')).to.have.length(10);
    expect(drawn(lines, 't')).not.to.deep.equal(drawn(lines, 's'));
  });
});

describe('readMutantsOptions', () => {
  it('refuses what it cannot understand', () => {
    for (const [args, message] of [
      [['--count', '0'], '--count must be a whole number from 1'],
      [['--jobs', 'all'], '--jobs must be a whole number from 1'],
      [['--whole'], '--whole needs --folder'],
      [['--specs', 'spec/cache'], '--specs needs --reached'],
      [['--mutant', 'logic@1:1'], '--mutant needs --file'],
      [['--write', '--file', 'lib/kernel/data/heap.ts'], '--write is for whole folders'],
    ] as const) {
      expect(() => readMutantsOptions(args)).to.throw(message);
    }
  });
});
