import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { errorMessage } from '../../../lib/kernel/failure/errors.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { record, replay } from '../../../lib/recorder/index.ts';
import { ScriptedListerWatcher } from '../../../lib/testing/index.ts';
import { ScratchDirectory } from '../../client/support/scratch-directory.ts';

async function problemOf(work: Promise<unknown>): Promise<string> {
  return await work.then(() => 'no error', errorMessage);
}

describe('a file of a recording', () => {
  let directory: ScratchDirectory;

  beforeEach(async () => {
    directory = await ScratchDirectory.make();
  });

  afterEach(async () => {
    await directory[Symbol.asyncDispose]();
  });

  it('says what to do if it cannot be made', async () => {
    const runtime = new VirtualRuntime();
    const source = new ScriptedListerWatcher({ runtime, description: 'pods' });
    const made = (path: string): Promise<string> => problemOf(record(source, path, { runtime }));
    const taken = join(directory.path, 'taken.listwatch');
    await writeFile(taken, 'something else');
    expect(await made(taken)).to.match(/EEXIST.*; name a new file, or remove this one$/);
    const nowhere = join(directory.path, 'nowhere', 'pods.listwatch');
    expect(await made(nowhere)).to.match(/ENOENT.*; correct the path, or make its folder first$/);
    expect(await made(join(taken, 'pods.listwatch'))).to.match(/; a part of the path is a file/);
  });

  it('says what to do if it cannot be read', async () => {
    const folder = join(directory.path, 'folder');
    await mkdir(folder);
    expect(await problemOf(replay(folder))).to.match(/; this is a folder: name a file in it$/);
    expect(await problemOf(replay(''))).to.include('must be the path of a recording');
    const options = { path: folder } as unknown as string;
    expect(await problemOf(replay(options))).to.match(/the path of a recording.*, not object$/);
  });
});
