import { expect } from 'chai';
import { JsonObjectDecoder } from '../../lib/client/rest/object-decoder.ts';
import type { KubernetesObject } from '../../lib/meta/object.ts';
import { DecodedView } from '../../lib/meta/object-view.ts';

const decoder = new JsonObjectDecoder<KubernetesObject>();

describe('ObjectView', () => {
  it('has metadata for an object without any', () => {
    expect(new DecodedView({}).metadata).to.deep.equal({});
    expect(new DecodedView(null as never).metadata).to.deep.equal({});
    expect(new DecodedView({ metadata: { name: 'a' } }).metadata).to.deep.equal({ name: 'a' });
  });

  it('knows the size on the wire: its own bytes, of a frame or of a page', () => {
    const object = '{"metadata":{"name":"a"},"spec":"ä"}';
    const bytes = Buffer.from(`{"type":"ADDED","object":${object}}`);
    const event = decoder.decodeEvent({ bytes });
    expect(event.type === 'ADDED' && event.object.sizeBytes).to.equal(Buffer.byteLength(object));
    const names = ['a', 'b', 'c'].map((name) => ({ metadata: { name } }));
    const body = Buffer.from(JSON.stringify({ kind: 'PodList', items: names }));
    const sizes = decoder.decodeList(body).items.map(({ sizeBytes = 0 }) => sizeBytes);
    expect(sizes).to.deep.equal(Array(3).fill(Math.round(body.length / 3)));
    expect(decoder.decodeList(Buffer.from('{"items":[]}')).items).to.deep.equal([]);
    expect(new DecodedView({}).sizeBytes).to.equal(undefined);
  });
});
