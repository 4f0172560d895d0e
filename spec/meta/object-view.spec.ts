import { expect } from 'chai';
import { JsonObjectDecoder } from '../../lib/client/rest/decode/object-decoder.ts';
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
    const list = decoder.beginList();
    list.push(Buffer.from(`{"kind":"PodList","items":[${object}, ${object} ]}`));
    const sizes = list.end().items.map(({ sizeBytes }) => sizeBytes);
    expect(sizes).to.deep.equal(Array(2).fill(Buffer.byteLength(object)));
    expect(new DecodedView({}).sizeBytes).to.equal(undefined);
  });
});
