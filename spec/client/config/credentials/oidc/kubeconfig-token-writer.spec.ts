import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { kubeconfigTokenWriter } from '../../../../../lib/client/config/credentials/oidc/kubeconfig-token-writer.ts';
import type { RefreshedTokens } from '../../../../../lib/client/config/credentials/oidc/oidc-options.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { ScratchDirectory } from '../../../support/scratch-directory.ts';

const TOKENS: RefreshedTokens = {
  idToken: 'new.id.canary',
  refreshToken: 'new "canary" #1',
  usedRefreshToken: 'old-refresh',
};

/** As kubectl writes it, with comments and odd layout. */
const KUBECONFIG = `# my clusters
apiVersion: v1
kind: Config
users:
- name: other
  user:
    token: other   # stays
- name: dev
  user:
    auth-provider:
      name: oidc
      config:
        idp-issuer-url: https://idp.example
        client-id:   kubernetes
        id-token: old.id.token  # from the last login
        refresh-token: 'old-refresh'
contexts: [ { name: a, context: { cluster: a, user: dev } } ]
`;

describe('kubeconfigTokenWriter', () => {
  let scratch: ScratchDirectory;
  let path: string;

  beforeEach(async () => {
    scratch = await ScratchDirectory.make();
    path = join(scratch.path, 'config');
  });
  afterEach(async () => {
    await scratch[Symbol.asyncDispose]();
  });

  const write = async (text: string, tokens: RefreshedTokens = TOKENS): Promise<string> => {
    await writeFile(path, text);
    await kubeconfigTokenWriter({ path, user: 'dev' })(tokens);
    return await readFile(path, 'utf8');
  };
  const failure = async (text: string): Promise<string> => {
    const error = await failureOf(write(text));
    expect(error.code).to.equal('CONFIG_INVALID');
    expect(error.message).not.to.contain('canary').and.not.to.contain('old-refresh');
    expect(await readFile(path, 'utf8'), 'the file').to.equal(text);
    expect(await readdir(scratch.path)).to.deep.equal(['config']);
    return error.message.replaceAll(path, 'FILE');
  };

  it('changes the two tokens and no other character', async () => {
    expect(await write(KUBECONFIG)).to.equal(
      KUBECONFIG.replace('old.id.token', '"new.id.canary"').replace(
        "'old-refresh'",
        '"new \\"canary\\" #1"',
      ),
    );
  });

  it('adds an ID token where there is none', async () => {
    const without = KUBECONFIG.replace(/\n {8}id-token: .*/, '');
    expect(await write(without)).to.equal(
      without
        .replace(
          '        idp-issuer-url',
          '        id-token: "new.id.canary"\n        idp-issuer-url',
        )
        .replace("'old-refresh'", '"new \\"canary\\" #1"'),
    );
    const empty = KUBECONFIG.replace(/old\.id\.token.*/, '');
    expect(await write(empty)).to.contain('id-token: "new.id.canary"');
    expect(await write(empty.replace('id-token: ', 'id-token:'))).to.contain(
      'id-token: "new.id.canary"',
    );
  });

  it('writes JSON, braces and folded text', async () => {
    const config = { 'refresh-token': 'old-refresh', 'client-id': 'kubernetes' };
    const json = JSON.stringify(
      { users: [{ name: 'dev', user: { 'auth-provider': { name: 'oidc', config } } }] },
      undefined,
      2,
    );
    const written = JSON.parse(
      await write(json.replace('"client-id"', '"id-token": "x", "client-id"')),
    ) as {
      users: { user: { 'auth-provider': { config: unknown } } }[];
    };
    expect(written.users[0]!.user['auth-provider'].config).to.deep.equal({
      ...config,
      'id-token': TOKENS.idToken,
      'refresh-token': TOKENS.refreshToken,
    });
    const braces =
      'users: [{ name: dev, user: { auth-provider: { config: { refresh-token: old-refresh } } } }]\n';
    expect(await write(braces)).to.equal(
      'users: [{ name: dev, user: { auth-provider: { config: { id-token: "new.id.canary", refresh-token: "new \\"canary\\" #1" } } } }]\n',
    );
    const folded = KUBECONFIG.replace(
      'old.id.token  # from the last login',
      '>-\n          old.id\n          .token',
    );
    expect(await write(folded)).to.contain(
      'id-token: "new.id.canary"\n        refresh-token: "new',
    );
  });

  it('keeps the mode of the file', async () => {
    for (const mode of [0o600, 0o640, 0o400]) {
      await rm(path, { force: true });
      await writeFile(path, KUBECONFIG);
      await chmod(path, mode);
      await kubeconfigTokenWriter({ path, user: 'dev' })(TOKENS);
      expect((await stat(path)).mode & 0o777).to.equal(mode);
      expect(await readFile(path, 'utf8')).to.contain('new.id.canary');
    }
  });

  it('writes the target of a symbolic link', async () => {
    const target = await scratch.write('real/config', KUBECONFIG);
    await symlink(target, path);
    await kubeconfigTokenWriter({ path, user: 'dev' })(TOKENS);
    expect((await lstat(path)).isSymbolicLink()).to.equal(true);
    expect(await readFile(target, 'utf8')).to.contain('new.id.canary');
  });

  it('leaves neither its lock nor its temporary file behind', async () => {
    await write(KUBECONFIG);
    expect(await readdir(scratch.path)).to.deep.equal(['config']);
  });

  it('replaces a temporary file that a stopped program left behind', async () => {
    await scratch.write('config.listwatch-tmp', 'half');
    expect(await write(KUBECONFIG)).to.contain('new.id.canary');
    expect(await readdir(scratch.path)).to.deep.equal(['config']);
  });

  it('does not wait for a lock that is held, and leaves it there', async () => {
    await scratch.write('config.lock', '');
    const error = await failureOf(write(KUBECONFIG));
    expect(error.message).to.equal(
      `${path}.lock: the lock is held; if no other program is writing the kubeconfig, delete this file`,
    );
    expect((await readdir(scratch.path)).toSorted()).to.deep.equal(['config', 'config.lock']);
    expect(await readFile(path, 'utf8')).to.equal(KUBECONFIG);
  });

  it('lets one of a hundred simultaneous writers write', async () => {
    await writeFile(path, KUBECONFIG);
    const persist = kubeconfigTokenWriter({ path, user: 'dev' });
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => persist(TOKENS)));
    expect(outcomes.some(({ status }) => status === 'fulfilled')).to.equal(true);
    expect(await readFile(path, 'utf8')).to.equal(await write(KUBECONFIG));
  });

  it('says that the directory cannot be written', async () => {
    const missing = join(scratch.path, 'none', 'config');
    const error = await failureOf(kubeconfigTokenWriter({ path: missing, user: 'dev' })(TOKENS));
    expect(error.code).to.equal('CONFIG_INVALID');
    expect(error.message).to.contain(`${missing}.lock: the lock cannot be made`);
  });

  it('says that the file is gone, or a directory', async () => {
    const persist = kubeconfigTokenWriter({ path, user: 'dev' });
    expect((await failureOf(persist(TOKENS))).message).to.contain(
      `${path}: the tokens cannot be written: ENOENT`,
    );
    await mkdir(path);
    expect((await failureOf(persist(TOKENS))).message).to.contain('EISDIR');
    expect(await readdir(scratch.path)).to.deep.equal(['config']);
  });

  it('leaves a file that is not YAML, or has no such login, as it is', async () => {
    expect(await failure('{ "canary')).to.equal('FILE: it is not YAML; it was not changed');
    for (const text of [
      '',
      'users: 7\n',
      'users: [dev]\n',
      KUBECONFIG.replace('name: dev', 'name: canary'),
    ]) {
      expect(await failure(text)).to.equal(
        'FILE: there is no user dev with an auth-provider any more',
      );
    }
  });

  it('leaves the tokens of a newer login as they are', async () => {
    expect(await failure(KUBECONFIG.replace('old-refresh', 'canary'))).to.equal(
      'FILE: the user dev: another program has replaced the refresh-token; it was not changed',
    );
  });

  it('leaves a layout that it cannot edit as it is', async () => {
    const anchored = KUBECONFIG.replace('old.id.token', '*shared').replace(
      'token: other ',
      'token: &shared other ',
    );
    expect(await failure(anchored)).to.equal(
      'FILE: its layout cannot be edited; write the tokens in plain lines',
    );
  });
});
