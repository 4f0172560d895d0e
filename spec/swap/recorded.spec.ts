import { expect } from 'chai';
import { EmbeddedKeyValueStore } from '../../lib/server/mvcc/embedded-key-value-store.ts';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import { connect } from '../../lib/client/rest/connect.ts';
import { canonical, isRecord } from '../compare/normalise.ts';
import { CUSTOM_RESOURCE } from './fill.ts';
import { recordedObjects, type Recorded } from './recorded.ts';

/** The revision of a store is the resource version of an object, and these objects are stored anew here. */
function withoutVersion(object: unknown): unknown {
  const metadata = isRecord(object) && isRecord(object['metadata']) ? object['metadata'] : {};
  return { ...(object as object), metadata: { ...metadata, resourceVersion: '' } };
}

describe('What a kube-apiserver has stored', () => {
  let recorded: Recorded;
  let store: EmbeddedKeyValueStore;

  before(async () => {
    recorded = await recordedObjects();
    store = new EmbeddedKeyValueStore();
    for (const { key, value } of recorded.objects) {
      await store.txn({
        compare: [],
        success: [{ type: 'put', key, value: Buffer.from(value, 'base64') }],
        failure: [],
      });
    }
  });
  after(() => store.close());

  it('is of 50 kinds', () => {
    const kinds = new Set(recorded.objects.map(({ object }) => object.kind));
    expect(kinds.size).to.be.at.least(45);
  });

  it('is shown as that server shows it, and is left as it is', async () => {
    await using server = new ApiServer({ keyValueStore: store });
    await server.listen();
    const { server: url, token } = server.clientConfig();
    await using client = await connect({ server: url, token });
    const headers = { authorization: `Bearer ${token}` };
    const definitions = client.resource('apiextensions.k8s.io/v1', 'customresourcedefinitions');
    await definitions.get(CUSTOM_RESOURCE);
    await client.discovery.named(CUSTOM_RESOURCE);
    for (const { path, object, key, value } of recorded.objects) {
      const answer = await fetch(`${url}${path}`, { headers });
      expect(answer.status, path).to.equal(200);
      const shown = canonical(withoutVersion(await answer.json()));
      expect(shown, path).to.equal(canonical(withoutVersion(object)));
      const { items: found } = await store.range({ key });
      expect(Buffer.from(found[0]?.value ?? []).toString('base64'), key).to.equal(value);
    }
  });
});
