import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect } from 'chai';
import { runCommandLine } from '../../../lib/cli/run-command-line.ts';
import { ScratchDirectory } from '../../client/support/scratch-directory.ts';
import { capturedHost } from '../support/captured-host.ts';

const SUPPORT = join(import.meta.dirname, 'support');
const WRONG = join(SUPPORT, 'two-writes.simulation.ts');

describe('listwatch simulate', () => {
  let directory: ScratchDirectory;

  beforeEach(async () => {
    directory = await ScratchDirectory.make();
  });

  afterEach(async () => {
    await directory[Symbol.asyncDispose]();
  });

  async function run(parameters: readonly string[]) {
    const host = capturedHost({ homeDir: directory.path });
    const code = await runCommandLine(['simulate', ...parameters], host);
    return { code, out: host.stdout.text, err: host.stderr.text };
  }

  it('reports what fails in the controllers of a file, and writes what is needed to repair it', async () => {
    const { code, out, err } = await run([WRONG, '--processes', '1', '--write', directory.path]);
    expect(code).to.equal(1);
    expect(out).to.include('end-state: secrets default/app-data');
    expect(err).to.include('1 found (1 run with end-state: secrets: missing): intermediate state');
    const page = join(directory.path, 'failure-1.html');
    expect(err).to.include(`written: ${page}, with plan, trace and spec; again: npx listwatch`);
    expect(err).to.include(`simulate ${WRONG} --replay ${join(directory.path, 'failure-1.json')}`);
    const files = (await readdir(directory.path)).toSorted();
    const names = ['html', 'json', 'spec.ts', 'trace'].map((ending) => `failure-1.${ending}`);
    expect(files).to.include.members(names);
    const plan = JSON.parse(await readFile(join(directory.path, 'failure-1.json'), 'utf8'));
    const spec = await readFile(join(directory.path, 'failure-1.spec.ts'), 'utf8');
    expect(spec).to.include(JSON.stringify(relative(directory.path, WRONG)));
    for (const replay of [JSON.stringify(plan), join(directory.path, 'failure-1.json')]) {
      const again = await run([WRONG, '--replay', replay]);
      expect(again.code).to.equal(1);
      expect(again.err).to.include('replay 1 of 1, 1 failed');
    }
  });

  it('runs the plans of a file in several processes', async () => {
    const file = join(SUPPORT, 'copies.simulation.ts');
    const { code, out, err } = await run([file, '--processes', '2', '--seeds', '3-6']);
    expect(err).to.include('nothing was found: intermediate state');
    expect(err).to.include('random seeds 4 of 4');
    expect({ code, out }).to.deep.equal({ code: 0, out: '' });
    const wrong = await run([WRONG, '--processes', '2']);
    expect(wrong.code).to.equal(1);
    expect(wrong.out).to.include('end-state: secrets default/app-data');
  });

  it('runs controllers in isolation, unless --in-process says otherwise', async () => {
    const file = join(SUPPORT, 'own-clock.simulation.ts');
    const isolated = await run([file, '--processes', '1', '--modules', 'shared']);
    expect(isolated.err).to.include('nothing was found');
    expect(isolated.code).to.equal(0);
    const here = await run([file, '--processes', '1', '--in-process']);
    expect(here.code).to.equal(1);
    expect(here.out).to.include('not-repeatable');
    expect((await run([file, '--modules', 'all'])).err).to.include('--modules takes auto, shared');
  });

  it('says which file cannot be used, and why', async () => {
    expect((await run([])).code).to.equal(2);
    expect((await run([WRONG, '--seeds', 'many'])).err).to.include('--seeds takes a whole number');
    const missing = await run([join(SUPPORT, 'nothing.ts')]);
    expect(missing.code).to.equal(1);
    expect(missing.err).to.include('nothing.ts cannot be imported: there is no such file');
    expect((await run([SUPPORT])).err).to.include('it is a folder; name the file in it');
    const unread = join(directory.path, 'shops.simulation.unread');
    await writeFile(unread, '');
    expect((await run([unread])).err).to.include("for TypeScript NODE_OPTIONS='--import tsx'");
    const wrong = join(directory.path, 'wrong.mjs');
    await writeFile(wrong, 'export default { controllers: {} };');
    expect((await run([wrong])).err).to.include('"controllers" must be an array, not object');
    const folder = await run([WRONG, '--write', unread]);
    expect(folder.code).to.equal(1);
    expect(folder.err).to.include(`--write: the folder ${unread} cannot be made`);
    expect(folder.err).not.to.include('found');
    for (const [plan, problem] of [
      ['nothing.json', 'the plan nothing.json cannot be read'],
      ['{"seed": ', 'is no JSON: '],
      [unread, `the plan ${unread} is no JSON`],
    ] as const) {
      const { code, err } = await run([WRONG, '--replay', plan]);
      expect(code, err).to.equal(2);
      expect(err).to.include(problem);
    }
    const none = await run([WRONG, '--processes', '0']);
    expect(none.code).to.equal(2);
    expect(none.err).to.include('--processes takes a whole number of at least 1, not "0"');
    const other = await run([join(import.meta.dirname, '../../simulator/support/toys.ts')]);
    expect(other.err).to.include('has no options of a simulation as its default export');
  });
});
