import { expect } from 'chai';
import { CONFIG_MAPS, HttpApi } from '../http-api.ts';

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
