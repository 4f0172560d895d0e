import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import { tarEnd, tarHeader } from '../../../../../lib/client/rest/streams/copy/tar-writer.ts';
import type { PodHandler } from '../../../../../lib/server/api/pods/pod-handlers.ts';
import {
  bytesFrom,
  hashOf,
  noise,
  podCluster,
  tarMember as member,
  typedMember,
} from '../support.ts';

/** Runs tar on this machine, with the root of the container in front of each absolute path. */
function tarIn(root: string): PodHandler {
  return {
    exec: async ({ command, stdin, stdout, stderr }) => {
      const [program = '', ...words] = command.map((word) =>
        word.startsWith('/') ? join(root, word) : word,
      );
      const child = spawn(program, words, { cwd: root });
      const copies = [
        pipeline(stdin, child.stdin).catch(() => {}),
        (async () => {
          for await (const piece of child.stdout) await stdout.write(piece as Buffer);
        })(),
        (async () => {
          for await (const piece of child.stderr) await stderr.write(piece as Buffer);
        })(),
      ];
      // The client may leave before the end.
      for (const copy of copies) copy.catch(() => {});
      const code = await new Promise<number>((done) => {
        child.on('close', (exit) => done(exit ?? 1));
      });
      await Promise.all(copies.slice(1));
      return code;
    },
  };
}

/** Answers every command with these bytes, as a hostile container does. */
function archive(...pieces: readonly Buffer[]): PodHandler {
  return {
    exec: async ({ stdout }) => {
      for (const piece of [...pieces, tarEnd()]) await stdout.write(piece);
      return 0;
    },
  };
}

const hasTar = spawnSync('tar', ['--version']).error === undefined;

describe('files of pods', () => {
  let folder: string;
  let root: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'listwatch-copy-'));
    root = join(folder, 'container');
    mkdirSync(root);
  });

  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const failure = async (copy: Promise<unknown>): Promise<string> =>
    await copy.then(
      () => 'copied',
      (error: Error) => error.message,
    );

  describe('with tar', () => {
    before(function () {
      if (hasTar) return;
      console.log('      skipped: no tar on PATH');
      this.skip();
    });

    it('come out of a container as they are, and go into one', async () => {
      await using cluster = await podCluster(tarIn(root));
      const { pods } = cluster;
      const long = `${'deep/'.repeat(30)}file`;
      mkdirSync(join(root, 'data', 'deep/'.repeat(30)), { recursive: true });
      mkdirSync(join(root, 'data/empty'));
      const large = noise(3_000_000);
      writeFileSync(join(root, 'data/large'), large);
      writeFileSync(join(root, 'data', long), 'far down');
      writeFileSync(join(root, 'data/run'), '#!/bin/sh\n');
      chmodSync(join(root, 'data/run'), 0o755);

      const out = join(folder, 'out');
      const report = await pods.copyFrom('web', '/data', out);
      expect(report).to.deep.equal({ files: 3, bytes: large.length + 18, skipped: [] });
      expect(hashOf(readFileSync(join(out, 'large')))).to.equal(hashOf(large));
      expect(readFileSync(join(out, long), 'utf8')).to.equal('far down');
      expect(readdirSync(join(out, 'empty'))).to.deep.equal([]);
      expect(statSync(join(out, 'run')).mode & 0o111).to.not.equal(0);

      mkdirSync(join(root, 'srv'));
      expect(await pods.copyTo('web', out, '/srv/site')).to.deep.equal(report);
      expect(hashOf(readFileSync(join(root, 'srv/site/large')))).to.equal(hashOf(large));
      expect(readFileSync(join(root, 'srv/site', long), 'utf8')).to.equal('far down');
      expect(statSync(join(root, 'srv/site/run')).mode & 0o111).to.not.equal(0);
    });

    it('are copied one by one under another name, also over a file that is there', async () => {
      await using cluster = await podCluster(tarIn(root));
      const { pods } = cluster;
      writeFileSync(join(root, '-config'), 'new');
      writeFileSync(join(folder, 'out'), 'a longer text than the new one');
      const report = await pods.copyFrom('web', '/-config', join(folder, 'out'));
      expect(report).to.include({ files: 1, bytes: 3 });
      expect(readFileSync(join(folder, 'out'), 'utf8')).to.equal('new');
      await pods.copyTo('web', join(folder, 'out'), '/again');
      expect(readFileSync(join(root, 'again'), 'utf8')).to.equal('new');
    });

    it('fail with the words of tar, or with the path on this machine', async () => {
      await using cluster = await podCluster(tarIn(root));
      const { pods } = cluster;
      const out = join(folder, 'out');
      expect(await failure(pods.copyFrom('web', '/missing', out))).to.match(
        /pods\/web\/exec.*: tar ended with \d+: .*missing.*; check the path and the rights/,
      );
      writeFileSync(out, 'x');
      expect(await failure(pods.copyTo('web', out, '/no/such/folder'))).to.match(/tar ended with/);
      expect(await failure(pods.copyTo('web', join(folder, 'none'), '/a'))).to.match(
        /ENOENT.*none.*; check the path on this machine/,
      );
    });

    it('leave out links of both sides on demand, and fail otherwise', async () => {
      await using cluster = await podCluster(tarIn(root));
      const { pods } = cluster;
      mkdirSync(join(root, 'data'));
      writeFileSync(join(root, 'data/a'), 'a');
      symlinkSync('/etc/passwd', join(root, 'data/link'));
      const out = join(folder, 'out');
      expect(await failure(pods.copyFrom('web', '/data', out))).to.match(
        /\.\/data\/link is a link; leave such files out with links: 'skip'/,
      );
      const links = 'skip';
      const { skipped } = await pods.copyFrom('web', '/data', out, { links });
      expect(skipped).to.deep.equal(['./data/link']);
      expect(readdirSync(out)).to.deep.equal(['a']);
      const data = join(root, 'data');
      expect(await failure(pods.copyTo('web', data, '/copy'))).to.match(/link is a link/);
      const back = await pods.copyTo('web', data, '/copy', { links });
      expect(back).to.deep.equal({ files: 1, bytes: 1, skipped: [join(data, 'link')] });
      expect(readdirSync(join(root, 'copy'))).to.deep.equal(['a']);
    });

    it('are bounded in number and bytes, in both directions', async () => {
      await using cluster = await podCluster(tarIn(root));
      const { pods } = cluster;
      mkdirSync(join(root, 'data'));
      for (const name of ['a', 'b']) writeFileSync(join(root, 'data', name), 'x'.repeat(100));
      const data = join(root, 'data');
      for (const [options, text] of [
        [{ maxBytes: 199 }, /more than maxBytes, 199 bytes/],
        [{ maxFiles: 2 }, /more than maxFiles, 2 files and folders/],
      ] as const) {
        const out = join(folder, 'out');
        expect(await failure(pods.copyFrom('web', '/data', out, options))).to.match(text);
        expect(await failure(pods.copyTo('web', data, '/copy', options))).to.match(text);
      }
    });
  });

  describe('of a hostile container', () => {
    it('do not leave the target: absolute paths, .., another name', async () => {
      for (const name of ['/data/a', 'data/../../a', './data/../../../a', 'other/a', '..', 'dat']) {
        await using cluster = await podCluster(archive(member(name, 'x')));
        const out = join(folder, 'inner/out');
        expect(await failure(cluster.pods.copyFrom('web', '/data', out)), name).to.match(
          /names a path outside of what was asked for/,
        );
        expect(existsSync(join(folder, 'a'))).to.equal(false);
        expect(existsSync(join(folder, 'inner/a'))).to.equal(false);
      }
    });

    it('are not written through a link that is there already', async () => {
      const outside = join(folder, 'outside');
      mkdirSync(outside);
      const out = join(folder, 'out');
      mkdirSync(out);
      symlinkSync(outside, join(out, 'sub'));
      symlinkSync(join(outside, 'file'), join(out, 'file'));
      for (const name of ['data/sub/a', 'data/file']) {
        await using cluster = await podCluster(archive(member(name, 'x')));
        expect(await failure(cluster.pods.copyFrom('web', '/data', out)), name).to.match(
          /on this machine is a link, or of another kind/,
        );
      }
      expect(readdirSync(outside)).to.deep.equal([]);
    });

    it('end with the copy when there are more bytes than were announced or are allowed', async () => {
      const name = 'data';
      const size = 10 ** 12;
      const header = tarHeader({ name, isFolder: false, size, mode: 0o644, modifiedMs: 0 });
      await using cluster = await podCluster(archive(header));
      const out = join(folder, 'out');
      expect(await failure(cluster.pods.copyFrom('web', '/data', out))).to.match(/maxBytes/);
      expect(existsSync(out)).to.equal(false);
      const short = tarHeader({ name, isFolder: false, size: 9000, mode: 0o644, modifiedMs: 0 });
      await using cut = await podCluster(archive(short));
      expect(await failure(cut.pods.copyFrom('web', '/data', out))).to.match(
        /the archive ends in the middle; check that the container has tar/,
      );
      expect(existsSync(out), 'a part of a file').to.equal(false);
    });

    it('end with the copy when it names more links than there may be files', async () => {
      const links = Array.from({ length: 4 }, (_, index) => typedMember('2', `data/${index}`, ''));
      await using cluster = await podCluster(archive(...links));
      const copy = cluster.pods.copyFrom('web', '/data', join(folder, 'out'), {
        links: 'skip',
        maxFiles: 3,
      });
      expect(await failure(copy)).to.match(/more than maxFiles, 3 files and folders/);
    });

    it('say why tar has ended in the middle', async () => {
      const exec: PodHandler['exec'] = async ({ stdout, stderr }) => {
        await stderr.write('tar: data: Input/output error\n');
        await stdout.write(member('data', 'x'.repeat(2000)).subarray(0, 1000));
        return 2;
      };
      await using cluster = await podCluster({ exec });
      const text = await failure(cluster.pods.copyFrom('web', '/data', join(folder, 'out')));
      expect(text).to.match(/: tar ended with 2: tar: data: Input\/output error; check the path/);
      expect(existsSync(join(folder, 'out'))).to.equal(false);
    });

    it('are no archive', async () => {
      const exec: PodHandler['exec'] = async ({ stdout }) => {
        await stdout.write('hello '.repeat(200));
        return 0;
      };
      await using cluster = await podCluster({ exec });
      const text = await failure(cluster.pods.copyFrom('web', '/data', join(folder, 'out')));
      expect(text).to.match(/the output is no tar archive/);
    });
  });

  it('have paths that are checked before anything is sent', async () => {
    const exec: PodHandler['exec'] = async ({ stdin }) => {
      await bytesFrom(stdin);
      throw new Error('it was asked');
    };
    await using cluster = await podCluster({ exec });
    const { pods } = cluster;
    for (const path of ['', '..', '/a/../..\0', '../..']) {
      expect(await failure(pods.copyFrom('web', path, folder)), path).to.match(
        /^copyFrom: the path in the container must/,
      );
    }
    expect(await failure(pods.copyTo('web', '', '/a'))).to.match(
      /^copyTo: the path on this machine/,
    );
    expect(await failure(pods.copyTo('web', folder, '/a', { maxBytes: -1 }))).to.match(
      /"maxBytes"/,
    );
  });
});
