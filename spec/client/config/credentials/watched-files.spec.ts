import { createHook } from 'node:async_hooks';
import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, open, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { WatchedFiles } from '../../../../lib/client/config/credentials/watched-files.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { failureOf } from '../../support/failure-of.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { ScratchDirectory } from '../../support/scratch-directory.ts';

interface Value {
  readonly text: string;
}

describe('WatchedFiles', () => {
  let scratch: ScratchDirectory;
  let runtime: VirtualRuntime;
  let logger: RecordedLog;
  /** Texts that were parsed. */
  let parsed: string[];

  beforeEach(async () => {
    scratch = await ScratchDirectory.make();
    runtime = new VirtualRuntime();
    logger = new RecordedLog();
    parsed = [];
  });
  afterEach(async () => {
    await scratch[Symbol.asyncDispose]();
  });

  const watch = (...names: string[]): WatchedFiles<Value> =>
    new WatchedFiles<Value>({
      paths: names.map((name) => join(scratch.path, name)),
      what: 'the thing',
      parse: (texts) => {
        const text = texts.join('|');
        parsed.push(text);
        return { text };
      },
      runtime,
      logger,
    });

  it('looks at the files at most once a second, and then only when it is asked', async () => {
    await scratch.write('a', 'one');
    const files = watch('a');
    const first = await files.current();
    expect(first.text).to.equal('one');
    await scratch.write('a', 'two');
    await runtime.advance(999);
    expect(files.current(), 'without a promise').to.equal(first);
    await runtime.advance(1);
    expect((await files.current()).text).to.equal('two');
  });

  it('returns the same object while the texts are unchanged, also if the file was written again', async () => {
    await scratch.write('a', 'one');
    const files = watch('a');
    const first = await files.current();
    for (const _ of [1, 2, 3]) {
      await scratch.write('a', 'one');
      await runtime.advance(1_000);
      expect(await files.current()).to.equal(first);
    }
    expect(parsed).to.deep.equal(['one']);
  });

  it('sees a second write with the size and the time of the first', async () => {
    const path = await scratch.write('a', 'one');
    const time = new Date('2026-01-01');
    await utimes(path, time, time);
    const files = watch('a');
    await files.current();
    await writeFile(path, 'two');
    await utimes(path, time, time);
    await runtime.advance(1_000);
    expect((await files.current()).text).to.equal('two');
  });

  it('opens no file while the stamps of the files are unchanged', async () => {
    await scratch.write('a', 'one');
    const files = watch('a');
    let opened = 0;
    const hook = createHook({
      init: (_id, type) => {
        if (type === 'FILEHANDLE') opened += 1;
      },
    }).enable();
    try {
      const seen: number[] = [];
      for (const _ of [1, 2, 3, 4]) {
        await files.current();
        seen.push(opened);
        await runtime.advance(1_000);
      }
      expect(seen, 'the second look makes sure of the first').to.deep.equal([1, 2, 2, 2]);
    } finally {
      hook.disable();
    }
  });

  it('shares one look among a thousand simultaneous calls', async () => {
    await scratch.write('a', 'one');
    const files = watch('a');
    const values = await Promise.all(
      Array.from({ length: 1_000 }, async () => await files.current()),
    );
    expect(new Set(values).size).to.equal(1);
    await scratch.write('a', 'two');
    await runtime.advance(1_000);
    const later = await Promise.all(
      Array.from({ length: 1_000 }, async () => await files.current()),
    );
    expect(new Set(later).size).to.equal(1);
    expect(parsed).to.deep.equal(['one', 'two']);
  });

  it('shares at most two reads among a thousand calls of reread', async () => {
    await scratch.write('a', 'one');
    const files = watch('a');
    await files.current();
    await scratch.write('a', 'two');
    const values = await Promise.all(Array.from({ length: 1_000 }, () => files.reread()));
    expect(new Set(values.map(({ text }) => text))).to.deep.equal(new Set(['two']));
    expect(parsed).to.deep.equal(['one', 'two']);
  });

  it('rereads at once, in a look that begins after the call', async () => {
    const path = await scratch.write('a', 'one');
    const files = watch('a');
    const look = files.current();
    const again = look instanceof Promise ? look.then(() => writeFile(path, 'two')) : undefined;
    await again;
    expect(files.last?.text).to.equal('one');
    expect((await files.reread()).text).to.equal('two');
  });

  it('rereads content whose stamps have not changed', async () => {
    const path = await scratch.write('a', 'one');
    const files = watch('a');
    const time = new Date('2026-01-01');
    for (const _ of [1, 2, 3]) {
      await files.current();
      await runtime.advance(1_000);
    }
    const before = files.last;
    await utimes(path, time, time);
    expect(await files.reread()).to.equal(before);
    await writeFile(path, 'two');
    await utimes(path, time, time);
    expect((await files.reread()).text).to.equal('two');
  });

  it('keeps the last value while a file is gone, and says so once', async () => {
    const path = await scratch.write('a', 'one');
    const files = watch('a');
    const first = await files.current();
    await rm(path);
    for (const _ of [1, 2, 3]) {
      await runtime.advance(1_000);
      expect(await files.current()).to.equal(first);
    }
    expect(logger.warnings).to.have.length(1);
    expect(logger.warnings[0])
      .to.contain(path)
      .and.to.contain('there is no such file; correct the path');
  });

  it('logs each distinct error once, and again after the files could be read', async () => {
    const path = await scratch.write('a', 'one');
    const files = watch('a');
    await files.current();
    const look = async (): Promise<number> => {
      await runtime.advance(1_000);
      await files.current();
      return logger.warnings.length;
    };
    await rm(path);
    expect(await look()).to.equal(1);
    await mkdir(path);
    expect(await look()).to.equal(2);
    await rm(path, { recursive: true });
    expect(await look(), 'the first error again').to.equal(2);
    await scratch.write('a', 'two');
    expect(await look()).to.equal(2);
    expect(logger.lines.filter(({ level }) => level === 'info')).to.have.length(1);
    await rm(path);
    expect(await look()).to.equal(3);
  });

  it('survives a file that is replaced by a directory and comes back', async () => {
    const path = await scratch.write('a', 'one');
    const files = watch('a');
    await files.current();
    await rm(path);
    await mkdir(path);
    await runtime.advance(1_000);
    expect((await files.current()).text).to.equal('one');
    expect(logger.warnings[0]).to.contain('it is a directory');
    await rm(path, { recursive: true });
    await scratch.write('a', 'two');
    await runtime.advance(1_000);
    expect((await files.current()).text).to.equal('two');
  });

  it('follows the symbolic links that the kubelet swaps', async () => {
    await scratch.write('..2026_01/token', 'one');
    await scratch.write('..2026_02/token', 'two');
    await symlink('..2026_01', join(scratch.path, '..data'));
    await symlink('..data/token', join(scratch.path, 'token'));
    const files = watch('token');
    for (const _ of [1, 2, 3]) {
      expect((await files.current()).text).to.equal('one');
      await runtime.advance(1_000);
    }
    await symlink('..2026_02', join(scratch.path, '..data_tmp'));
    await rename(join(scratch.path, '..data_tmp'), join(scratch.path, '..data'));
    await rm(join(scratch.path, '..2026_01'), { recursive: true });
    expect((await files.current()).text).to.equal('two');
    expect(logger.warnings).to.deep.equal([]);
  });

  it('refuses a file of more than 1 MiB, and keeps the last value for one that grew', async () => {
    const path = await scratch.write('a', 'x'.repeat(10 * 1_048_576));
    const error = await failureOf(Promise.resolve(watch('a').current()));
    expect(error.code).to.equal('CONFIG_INVALID');
    expect(error.message).to.equal(`${path}: it is larger than 1048576 bytes; name another file`);
    await scratch.write('a', 'x'.repeat(1_048_576));
    const files = watch('a');
    const largest = await files.current();
    expect(largest.text).to.have.length(1_048_576);
    await scratch.write('a', 'x'.repeat(1_048_577));
    await runtime.advance(1_000);
    expect(await files.current()).to.equal(largest);
  });

  it('refuses a pipe without waiting for its writer', async () => {
    const path = join(scratch.path, 'pipe');
    execFileSync('mkfifo', [path]);
    const error = await failureOf(Promise.resolve(watch('pipe').current()));
    expect(error.message).to.equal(`${path}: it is not a regular file; name a file`);
  });

  it('names the file that is missing among several', async () => {
    await scratch.write('a', 'one');
    const error = await failureOf(Promise.resolve(watch('a', 'b').current()));
    expect(error.code).to.equal('CONFIG_INVALID');
    expect(error.message).to.equal(`${scratch.path}/b: there is no such file; correct the path`);
  });

  it('says what a path through a file and a loop of links are', async () => {
    await scratch.write('a', 'one');
    await symlink('loop', join(scratch.path, 'loop'));
    const messageOf = async (name: string): Promise<string> =>
      (await failureOf(Promise.resolve(watch(name).current()))).message;
    expect(await messageOf('a/b')).to.contain('is a file and not a directory');
    expect(await messageOf('loop')).to.contain('form a loop');
  });

  it('ignores a byte order mark, and reads UTF-16 that has one', async () => {
    await scratch.write('a', '\ufeffone');
    expect((await watch('a').current()).text).to.equal('one');
    await writeFile(join(scratch.path, 'wide'), Buffer.from('\ufeffone', 'utf16le'));
    expect((await watch('wide').current()).text).to.equal('one');
  });

  describe('while the file system does not answer', () => {
    /** Takes all threads that read files, until it is released or disposed of. */
    const blockFileSystem = (): AsyncDisposable & { release(): Promise<void> } => {
      const threads = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4);
      const pipes = Array.from({ length: threads }, (_, index) => `${scratch.path}/p${index}`);
      execFileSync('mkfifo', pipes);
      // To open a pipe without a writer takes a thread until there is a writer.
      const readers = pipes.map((pipe) => open(pipe, 'r'));
      const release = async (): Promise<void> => {
        for (const pipe of pipes.splice(0)) closeSync(openSync(pipe, 'w'));
        for (const reader of readers.splice(0)) await (await reader).close();
      };
      return { release, [Symbol.asyncDispose]: release };
    };
    const turn = (): Promise<void> =>
      new Promise((resolve) => {
        setImmediate(resolve);
      });

    it('keeps the last value after ten seconds, starts no second look, and recovers', async () => {
      const path = await scratch.write('a', 'one');
      const files = watch('a');
      const first = await files.current();
      await using fileSystem = blockFileSystem();
      await runtime.advance(1_000);
      const waiting = Promise.resolve(files.current());
      await runtime.advance(9_999);
      const others = [files.current(), files.reread(), files.reread()];
      await runtime.advance(1);
      expect(await waiting).to.equal(first);
      expect(new Set(await Promise.all(others.map(async (one) => await one)))).to.deep.equal(
        new Set([first]),
      );
      expect(logger.warnings).to.have.length(1);
      expect(logger.warnings[0]).to.contain(
        `${path}: the file system did not answer within 10000 ms`,
      );
      const before = process.getActiveResourcesInfo().length;
      await runtime.advance(60_000);
      const later = Promise.resolve(files.current());
      await runtime.advance(0);
      expect(await later, 'without another wait').to.equal(first);
      expect(process.getActiveResourcesInfo().length).to.equal(before);
      await fileSystem.release();
      await writeFile(path, 'two');
      expect((await files.reread()).text).to.equal('two');
    });

    it('fails without a value after ten seconds', async () => {
      await scratch.write('a', 'one');
      await using fileSystem = blockFileSystem();
      await turn();
      const files = watch('a');
      const failure = failureOf(Promise.resolve(files.current()));
      await runtime.advance(10_000);
      const error = await failure;
      expect(error.code).to.equal('CONFIG_INVALID');
      expect(error.message).to.contain('the file system did not answer');
      await fileSystem.release();
      expect((await files.current()).text).to.equal('one');
    });
  });

  it('tries again at the next call as long as there is no value', async () => {
    const files = watch('a');
    await failureOf(Promise.resolve(files.current()));
    await scratch.write('a', 'one');
    expect((await files.current()).text).to.equal('one');
    expect(logger.lines, 'the caller got the error').to.deep.equal([]);
  });

  it('reads several files as one value', async () => {
    await scratch.write('a', '1');
    await scratch.write('b', '1');
    const files = watch('a', 'b');
    expect((await files.current()).text).to.equal('1|1');
    await scratch.write('b', '2');
    await runtime.advance(1_000);
    expect((await files.current()).text).to.equal('1|2');
  });

  it('leaves no timer behind', async () => {
    await scratch.write('a', 'one');
    const files = watch('a');
    await files.current();
    await files.reread();
    expect(runtime.pending).to.equal(0);
  });

  it('does not fail when the logger throws', async () => {
    const path = await scratch.write('a', 'one');
    logger.warn = () => {
      throw new Error('the log is full');
    };
    const files = watch('a');
    const first = await files.current();
    await rm(path);
    await runtime.advance(1_000);
    expect(await files.current()).to.equal(first);
  });
});
