import { expect } from 'chai';
import { JsonObjectDecoder } from '../../../../lib/client/rest/decode/object-decoder.ts';
import { identityOf } from '../../../../lib/meta/object-view.ts';

describe('JsonObjectDecoder', () => {
  it('takes a bookmark for the end of a streaming list by its annotation "true" alone', () => {
    const decoder = new JsonObjectDecoder();
    const ends = [
      {},
      { 'k8s.io/initial-events-end': 'false' },
      { 'k8s.io/initial-events-end': 'true' },
    ];
    const decoded = ends.map((annotations) => {
      const object = { kind: 'Pod', metadata: { resourceVersion: '9', annotations } };
      const bytes = Buffer.from(JSON.stringify({ type: 'BOOKMARK', object }));
      return decoder.decodeEvent({ bytes });
    });
    expect(decoded).to.deep.equal(
      [false, false, true].map((initialEventsEnd) => ({
        type: 'BOOKMARK',
        resourceVersion: '9',
        initialEventsEnd,
        // Of a collection without objects, nothing else says the kind.
        ...(initialEventsEnd ? { itemKind: 'Pod' } : {}),
      })),
    );
  });

  it('makes no text of an object that is not read', () => {
    const spec = { containers: Array.from({ length: 1000 }, () => ({ image: 'registry/app:v1' })) };
    const metadata = { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '9' };
    const { bytes, characters } = counted({ type: 'ADDED', object: { metadata, spec } });
    const event = new JsonObjectDecoder().decodeEvent({ bytes });
    if (event.type === 'BOOKMARK') throw new Error('it is no bookmark');
    expect(identityOf(event.object)).to.include(metadata);
    expect(characters()).to.equal('web'.length + 'shop'.length + 'u'.length + '9'.length);
    expect(event.object.metadata).to.deep.equal(metadata);
    expect(characters()).to.be.below(200);
    expect(event.object.object).to.deep.equal({ metadata, spec });
    expect(characters()).to.be.above(bytes.length / 2);
  });

  it('decodes what lies between other frames', () => {
    const frame = JSON.stringify({ type: 'DELETED', object: { metadata: { name: 'web' } } });
    const before = '{"type":"ADDED","object":{}}\n';
    const source = { bytes: Buffer.from(`${before}${frame}\n${before}`) };
    const start = before.length;
    const event = new JsonObjectDecoder().decodeEvent(source, start, start + frame.length);
    expect(event).to.have.nested.property('object.source', source);
    expect(event).to.have.nested.property('object.metadata.name', 'web');
  });

  it('parses what is out of the ordinary at once', () => {
    const decode = (text: string): unknown => {
      const event = new JsonObjectDecoder().decodeEvent({ bytes: Buffer.from(text) });
      return event.type === 'BOOKMARK' ? event : [event.type, event.object.object];
    };
    expect(decode('{"\\u0074ype":"ADDED","object":{"kind":"Pod"}}')).to.deep.equal([
      'ADDED',
      { kind: 'Pod' },
    ]);
    const twice = '{"type":"ADDED","object":{"metadata":{"name":"a"},"metadata":{"name":"b"}}}';
    expect(decode(twice)).to.deep.equal(['ADDED', { metadata: { name: 'b' } }]);
  });
});

/** The JSON of a value in bytes that count the characters made of them. */
function counted(value: unknown): { readonly bytes: Buffer; readonly characters: () => number } {
  const bytes = Buffer.from(JSON.stringify(value));
  let characters = 0;
  const toString = bytes.toString.bind(bytes);
  bytes.toString = (...range) => {
    const text = toString(...range);
    characters += text.length;
    return text;
  };
  return { bytes, characters: () => characters };
}
