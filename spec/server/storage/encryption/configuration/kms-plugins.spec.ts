import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { VirtualRuntime } from '../../../../../lib/kernel/time/virtual-runtime.ts';
import { ApiServer } from '../../../../../lib/cluster/server/api-server.ts';
import { EmbeddedKeyValueStore } from '../../../../../lib/server/mvcc/embedded-key-value-store.ts';
import { EncryptionConfiguration } from '../../../../../lib/server/storage/encryption/configuration/encryption-configuration.ts';
import { KmsPlugin } from '../../../../../lib/server/storage/encryption/plugin/kms-plugin.ts';
import { SampleKmsPlugin } from '../plugin/sample-kms-plugin.ts';
import { context, failureOf, plaintext } from '../sample.ts';

const SECRETS = { group: '', resource: 'secrets' };
const HEAD = 'k8s:enc:kms:v2:vault:';

describe('EncryptionConfiguration with KMS plug-ins', () => {
  let folder: string;
  let sample: SampleKmsPlugin;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'listwatch-kms-'));
    sample = await SampleKmsPlugin.start(join(folder, 'kms.sock'));
  });

  afterEach(() => {
    sample.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  function textOf(...entries: readonly (readonly [name: string, endpoint: string])[]): string {
    const providers = entries.map(([name, endpoint]) => ({
      kms: { apiVersion: 'v2', name, endpoint, timeout: '60s' },
    }));
    const resources = [{ resources: ['secrets'], providers: [...providers, { identity: {} }] }];
    const apiVersion = 'apiserver.config.k8s.io/v1';
    return JSON.stringify({ apiVersion, kind: 'EncryptionConfiguration', resources });
  }

  const vault = (): string => textOf(['vault', sample.endpoint]);

  it('calls the plug-in at the endpoint of an entry', async () => {
    using config = EncryptionConfiguration.parse(vault(), 'enc.json');
    const transformer = config.transformerFor(SECRETS);
    const value = Buffer.from(await transformer.toStorage(plaintext, context));
    expect(value.subarray(0, HEAD.length).toString()).to.equal(HEAD);
    expect(value.includes('hunter2')).to.equal(false);
    using other = EncryptionConfiguration.parse(vault(), 'enc.json');
    const { data, stale } = await other.transformerFor(SECRETS).fromStorage(value, context);
    expect(Buffer.from(data)).to.deep.equal(plaintext);
    expect(stale).to.equal(false);
    expect(sample.countOf('Decrypt')).to.equal(1);
  });

  it('finds values stale after the plug-in took another key', async () => {
    using config = EncryptionConfiguration.parse(vault(), 'enc.json');
    const transformer = config.transformerFor(SECRETS);
    const value = await transformer.toStorage(plaintext, context);
    sample.keyId = 'kek-2';
    await config.refreshKeys();
    expect((await transformer.fromStorage(value, context)).stale).to.equal(true);
    const next = await transformer.toStorage(plaintext, context);
    expect((await transformer.fromStorage(next, context)).stale).to.equal(false);
    expect(sample.countOf('Encrypt')).to.equal(2);
  });

  it('still calls the plug-ins of the last file, and none of the file before it', async () => {
    const file = join(folder, 'enc.json');
    writeFileSync(file, vault());
    using config = await EncryptionConfiguration.load(file);
    const [first] = config.healthChecks();
    await using second = await SampleKmsPlugin.start(join(folder, 'second.sock'));
    const transformer = config.transformerFor(SECRETS);
    const value = await transformer.toStorage(plaintext, context);
    writeFileSync(file, textOf(['next', second.endpoint], ['vault', sample.endpoint]));
    expect(await config.reload()).to.equal(true);
    expect((await transformer.fromStorage(value, context)).stale).to.equal(true);
    expect(await config.reload()).to.equal(false);
    await first?.check();
    expect(second.countOf('Status')).to.equal(1);
  });

  it('closes the plug-ins of a file that was read again and has not changed', async () => {
    const file = join(folder, 'enc.json');
    writeFileSync(file, vault());
    using config = await EncryptionConfiguration.load(file);
    const close = KmsPlugin.prototype[Symbol.dispose];
    let closed = 0;
    KmsPlugin.prototype[Symbol.dispose] = function count(this: KmsPlugin): void {
      closed += 1;
      close.call(this);
    };
    try {
      expect(await config.reload()).to.equal(false);
    } finally {
      KmsPlugin.prototype[Symbol.dispose] = close;
    }
    expect(closed).to.equal(1);
    await config.transformerFor(SECRETS).toStorage(plaintext, context);
  });

  it('checks each plug-in, at most once a minute, and after a failure every ten seconds', async () => {
    const runtime = new VirtualRuntime();
    await using other = await SampleKmsPlugin.start(join(folder, 'other.sock'));
    other.healthz = 'sealed';
    const text = textOf(['vault', sample.endpoint], ['other', other.endpoint]);
    using config = EncryptionConfiguration.parse(text, 'enc.json', { runtime });
    const [check] = config.healthChecks();
    if (check === undefined) throw new Error('there is no check');
    expect(check.name).to.equal('kms-providers');
    const { message } = await failureOf(() => check.check());
    expect(message).to.equal(
      'kms-provider-1: kmsv2 Provider other is not healthy, error: the key service "other" did not return its status: got unexpected healthz status: sealed',
    );
    other.healthz = 'ok';
    expect((await failureOf(() => check.check())).message).to.equal(message);
    await runtime.advance(10_000);
    await check.check();
    expect([sample.countOf('Status'), other.countOf('Status')]).to.deep.equal([1, 2]);
    await runtime.advance(60_000);
    await check.check();
    expect([sample.countOf('Status'), other.countOf('Status')]).to.deep.equal([2, 3]);
  });

  it('has no check without plug-ins', () => {
    const text = vault().replace(/\{"kms":.*?\}\},/, '');
    expect(EncryptionConfiguration.parse(text, 'enc.json').healthChecks()).to.deep.equal([]);
  });

  it('makes a server whose plug-in is gone alive, but not ready', async () => {
    await using keyValueStore = new EmbeddedKeyValueStore();
    sample.healthz = 'sealed';
    using config = EncryptionConfiguration.parse(vault(), 'enc.json');
    await using server = new ApiServer({
      keyValueStore,
      transformerFor: (resource) => config.transformerFor(resource),
      healthChecks: config.healthChecks(),
    });
    await server.listen();
    const answerOf = async (path: string): Promise<[number, string]> => {
      const headers = { authorization: `Bearer ${server.token}` };
      const answer = await fetch(server.url + path, { headers });
      return [answer.status, await answer.text()];
    };
    const [status, text] = await answerOf('/readyz/kms-providers');
    expect(status).to.equal(500);
    expect(text).to.match(
      /^internal server error: kms-provider-0: .*got unexpected healthz status: sealed\n$/,
    );
    expect((await answerOf('/livez/kms-providers'))[0]).to.equal(404);
    const [, verbose] = await answerOf('/healthz?verbose');
    expect(verbose).to.contain('[+]etcd ok\n[-]kms-providers failed: reason withheld\n');
    const [refused, problem] = await answerOf('/api/v1/namespaces/default/secrets/db');
    expect(refused, problem).to.equal(404);
    await server.close();
  });
});
