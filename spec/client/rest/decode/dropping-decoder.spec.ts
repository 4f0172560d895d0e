import { expect } from 'chai';
import {
  droppingDecoder,
  droppingAccept,
} from '../../../../lib/client/rest/decode/dropping-decoder.ts';
import { JsonObjectDecoder } from '../../../../lib/client/rest/decode/object-decoder.ts';
import { JsonView } from '../../../../lib/meta/json/json-view.ts';
import type { ObjectView } from '../../../../lib/meta/object-view.ts';
import type { KubernetesObject, UnstructuredObject } from '../../../../lib/meta/object.ts';
import type { WatchEvent } from '../../../../lib/meta/watch-event.ts';

const FIELDS = '"managedFields":[{"manager":"kubectl","fieldsV1":{"f:data":{"f:ü":{}}}}]';

/** Documents with managed fields in each place where they can be, and in forms that are decoded at once. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  last: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","uid":"u","resourceVersion":"7",${FIELDS}},"data":{"long":"value of ü"}}`,
  first: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{${FIELDS},"name":"a","resourceVersion":"7"},"data":{"long":"value"}}`,
  between: `{"data":{"long":"value"},"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a",${FIELDS} , "resourceVersion":"7"}}`,
  alone: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{ ${FIELDS} },"data":{"long":"value"}}`,
  'with spaces': `{ "apiVersion" : "v1" , "kind" : "ConfigMap" , "metadata" : { "name" : "a" , ${FIELDS} } }`,
  'of an escaped name': `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","managed\\u0046ields":[1],"resourceVersion":"7"}}`,
  twice: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a",${FIELDS},${FIELDS}}}`,
  'that are null': `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","managedFields":null}}`,
  'that are not there': `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{"managedFields":"x"}}}`,
  'outside of metadata': `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"managedFields":1,"spec":{"managedFields":2}}`,
};

function expected(document: string): UnstructuredObject {
  const object = JSON.parse(document) as UnstructuredObject & { metadata: Record<string, unknown> };
  delete object.metadata['managedFields'];
  return object;
}

function expectSame(view: ObjectView, document: string): void {
  const whole = expected(document);
  expect(view.metadata).to.deep.equal(whole.metadata);
  if (view instanceof JsonView) {
    const { metadata } = whole;
    const { name, uid, resourceVersion } = view;
    expect({ name, uid, resourceVersion }).to.deep.equal({
      name: metadata?.name,
      uid: metadata?.uid,
      resourceVersion: metadata?.resourceVersion,
    });
    expect(JSON.parse(view.json.toString())).to.deep.equal(whole);
    expect(view.json.length).to.equal(view.sizeBytes);
  }
  expect(view.object).to.deep.equal(whole);
  expect(JSON.stringify(view.object)).not.to.include('manager"');
}

function viewOf(event: WatchEvent<ObjectView>): JsonView<KubernetesObject> {
  if (event.type === 'BOOKMARK' || !(event.object instanceof JsonView)) {
    throw new Error('not an event of a view');
  }
  return event.object;
}

describe('droppingDecoder', () => {
  const decoder = droppingDecoder(new JsonObjectDecoder());

  for (const [name, document] of Object.entries(DOCUMENTS)) {
    it(`gives an object as it is without managed fields: ${name}`, () => {
      const frame = Buffer.from(` {"type":"MODIFIED","object":${document}}`);
      const event = decoder.decodeEvent({ bytes: frame });
      if (event.type === 'BOOKMARK') throw new Error('not an event of an object');
      expect(event.type).to.equal('MODIFIED');
      expectSame(event.object, document);
    });
  }

  it('keeps the place of the longest member', () => {
    const frame = Buffer.from(`{"type":"ADDED","object":${DOCUMENTS['last']}}`);
    const event = decoder.decodeEvent({ bytes: frame });
    const { longestMember } = viewOf(event);
    const { bytes, start, end } = longestMember ?? { bytes: Buffer.alloc(0), start: 0, end: 0 };
    expect(bytes.toString('utf8', start, end)).to.include('{"long":"value of ü"}');
  });

  it('leaves an object without managed fields in the bytes in which it came', () => {
    const frame = Buffer.from(`{"type":"ADDED","object":${DOCUMENTS['that are not there']}}`);
    const source = { bytes: frame };
    const event = decoder.decodeEvent(source);
    expect(viewOf(event).source).to.equal(source);
  });

  it('passes bookmarks on', () => {
    const bytes = Buffer.from(
      '{"type":"BOOKMARK","object":{"kind":"ConfigMap","metadata":{"resourceVersion":"9"}}}',
    );
    expect(decoder.decodeEvent({ bytes })).to.deep.equal({
      type: 'BOOKMARK',
      resourceVersion: '9',
      initialEventsEnd: false,
    });
  });

  it('gives the items of a list their type, taken early or at the end', () => {
    const items = Object.values(DOCUMENTS);
    const body = Buffer.from(
      `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[${items.join(',')},{"metadata":{"name":"untyped",${FIELDS}}}]}`,
    );
    for (const at of [200, 900, body.length]) {
      const list = decoder.beginList();
      list.push(body.subarray(0, at));
      const views = list.takeItems();
      list.push(body.subarray(at));
      const page = list.end();
      views.push(...page.items);
      expect(page.resourceVersion).to.equal('9');
      expect(views.length).to.equal(items.length + 1);
      for (const [index, document] of items.entries()) {
        expectSame(views[index] as ObjectView, document);
      }
      expect(views.at(-1)?.object).to.deep.equal({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'untyped' },
      });
    }
  });

  it('asks for the same form without managed fields first', () => {
    expect(droppingAccept()).to.equal(
      'application/json;drop=metadata.managedFields,application/json',
    );
    expect(droppingAccept('application/json;as=A;v=v1,application/json')).to.equal(
      'application/json;as=A;v=v1;drop=metadata.managedFields,application/json;as=A;v=v1,application/json',
    );
  });
});
