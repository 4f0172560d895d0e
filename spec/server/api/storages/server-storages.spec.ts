import { expect } from 'chai';
import { connect } from '../../../../lib/client/rest/connect.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { EmbeddedKeyValueStore } from '../../../../lib/server/mvcc/embedded-key-value-store.ts';
import { prefixEnd } from '../../../../lib/server/mvcc/contract/key-value-store.ts';
import { AesGcmProvider } from '../../../../lib/server/storage/encryption/aes-gcm-provider.ts';
import { PrefixTransformers } from '../../../../lib/server/storage/encryption/configuration/prefix-transformers.ts';
import { identityTransformer } from '../../../../lib/server/storage/value/transformer.ts';

describe('the storages of a server', () => {
  it('store each resource as its transformer says, and clients notice nothing', async () => {
    const keyValueStore = new EmbeddedKeyValueStore();
    const encrypting = new PrefixTransformers([
      new AesGcmProvider({ name: 'key1', secret: new Uint8Array(32).fill(7) }),
    ]);
    const server = new ApiServer({
      keyValueStore,
      transformerFor: ({ group, resource }) =>
        group === '' && resource === 'secrets' ? encrypting : identityTransformer,
    });
    await server.listen();
    const client = await connect(server.clientConfig());
    const data = { password: Buffer.from('hunter2').toString('base64') };
    for (const resource of ['secrets', 'configmaps'] as const) {
      const metadata = { name: 'db', namespace: 'default' };
      await client.resource('v1', resource).create({ metadata, data });
    }
    const { items } = await client.resource('v1', 'secrets').list();
    expect(items).to.have.length(1);
    expect(items[0]).to.have.deep.property('data', data);

    const valuesOf = async (prefix: string): Promise<string[]> => {
      const { items } = await keyValueStore.range({ key: prefix, rangeEnd: prefixEnd(prefix) });
      return items.map(({ value }) => Buffer.from(value).toString('latin1'));
    };
    const [secret, ...others] = await valuesOf('/registry/secrets/');
    expect(others).to.deep.equal([]);
    expect(secret)
      .to.match(/^k8s:enc:aesgcm:v1:key1:/)
      .and.not.contain(data.password);
    expect(await valuesOf('/registry/configmaps/default/db')).to.have.length(1);
    expect((await valuesOf('/registry/configmaps/default/db'))[0]).to.contain(data.password);
    await client.close();
    await server.close();
    await keyValueStore.close();
  });
});
