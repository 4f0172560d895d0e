import { getEventListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { VirtualRuntime } from '../../../../../lib/kernel/time/virtual-runtime.ts';
import { KmsPlugin } from '../../../../../lib/server/storage/encryption/plugin/kms-plugin.ts';
import { until } from '../../../../support/until.ts';
import { failureOf } from '../sample.ts';
import { SampleKmsPlugin } from './sample-kms-plugin.ts';

const { signal } = new AbortController();
const SEED = Buffer.from('0123456789abcdef0123456789abcdef');

describe('KmsPlugin', () => {
  let folder: string;
  let sample: SampleKmsPlugin;
  let plugin: KmsPlugin;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'listwatch-kms-'));
    sample = new SampleKmsPlugin(join(folder, 'kms.sock'));
    plugin = new KmsPlugin({ endpoint: sample.endpoint, timeoutMs: 60_000 });
  });

  afterEach(() => {
    plugin.destroy();
    sample.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('wraps and unwraps a key, with its key id and its annotations', async () => {
    await sample.listen();
    expect(await plugin.status({ signal })).to.deep.equal({ keyId: 'kek-1' });
    const wrapped = await plugin.encrypt(SEED, { signal });
    expect(wrapped.keyId).to.equal('kek-1');
    expect([...(wrapped.annotations ?? [])]).to.deep.equal([
      ['zone.kms.example.com', Buffer.from('eu')],
    ]);
    sample.keyId = 'kek-2';
    expect(Buffer.from(await plugin.decrypt(wrapped, { signal }))).to.deep.equal(SEED);
    const uids = sample.calls.slice(1).map(({ request }) => request['uid']);
    expect(new Set(uids).size).to.equal(2);
    for (const uid of uids) expect(uid).to.match(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
  });

  it('leaves no listener at the signal of a call that has ended', async () => {
    await sample.listen();
    const abort = new AbortController();
    await plugin.status(abort);
    expect(getEventListeners(abort.signal, 'abort')).to.deep.equal([]);
  });

  it('passes on what a plug-in refuses, in the form of gRPC', async () => {
    await sample.listen();
    sample.refusal = 'the vault is sealed';
    const error = await failureOf(() => plugin.encrypt(SEED, { signal }));
    expect(error.message).to.equal(
      'rpc error: code = FailedPrecondition desc = the vault is sealed',
    );
  });

  it('waits for a plug-in that starts later', async () => {
    const answer = plugin.status({ signal });
    await sample.listen();
    expect(await answer).to.deep.equal({ keyId: 'kek-1' });
  });

  it('connects again to a plug-in that was started again', async () => {
    await sample.listen();
    await plugin.status({ signal });
    sample.stop();
    await sample.listen();
    expect(await plugin.status({ signal })).to.deep.equal({ keyId: 'kek-1' });
  });

  it('names the socket when nothing listens there in time', async () => {
    // On a clock that stands still, the first attempt fails, and no time is left for a second one.
    const runtime = new VirtualRuntime();
    using hasty = new KmsPlugin({ endpoint: sample.endpoint, timeoutMs: 100, runtime });
    const { message } = await failureOf(() => hasty.status({ signal }));
    expect(message).to.match(
      /^rpc error: code = DeadlineExceeded desc = latest balancer error: .*kms\.sock/,
    );
  });

  it('ends a call that is not answered in time', async () => {
    await sample.listen();
    sample.hangs = true;
    const runtime = new VirtualRuntime();
    using late = new KmsPlugin({ endpoint: sample.endpoint, timeoutMs: 3000, runtime });
    const failure = failureOf(() => late.status({ signal }));
    await until('the call arrives', () => sample.calls.length === 1);
    await runtime.advance(3000);
    const { message } = await failure;
    expect(message).to.equal('rpc error: code = DeadlineExceeded desc = context deadline exceeded');
  });

  it('ends a call that no caller waits for any more', async () => {
    await sample.listen();
    sample.hangs = true;
    const abort = new AbortController();
    const failure = failureOf(() => plugin.status(abort));
    await until('the call arrives', () => sample.calls.length === 1);
    abort.abort();
    expect((await failure).message).to.contain('code = Cancelled');
  });

  it('refuses a status that is not ok, and another version of the interface', async () => {
    await sample.listen();
    sample.healthz = 'sealed';
    const status = (): Promise<unknown> => plugin.status({ signal });
    expect((await failureOf(status)).message).to.equal('got unexpected healthz status: sealed');
    sample.healthz = 'ok';
    sample.version = 'v3';
    expect((await failureOf(status)).message).to.equal('expected KMSv2 API version v2, got v3');
    sample.version = 'v2beta1';
    await status();
    sample.version = 'v2';
    expect((await failureOf(status)).message).to.equal(
      'KMSv2 API version should not change after the initial status response version v2beta1, got v2',
    );
  });

  it('refuses calls after its end', async () => {
    plugin.destroy();
    const error = await failureOf(() => plugin.status({ signal }));
    expect(error.code).to.equal('CLOSED');
  });

  it('refuses an endpoint that names no socket', () => {
    for (const endpoint of ['tcp://127.0.0.1:1', 'unix://', 'unix:///', 'unix:///%zz', 'x']) {
      expect(() => new KmsPlugin({ endpoint }), endpoint).to.throw('unix:// and the path');
    }
  });

  if (process.platform === 'linux') {
    it('reaches a socket of the abstract namespace', async () => {
      const name = `listwatch-${folder.slice(-6)}`;
      await using abstract = await SampleKmsPlugin.start(`\0${name}`);
      using client = new KmsPlugin({ endpoint: `unix:///@${name}`, timeoutMs: 60_000 });
      expect(await client.status({ signal })).to.deep.equal({ keyId: abstract.keyId });
    });
  }
});
