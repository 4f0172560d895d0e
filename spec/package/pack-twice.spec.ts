import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { expectSame } from './pack-twice.ts';

describe('two tarballs of one commit', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'listwatch-'));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  async function tarball(name: string, texts: Readonly<Record<string, string>>): Promise<string> {
    const content = join(folder, name, 'package');
    mkdirSync(content, { recursive: true });
    for (const [file, text] of Object.entries(texts)) writeFileSync(join(content, file), text);
    const packed = join(folder, `${name}.tar.gz`);
    await promisify(execFile)('tar', ['-czf', packed, '-C', join(folder, name), 'package']);
    return packed;
  }

  async function problem(one: string, other: string): Promise<unknown> {
    return await expectSame(one, other, join(folder, 'unpacked')).then(
      () => undefined,
      (error: Error) => error.message,
    );
  }

  it('are equal to the byte', async () => {
    const one = await tarball('one', { 'a.js': '1' });
    copyFileSync(one, join(folder, 'copy.tar.gz'));
    expect(await problem(one, join(folder, 'copy.tar.gz'))).to.equal(undefined);
  });

  it('are refused with the files that differ, or that one of them lacks', async () => {
    const one = await tarball('one', { 'a.js': '1', 'b.js': '2', 'c.js': '3' });
    const other = await tarball('other', { 'a.js': '1', 'b.js': 'two', 'd.js': '' });
    expect(await problem(one, other)).to.equal('two builds of one commit differ: b.js, c.js, d.js');
  });

  it('are refused when the archives differ alone', async () => {
    const one = await tarball('one', { 'a.js': '1' });
    utimesSync(join(folder, 'one', 'package', 'a.js'), 1, 1);
    const other = join(folder, 'other.tar.gz');
    await promisify(execFile)('tar', ['-czf', other, '-C', join(folder, 'one'), 'package']);
    expect(await problem(one, other)).to.equal(
      'two builds of one commit differ: the archive, and no file in it',
    );
  });
});
