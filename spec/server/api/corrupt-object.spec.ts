import { expect } from 'chai';
import { connect } from '../../../lib/client/rest/connect.ts';
import type { Client } from '../../../lib/client/rest/client.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';
import { until } from '../../support/until.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const UNSAFE = 'ignoreStoreReadErrorWithClusterBreakingPotential=true';
const KEY = '/registry/configmaps/default/bad';

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A server on a port, with the config maps `good` and `bad`, whose value is then overwritten by no object. */
class Opened implements AsyncDisposable {
  readonly store: EmbeddedKeyValueStore = new EmbeddedKeyValueStore();
  readonly server: ApiServer;
  client!: Client;

  constructor(unsafeObjectDeletion: boolean | undefined) {
    this.server = new ApiServer({ keyValueStore: this.store, unsafeObjectDeletion });
  }

  static async start(unsafeObjectDeletion?: boolean): Promise<Opened> {
    const opened = new Opened(unsafeObjectDeletion);
    await opened.server.listen();
    opened.client = await connect(opened.server.clientConfig());
    for (const name of ['good', 'bad']) {
      const maps = opened.client.resource('v1', 'configmaps', { namespace: 'default' });
      await maps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
    }
    await opened.put(Buffer.from('{"half":'));
    return opened;
  }

  async put(value: Uint8Array): Promise<void> {
    await this.store.txn({ compare: [], success: [{ type: 'put', key: KEY, value }] });
  }

  async ask(method: string, path: string): Promise<Answer> {
    const headers = { authorization: `Bearer ${this.server.token}` };
    const answer = await fetch(this.server.url + path, { method, headers });
    return { status: answer.status, text: await answer.text() };
  }

  async names(): Promise<readonly string[]> {
    const { status, text } = await this.ask('GET', MAPS);
    if (status !== 200) return [String(status)];
    const { items } = JSON.parse(text) as { items: { metadata: { name: string } }[] };
    return items.map(({ metadata }) => metadata.name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
    await this.server.close();
    await this.store.close();
  }
}

describe('an object that cannot be read, on a server', () => {
  it('leaves the others to be read, created, changed and deleted', async () => {
    await using opened = await Opened.start();
    const maps = opened.client.resource('v1', 'configmaps', { namespace: 'default' });
    for (const query of ['', '?resourceVersion=0']) {
      expect((await opened.ask('GET', `${MAPS}/good${query}`)).status, query).to.equal(200);
    }
    await maps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'new' } });
    await maps.patch('good', { data: { a: 'b' } });
    await maps.delete('new');
    const { status, text } = await opened.ask('GET', `${MAPS}/bad`);
    expect(status).to.equal(500);
    expect(text).to.contain(KEY);
    expect((await opened.ask('DELETE', `${MAPS}/bad`)).status).to.equal(500);
  });

  it('is served again, with a watch, soon after it was repaired', async () => {
    await using opened = await Opened.start();
    await until('the list fails', async () => (await opened.names())[0] !== 'bad');
    await opened.put(
      Buffer.from('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"bad"}}'),
    );
    await until('the list is complete', async () => (await opened.names()).length === 2);
    const seen: string[] = [];
    const maps = opened.client.resource('v1', 'configmaps', { namespace: 'default' });
    for await (const event of maps.watch({ signal: AbortSignal.timeout(60_000) })) {
      if (event.type === 'ADDED') seen.push(event.object.metadata.name);
      if (seen.length === 2) break;
    }
    expect(seen.toSorted()).to.deep.equal(['bad', 'good']);
  });

  it('is not deleted with any option where the feature is off', async () => {
    await using opened = await Opened.start(false);
    const { status, text } = await opened.ask('DELETE', `${MAPS}/bad?${UNSAFE}`);
    expect(status, text).to.equal(500);
    expect((await opened.ask('DELETE', `${MAPS}/good?${UNSAFE}`)).status).to.equal(200);
    expect((await opened.ask('GET', `${MAPS}/good`)).status).to.equal(404);
  });

  it('can be deleted where the feature is on, and the list is served again', async () => {
    await using opened = await Opened.start(true);
    const refused = await opened.ask('DELETE', `${MAPS}/good?${UNSAFE}`);
    expect(refused.status).to.equal(422);
    expect(JSON.parse(refused.text)).to.deep.include({
      message:
        'configmaps "good" is invalid: ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: is exclusively used to delete corrupt object(s), try again by removing this option',
    });
    const all = await opened.ask('DELETE', `${MAPS}?${UNSAFE}`);
    expect(all.text).to.contain('is not allowed with DELETECOLLECTION');
    const { status, text } = await opened.ask('DELETE', `${MAPS}/bad?${UNSAFE}`);
    expect([status, JSON.parse(text)]).to.deep.equal([
      200,
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        details: { name: 'bad', kind: 'ConfigMap' },
        code: 200,
      },
    ]);
    await until('the list is complete', async () => (await opened.names()).join() === 'good');
    expect((await opened.ask('DELETE', `${MAPS}/bad?${UNSAFE}`)).status).to.equal(404);
  });
});
