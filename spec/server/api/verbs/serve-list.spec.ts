import { expect } from 'chai';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { ItemsRead } from '../../cacher/items-read.ts';
import { CONFIG_MAPS, HttpApi } from '../http-api.ts';
import { apiRequest } from '../support.ts';

interface Refusal {
  readonly message: string;
  readonly reason: string;
  readonly metadata: { readonly continue?: string };
}

describe('a list of what is compacted away', () => {
  it('is refused with 410 in the words of kube-apiserver', async () => {
    await using api = await HttpApi.start();
    const old = await api.create('a');
    await api.create('b');
    await api.server.compact();
    const url = `${CONFIG_MAPS}?resourceVersion=${old}&resourceVersionMatch=Exact`;
    const { status, text } = await api.call(url);
    const { message, reason } = JSON.parse(text) as Refusal;
    expect([status, reason]).to.deep.equal([410, 'Expired']);
    expect(message).to.equal('The resourceVersion for the provided list is too old.');
  });

  it('has a token to go on with, where a page of it was asked for', async () => {
    await using api = await HttpApi.start();
    for (const name of ['a', 'b', 'c']) await api.create(name);
    const { metadata } = await api.list('limit=2');
    await api.create('d');
    await api.server.compact();
    const { status, text } = await api.call(`${CONFIG_MAPS}?limit=2&continue=${metadata.continue}`);
    const refusal = JSON.parse(text) as Refusal;
    expect([status, refusal.reason]).to.deep.equal([410, 'Expired']);
    expect(refusal.message).to.match(
      /^The provided continue parameter is too old .* use the continue token/,
    );
    const rest = await api.list(`continue=${refusal.metadata.continue}`);
    expect(rest.items.map((item) => item.metadata?.name)).to.deep.equal(['c', 'd']);
  });
});

describe('a list of a whole collection', () => {
  it('is read from the state of the cache while it is sent', async () => {
    using read = new ItemsRead();
    const runtime = new VirtualRuntime();
    await runtime.run(async () => {
      await using server = new ApiServer({ runtime });
      for (let index = 0; index < 300; index += 1) await createLarge(server, `a-${index}`);
      read.count = 0;
      const { body } = await server.handler(apiRequest('GET', CONFIG_MAPS));
      const counts: number[] = [];
      for await (const _chunk of body as AsyncIterable<Uint8Array>) counts.push(read.count);
      expect(counts[0]).to.be.below(100);
      expect(counts.at(-1)).to.equal(301);
    });
  });
});

async function createLarge(server: ApiServer, name: string): Promise<void> {
  const object = { kind: 'ConfigMap', metadata: { name }, data: { key: 'x'.repeat(10_000) } };
  const body = Buffer.from(JSON.stringify({ apiVersion: 'v1', ...object }));
  const headers = { 'content-type': 'application/json' };
  const { status } = await server.handler(apiRequest('POST', CONFIG_MAPS, { body, headers }));
  expect(status).to.equal(201);
}
