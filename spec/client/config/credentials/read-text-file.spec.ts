import { execFileSync } from 'node:child_process';
import { mkdir, open, symlink, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import {
  isMissingFile,
  readTextFile,
} from '../../../../lib/client/config/credentials/read-text-file.ts';
import type { ListwatchError } from '../../../../lib/kernel/failure/errors.ts';
import { realRuntime } from '../../../../lib/kernel/time/real-runtime.ts';
import type { Runtime } from '../../../../lib/kernel/time/runtime.ts';
import { failureOf } from '../../support/failure-of.ts';
import { ScratchDirectory } from '../../support/scratch-directory.ts';

describe('readTextFile', () => {
  let scratch: ScratchDirectory;
  const read = async (path: string, runtime: Runtime = realRuntime): Promise<string> =>
    await readTextFile(path, { largestBytes: 100_000, runtime });

  beforeEach(async () => {
    scratch = await ScratchDirectory.make();
  });
  afterEach(async () => {
    await scratch[Symbol.asyncDispose]();
  });

  const swapped = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
  const contents: [title: string, bytes: Buffer, text: string][] = [
    ['UTF-8', Buffer.from('aé'), 'aé'],
    ['UTF-8 with a byte order mark', Buffer.from('\ufeffaé'), 'aé'],
    ['UTF-16 of Windows', Buffer.from('\ufeffaé', 'utf16le'), 'aé'],
    ['UTF-16, the other byte order', swapped('\ufeffaé'), 'aé'],
    ['nothing', Buffer.alloc(0), ''],
    ['more than one read takes', Buffer.alloc(99_999, 'x'), 'x'.repeat(99_999)],
  ];
  for (const [title, bytes, text] of contents) {
    it(`reads ${title}`, async () => {
      const path = `${scratch.path}/file`;
      await writeFile(path, bytes);
      expect(await read(path)).to.equal(text);
    });
  }

  it('reads a file of a file system without sizes', async () => {
    expect(await read('/proc/self/status')).to.contain('Name:');
  });

  it('reads a pipe that is written late', async () => {
    const path = `${scratch.path}/pipe`;
    execFileSync('mkfifo', [path]);
    const reading = read(path);
    const writer = await open(path, 'r+');
    await writer.write('one ');
    await writer.write('two');
    await writer.close();
    expect(await reading).to.equal('one two');
  });

  /** A clock on which each wait is over at once, so that ten seconds take some turns of the event loop. */
  function hastyRuntime(): Runtime {
    let nowMs = 0;
    return {
      ...realRuntime,
      monotonicMs: () => nowMs,
      setTimer: (delayMs, callback, options) => {
        if (delayMs > 1_000) return { cancel: () => {} };
        return realRuntime.setTimer(
          0,
          () => {
            nowMs += delayMs;
            callback();
          },
          options,
        );
      },
    };
  }

  it('gives up a pipe to which nothing is written', async () => {
    const path = `${scratch.path}/pipe`;
    execFileSync('mkfifo', [path]);
    const error = await failureOf(read(path, hastyRuntime()));
    expect(error.message).to.equal(
      `${path}: nothing was written to the pipe within 10 s; name a file`,
    );
  });

  const failureAt = async (path: string): Promise<ListwatchError> => await failureOf(read(path));

  it('reports a missing file in a form that callers can distinguish', async () => {
    const error = await failureAt(`${scratch.path}/none`);
    expect(error.code).to.equal('CONFIG_INVALID');
    expect(error.message).to.equal(`${scratch.path}/none: there is no such file; correct the path`);
    expect(isMissingFile(error)).to.equal(true);
  });

  it('refuses a directory', async () => {
    const path = `${scratch.path}/folder`;
    await mkdir(path);
    const error = await failureAt(path);
    expect(error.message).to.equal(`${path}: it is a directory; name a file`);
    expect(isMissingFile(error)).to.equal(false);
  });

  it('refuses a file that is too large, and one that only claims to be empty', async () => {
    const path = await scratch.write('file', 'x'.repeat(100_001));
    const problem = 'it is larger than 100000 bytes; name another file';
    expect((await failureAt(path)).message).to.equal(`${path}: ${problem}`);
    expect((await failureAt('/dev/zero')).message).to.equal(`/dev/zero: ${problem}`);
  });

  it('refuses links that form a loop, and a path through a file', async () => {
    const loop = `${scratch.path}/loop`;
    await symlink(loop, loop);
    expect((await failureAt(loop)).message).to.equal(`${loop}: its symbolic links form a loop`);
    const file = await scratch.write('file', 'x');
    expect((await failureAt(`${file}/x`)).message).to.equal(
      `${file}/x: a part of the path is a file and not a directory`,
    );
  });
});
