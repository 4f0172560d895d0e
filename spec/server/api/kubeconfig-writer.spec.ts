import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { errorMessage } from '../../../lib/kernel/failure/errors.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { writeKubeconfig } from '../../../lib/server/api/kubeconfig-writer.ts';

const ENTRY = { server: 'https://127.0.0.1:6443', token: 'the-token', certificateAuthority: 'PEM' };

describe('kubeconfig writer', () => {
  const runtime = new VirtualRuntime();
  let folder = '';
  let path = '';

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'listwatch-spec-'));
    path = join(folder, 'kubeconfig');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('writes a file that is complete and for its owner only', async () => {
    await writeKubeconfig(path, ENTRY, runtime);
    expect(parse(await readFile(path, 'utf8'))).to.deep.equal({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'listwatch',
          cluster: {
            server: ENTRY.server,
            'certificate-authority-data': Buffer.from('PEM').toString('base64'),
          },
        },
      ],
      users: [{ name: 'listwatch', user: { token: 'the-token' } }],
      contexts: [{ name: 'listwatch', context: { cluster: 'listwatch', user: 'listwatch' } }],
      'current-context': 'listwatch',
    });
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
    expect(await readdir(folder)).to.deep.equal(['kubeconfig']);
  });

  it('writes every token so that YAML reads it as this text', async () => {
    const tokens = [
      'true',
      '123456789012345678901234567890',
      '0x12345678901234567890',
      '1e1234567890123456789',
      '-1_000_000_000_000_000_000',
      '2001-12-14t21:59:43.10-05:00',
      '-starts-with-a-hyphen-and-is-long',
      '"quoted"\\{}[]#&*!|>%@`',
      'ends-with-a-colon:',
      ': # - ? ~',
    ];
    for (const token of tokens) {
      await writeKubeconfig(path, { ...ENTRY, token }, runtime);
      const text = await readFile(path, 'utf8');
      for (const version of ['1.1', '1.2'] as const) {
        expect(parse(text, { version }), text).to.have.deep.nested.property('users[0].user', {
          token,
        });
      }
    }
  });

  it('replaces a file of its own that another tool has written anew', async () => {
    await writeFile(path, JSON.stringify({ clusters: [{ name: 'listwatch', cluster: {} }] }));
    await writeKubeconfig(path, ENTRY, runtime);
    expect(await readFile(path, 'utf8')).to.contain(ENTRY.server);
  });

  it('replaces a file of its own, also one that others could read', async () => {
    await writeKubeconfig(path, ENTRY, runtime);
    await writeFile(path, (await readFile(path, 'utf8')).replace('6443', '1'), { mode: 0o644 });
    await writeKubeconfig(path, { ...ENTRY, token: 'another' }, runtime);
    expect(await readFile(path, 'utf8'))
      .to.contain('another')
      .and.contain('6443');
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
  });

  it('does not overwrite another file', async () => {
    await writeKubeconfig(path, ENTRY, runtime);
    const own = await readFile(path, 'utf8');
    await rm(path);
    const foreign = [
      own.replace('users:', '  - name: production\n    cluster:\n      server: https://a\nusers:'),
      'clusters: [{name: production}]',
      'clusters: [{name: listwatch}, {name: b}]',
      'hello',
      '{',
      'null',
    ];
    for (const text of foreign) {
      await writeFile(path, text);
      const error = await writeKubeconfig(path, ENTRY, runtime).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error, text).to.include({ code: 'INVALID_OPTION' });
      expect(String(error)).not.to.contain('the-token');
      expect(await readFile(path, 'utf8')).to.equal(text);
    }
    expect(await readdir(folder)).to.deep.equal(['kubeconfig']);
  });

  it('leaves nothing behind when the folder is missing', async () => {
    const error = await writeKubeconfig(join(folder, 'no', 'kubeconfig'), ENTRY, runtime).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).to.include({ code: 'KUBECONFIG_FILE' });
    expect(await readdir(folder)).to.deep.equal([]);
  });

  it('names the cause and the remedy in one line where nothing can be written', async () => {
    const textOf = async (given: string): Promise<string> =>
      await writeKubeconfig(given, ENTRY, runtime).then(() => 'written', errorMessage);
    const missing = join(folder, 'no', 'kubeconfig');
    expect(await textOf(missing)).to.equal(
      `writeKubeconfig: ${missing} was not written: ENOENT: no such file or directory; correct the path, or make its folder first`,
    );
    expect(await textOf(folder)).to.equal(
      `writeKubeconfig: ${folder} cannot be read: EISDIR: illegal operation on a directory; this is a folder: name a file in it`,
    );
    await writeFile(path, '');
    expect(await textOf(join(path, 'kubeconfig'))).to.match(
      /^writeKubeconfig: .* cannot be read: ENOTDIR: not a directory; a part of the path is a file: name another place$/,
    );
  });
});
