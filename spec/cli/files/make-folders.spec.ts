import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeFolders } from '../../../lib/cli/files/make-folders.ts';

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

describe('makeFolders', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'listwatch-folders-'));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  it('makes a folder with those above it, with the mode, and takes one that is there', async () => {
    const path = join(folder, 'a', 'b', 'c');
    await makeFolders(path, { mode: 0o700 });
    await makeFolders(path, { mode: 0o700 });
    for (const made of [path, join(folder, 'a', 'b'), join(folder, 'a')]) {
      expect((await stat(made)).mode & 0o777, made).to.equal(0o700);
    }
  });

  it('makes one folder when it is asked many times at once', async () => {
    const path = join(folder, 'a', 'b');
    await Promise.all(Array.from({ length: 20 }, () => makeFolders(path)));
    expect((await stat(path)).isDirectory()).to.equal(true);
  });

  it('rejects where a file is in the way', async () => {
    const path = join(folder, 'file');
    await writeFile(path, '');
    expect(codeOf(await makeFolders(path).catch((error: unknown) => error))).to.equal('EEXIST');
    const below = await makeFolders(join(path, 'a', 'b')).catch((error: unknown) => error);
    expect(codeOf(below)).to.equal('ENOTDIR');
  });

  it('rejects below a folder that takes none, where Node alone would never answer', async function () {
    if (!existsSync('/proc/self')) {
      console.log('      skipped: there is no /proc');
      this.skip();
    }
    const failure = await makeFolders('/proc/none/of/these').catch((error: unknown) => error);
    expect(codeOf(failure)).to.equal('ENOENT');
  });
});
