import { mkdir, rm, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import {
  tokenFile,
  type TokenFileOptions,
} from '../../../../lib/client/config/credentials/token-file.ts';
import { Credential } from '../../../../lib/client/transport/contract/credential.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { failureOf, rejectionOf } from '../../support/failure-of.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { ScratchDirectory } from '../../support/scratch-directory.ts';

describe('tokenFile', () => {
  let scratch: ScratchDirectory;
  let runtime: VirtualRuntime;

  beforeEach(async () => {
    scratch = await ScratchDirectory.make();
    runtime = new VirtualRuntime();
  });
  afterEach(async () => {
    await scratch[Symbol.asyncDispose]();
  });

  interface Asked {
    readonly path: string;
    readonly header: () => Promise<string | undefined>;
    readonly credentials: ReturnType<typeof tokenFile>;
  }
  const at = async (text: string, options: TokenFileOptions = {}): Promise<Asked> => {
    const path = await scratch.write('token', text);
    const credentials = tokenFile(path, { runtime, ...options });
    return { path, credentials, header: async () => (await credentials.current()).authorization };
  };

  it('looks at the file again after a second', async () => {
    const { header, credentials } = await at(' one\n');
    expect(await header()).to.equal('Bearer one');
    await scratch.write('token', 'two');
    await runtime.advance(999);
    expect(await header()).to.equal('Bearer one');
    await runtime.advance(1);
    expect(await Promise.all([header(), header()])).to.deep.equal(['Bearer two', 'Bearer two']);
    expect(credentials.current(), 'without a promise').to.be.instanceOf(Credential);
  });

  it('returns the same credential while the token is unchanged, with any white space around it', async () => {
    const { credentials } = await at('one');
    const first = await credentials.current();
    await scratch.write('token', '\n one \r\n');
    await runtime.advance(1_000);
    expect(await credentials.current()).to.equal(first);
  });

  it('ignores line ends of Windows and a byte order mark', async () => {
    const { header } = await at('\ufeffone\r\n');
    expect(await header()).to.equal('Bearer one');
  });

  it('keeps the last token while the file cannot be read, and says so', async () => {
    const logger = new RecordedLog();
    const { header, path } = await at('one', { logger });
    await header();
    await rm(path);
    await runtime.advance(1_000);
    expect(await Promise.all([header(), header()])).to.deep.equal(['Bearer one', 'Bearer one']);
    expect(logger.warnings, 'callers share one look at the file').to.have.length(1);
    expect(logger.warnings[0])
      .to.contain('a file cannot be read again')
      .and.to.contain(`the token in ${path}`);
    await scratch.write('token', 'two');
    await runtime.advance(1_000);
    expect(await header()).to.equal('Bearer two');
  });

  it('keeps the last token while the file is empty for a moment', async () => {
    const { header } = await at('one');
    await header();
    await scratch.write('token', '');
    await runtime.advance(1_000);
    expect(await header()).to.equal('Bearer one');
    await scratch.write('token', 'two');
    await runtime.advance(1_000);
    expect(await header()).to.equal('Bearer two');
  });

  it('fails without a first token, and recovers', async () => {
    const path = `${scratch.path}/token`;
    const credentials = tokenFile(path);
    const current = async (): Promise<Credential> => await credentials.current();
    const error = await failureOf(current());
    expect(error.code).to.equal('CONFIG_INVALID');
    expect(error.message).to.equal(`${path}: there is no such file; correct the path`);
    await scratch.write('token', '\n');
    expect((await failureOf(current())).message).to.equal(
      `${path}: the file is empty; write the token into it`,
    );
    await scratch.write('token', 'one');
    expect((await current()).authorization).to.equal('Bearer one');
  });

  it('refuses a directory', async () => {
    const path = `${scratch.path}/token`;
    await mkdir(path);
    const error = await failureOf(Promise.resolve(tokenFile(path).current()));
    expect(error.message).to.equal(`${path}: it is a directory; name a file`);
  });

  it('refuses text that is not a token, without showing it', async () => {
    for (const text of [
      'canary one',
      'canary\none',
      'canary\u00e9',
      'canary\u0000',
      '"canary\tx"',
    ]) {
      const { header, path } = await at(text);
      const error = await failureOf(header());
      expect(error.code).to.equal('CONFIG_INVALID');
      expect(error.message).to.contain(`${path}: it is not a token`);
      expect(error.message).not.to.contain('canary');
    }
  });

  it('names its source, which can be given', async () => {
    const { credentials, path } = await at('one');
    expect(credentials.source).to.equal(`the token in ${path}`);
    expect((await credentials.current()).source).to.equal(`the token in ${path}`);
    const named = await at('one', { source: 'the token of user dev' });
    expect(named.credentials.source).to.equal('the token of user dev');
    expect((await named.credentials.current()).source).to.equal('the token of user dev');
  });

  it('reads the file at once after a 401, within the second', async () => {
    const { credentials, path } = await at('one');
    const rejected = await credentials.current();
    await writeFile(path, 'two');
    const next = await credentials.refresh?.(rejected);
    expect(next?.authorization).to.equal('Bearer two');
    expect(await credentials.current()).to.equal(next);
  });

  it('has no other token after a 401 if the file has the rejected one', async () => {
    const { credentials } = await at('one');
    const rejected = await credentials.current();
    expect(await credentials.refresh?.(rejected)).to.equal(undefined);
  });

  it('has no other token after a 401 if the file is gone', async () => {
    const { credentials, path } = await at('one');
    const rejected = await credentials.current();
    await rm(path);
    expect(await credentials.refresh?.(rejected)).to.equal(undefined);
  });

  it('gives a token that is newer than the rejected one without a read', async () => {
    const { credentials, path } = await at('one');
    const rejected = await credentials.current();
    await scratch.write('token', 'two');
    await runtime.advance(1_000);
    const second = await credentials.current();
    await rm(path);
    expect(await credentials.refresh?.(rejected)).to.equal(second);
  });

  it('ends a wait by the signal', async () => {
    const { credentials } = await at('one');
    const reason = new Error('stopped');
    const signal = AbortSignal.abort(reason);
    expect(await rejectionOf(Promise.resolve(credentials.current(signal)))).to.equal(reason);
    const rejected = Credential.bearer('one', 'a spec');
    expect(await rejectionOf(credentials.refresh!(rejected, signal))).to.equal(reason);
  });
});
