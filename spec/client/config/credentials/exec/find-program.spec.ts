import { chmod, mkdir } from 'node:fs/promises';
import { expect } from 'chai';
import { findProgram } from '../../../../../lib/client/config/credentials/exec/find-program.ts';
import { ScratchDirectory } from '../../../support/scratch-directory.ts';

async function writeProgram(scratch: ScratchDirectory, name: string): Promise<string> {
  const path = await scratch.write(name, '');
  await chmod(path, 0o755);
  return path;
}

const WITHOUT_RIGHTS = 65_534;

/** Root may search all directories, so it acts as a user without rights. */
async function asUser(act: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return await act();
  process.seteuid?.(WITHOUT_RIGHTS);
  try {
    await act();
  } finally {
    process.seteuid?.(0);
  }
}

describe('findProgram', () => {
  it('takes the first directory of PATH that has an executable file', async () => {
    await using scratch = await ScratchDirectory.make();
    await mkdir(`${scratch.path}/one/aws`, { recursive: true });
    await scratch.write('two/aws', '');
    const path = await writeProgram(scratch, 'three/aws');
    await writeProgram(scratch, 'four/aws');
    const PATH = ['one', 'two', 'three', 'four'].map((name) => `${scratch.path}/${name}`).join(':');
    expect(await findProgram('aws', { env: { PATH } })).to.deep.equal({ outcome: 'found', path });
  });

  it('names a file that is not executable when no directory has another, but no directory', async () => {
    await using scratch = await ScratchDirectory.make();
    await mkdir(`${scratch.path}/one/aws`, { recursive: true });
    await mkdir(`${scratch.path}/two`);
    const path = await scratch.write('three/aws', '');
    const PATH = ['one', 'two', 'three'].map((name) => `${scratch.path}/${name}`).join(':');
    const found = await findProgram('aws', { env: { PATH } });
    expect(found).to.deep.equal({ outcome: 'not-executable', path });
    const other = await findProgram('aws', { env: { PATH: `${scratch.path}/one` } });
    expect(other).to.deep.equal({ outcome: 'missing' });
  });

  it('skips directories of PATH that this user may not search', async () => {
    await using scratch = await ScratchDirectory.make();
    await chmod(scratch.path, 0o755);
    const path = await writeProgram(scratch, 'open/aws');
    await writeProgram(scratch, 'locked/aws');
    await chmod(`${scratch.path}/locked`, 0o600);
    const locked = `${scratch.path}/locked`;
    await asUser(async () => {
      const env = { PATH: `${locked}:${scratch.path}/open` };
      expect(await findProgram('aws', { env })).to.deep.equal({ outcome: 'found', path });
      const other = await findProgram('aws', { env: { PATH: locked } });
      expect(other).to.deep.equal({ outcome: 'missing' });
      const found = await findProgram(`${locked}/aws`, { env });
      expect(found).to.deep.equal({ outcome: 'not-executable', path: `${locked}/aws` });
    });
    await chmod(locked, 0o700);
  });

  it('skips relative and empty directories of PATH', async () => {
    const env = { PATH: '.::node_modules/.bin' };
    expect(await findProgram('tsc', { env })).to.deep.equal({ outcome: 'missing' });
  });

  it('finds nothing without a PATH', async () => {
    expect(await findProgram('sh', { env: {} })).to.deep.equal({ outcome: 'missing' });
  });

  it('does not look in PATH for a path', async () => {
    await using scratch = await ScratchDirectory.make();
    await writeProgram(scratch, 'bin/aws');
    const found = await findProgram('bin/aws', {
      env: { PATH: scratch.path },
      directory: '/nowhere',
    });
    expect(found).to.deep.equal({ outcome: 'missing', path: '/nowhere/bin/aws' });
  });

  it('tries the endings of PATHEXT on Windows, and knows names of variables in any case', async () => {
    await using scratch = await ScratchDirectory.make();
    const path = await writeProgram(scratch, 'aws.EXE');
    const search = { env: { Path: scratch.path }, onWindows: true };
    expect(await findProgram('aws', search)).to.deep.equal({ outcome: 'found', path });
    expect(await findProgram('aws.EXE', search)).to.deep.equal({ outcome: 'found', path });
    const other = { env: { PATH: scratch.path, PATHEXT: '.PY' }, onWindows: true };
    expect((await findProgram('aws', other)).outcome).to.equal('missing');
  });

  it('distinguishes a batch file, which needs a shell, from a missing program', async () => {
    await using scratch = await ScratchDirectory.make();
    const path = await writeProgram(scratch, 'gcloud.CMD');
    const search = { env: { PATH: scratch.path }, onWindows: true };
    expect(await findProgram('gcloud', search)).to.deep.equal({ outcome: 'batch-file', path });
    const found = await writeProgram(scratch, 'bin/gcloud.EXE');
    const both = { env: { PATH: `${scratch.path}:${scratch.path}/bin` }, onWindows: true };
    expect(await findProgram('gcloud', both)).to.deep.equal({ outcome: 'found', path: found });
  });
});
