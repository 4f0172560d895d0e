import { expect } from 'chai';
import { INCOMPLETE, INVALID } from '../../../lib/meta/json/json-scanner.ts';
import { ObjectScanner } from '../../../lib/meta/json/object-scanner.ts';

import type { KnownValue, KnownValueOf } from '../../../lib/meta/json/known-values.ts';

const scanner = new ObjectScanner();

const METADATA =
  '{"name":"web","namespace":"shop","uid":"u-1","resourceVersion":"42","labels":{"app":"web"}}';

function scanObject(text: string): number {
  const bytes = Buffer.from(text);
  return scanner.scanObject(bytes, 0, bytes.length);
}

function scanEvent(text: string): boolean {
  const bytes = Buffer.from(text);
  return scanner.scanEvent(bytes, 0, bytes.length);
}

function metadataWithoutManagedFields(text: string): unknown {
  scanObject(text);
  const { metadataStart, metadataEnd, managedFieldsStart, managedFieldsEnd } = scanner;
  const bytes = Buffer.from(text);
  const cut = managedFieldsStart < 0 ? metadataEnd : managedFieldsStart;
  const rest = managedFieldsStart < 0 ? metadataEnd : managedFieldsEnd;
  const pieces = [bytes.subarray(metadataStart, cut), bytes.subarray(rest, metadataEnd)];
  return JSON.parse(Buffer.concat(pieces).toString());
}

describe('ObjectScanner', () => {
  it('finds the identity of an object and the place of its metadata', () => {
    const text = `{"kind":"Pod","apiVersion":"v1","metadata":${METADATA},"spec":{"metadata":{"name":"no"}}}`;
    expect(scanObject(`${text},`)).to.equal(text.length);
    expect(scanner).to.include({
      plain: true,
      name: 'web',
      namespace: 'shop',
      uid: 'u-1',
      resourceVersion: '42',
      hasKind: true,
      hasApiVersion: true,
      managedFieldsStart: -1,
    });
    expect(text.slice(scanner.metadataStart, scanner.metadataEnd)).to.equal(METADATA);
  });

  it('finds it wherever it stands', () => {
    for (const text of [
      `{"metadata":${METADATA}}`,
      `{"spec":{"a":[{"metadata":1}]},"metadata":${METADATA},"kind":"Pod"}`,
      ` { "a" : "\\"metadata\\":{}" , "metadata" : ${METADATA} } `.trim(),
    ]) {
      expect(scanObject(text), text).to.equal(text.length);
      expect(scanner).to.include({ plain: true, name: 'web', resourceVersion: '42' });
    }
  });

  it('knows nothing of an object without metadata, and of the one before', () => {
    scanObject(`{"kind":"Pod","metadata":${METADATA}}`);
    expect(scanObject('{"a":1}')).to.equal(7);
    expect(scanner).to.include({ plain: true, metadataStart: -1, hasKind: false });
    expect([scanner.name, scanner.namespace, scanner.uid, scanner.resourceVersion]).to.deep.equal(
      Array.from({ length: 4 }),
    );
  });

  it('does not take for plain what only a parser can be sure of', () => {
    for (const text of [
      `{"metadata":${METADATA},"metadata":{}}`,
      `{"\\u006detadata":${METADATA}}`,
      `{"metadata":${METADATA},"\\u006detadata":null}`,
      `{"metadata":{"name":"a","name":"b"}}`,
      `{"metadata":{"name":"a\\u0062"}}`,
      `{"metadata":{"name":"ä"}}`,
      `{"metadata":{"name":1}}`,
      `{"metadata":{"uid":null}}`,
      `{"metadata":{"\\u006eame":"a"}}`,
      `{"metadata":{"managedFields":[],"managedFields":[]}}`,
      `{"metadata":null}`,
      `{"metadata":[]}`,
      `{"metadata":"a"}`,
      `{"kind":1}`,
      `{"kind":"a","kind":"b"}`,
      `{"apiVersion":null}`,
      `{"apiVersion":"v1","apiVersion":"v2"}`,
    ]) {
      expect(scanObject(text), text).to.equal(Buffer.byteLength(text));
      expect(scanner.plain, text).to.equal(false);
    }
  });

  it('leaves out managedFields and one comma, wherever they stand', () => {
    for (const inner of [
      '"managedFields":[{"a":1},{}]',
      '"managedFields":[{"a":","}],"name":"a"',
      '"name":"a","managedFields":[{"a":1}]',
      '"name":"a" , "managedFields" : [] , "uid":"b"',
      ' "managedFields":[1] , "name":"a"',
      '"labels":{"managedFields":"x,y"},"managedFields":null',
    ]) {
      const expected = JSON.parse(`{${inner}}`) as { managedFields?: unknown };
      delete expected.managedFields;
      expect(metadataWithoutManagedFields(`{"metadata":{${inner}}}`), inner).to.deep.equal(
        expected,
      );
    }
  });

  it('finds the object of an event and its type, in any order', () => {
    const object = `{"metadata":${METADATA}}`;
    for (const type of ['ADDED', 'MODIFIED', 'DELETED'] as const) {
      for (const text of [
        `{"type":"${type}","object":${object}}`,
        `{"object":${object},"type":"${type}"}`,
        ` {"x":[1,{}], "type" : "${type}" , "object": ${object} }\r`,
      ]) {
        expect(scanEvent(text), text).to.equal(true);
        expect(scanner.eventType).to.equal(type);
        expect(text.slice(scanner.objectStart, scanner.objectEnd)).to.equal(object);
      }
    }
  });

  it('leaves every other event to a parser', () => {
    const object = `{"metadata":${METADATA}}`;
    for (const text of [
      '',
      '[]',
      'null',
      '{}',
      `{"type":"ADDED"}`,
      `{"object":${object}}`,
      `{"type":"BOOKMARK","object":${object}}`,
      `{"type":"ERROR","object":${object}}`,
      `{"type":"ADDEDX","object":${object}}`,
      `{"type":"ADDE","object":${object}}`,
      `{"type":"\\u0041DDED","object":${object}}`,
      `{"type":1,"object":${object}}`,
      `{"type":"ADDED","object":null}`,
      `{"type":"ADDED","object":[]}`,
      `{"type":"ADDED","type":"ADDED","object":${object}}`,
      `{"type":"ADDED","object":${object},"object":${object}}`,
      `{"\\u0074ype":"DELETED","type":"ADDED","object":${object}}`,
      `{"type":"ADDED","object":${object}}x`,
      `{"type":"ADDED","object":${object}`,
      `{"type":"ADDED","object":${object},}`,
      `{"type":"ADDED","object":{"metadata":{"name":"ä"}}}`,
      `{type":"ADDED","object":${object}}`,
      `{"type":"ADDED", object":${object}}`,
      `{"type":"ADDED","object":{ metadata":${METADATA}}}`,
    ]) {
      expect(scanEvent(text), text).to.equal(false);
    }
  });

  it('says whether an object is cut short or wrong', () => {
    const text = `{"kind":"Pod","apiVersion":"v1","metadata":${METADATA},"spec":{"a":"b"}}`;
    for (let length = 0; length < text.length; length += 1) {
      expect(scanObject(text.slice(0, length)), `${length}`).to.equal(INCOMPLETE);
    }
    for (const wrong of [
      '[]',
      '{1}',
      '{"metadata":{"a" 1}}',
      '{"metadata":{,}}',
      '{"a":}',
      '{"a":1,}',
    ]) {
      expect(scanObject(wrong), wrong).to.equal(INVALID);
    }
  });

  describe('with something known of the object', () => {
    const SPEC = '{"containers":[{"name":"a, \\"b\\" }"}],"replicas":3}';
    const known = Buffer.from(`....${SPEC}....`);
    const value: KnownValue = { bytes: known, start: 4, end: 4 + SPEC.length };
    const eventOf = (spec: string, rest: string = ''): string =>
      `{"type":"MODIFIED","object":{"metadata":${METADATA},"spec":${spec}${rest}}}`;
    const asked: string[] = [];
    const scan = (text: string, knownValueOf: KnownValueOf = () => value): boolean => {
      const bytes = Buffer.from(text);
      return scanner.scanEvent(bytes, 0, bytes.length, (name, namespace) => {
        asked.push(`${namespace}/${name}`);
        return knownValueOf(name, namespace);
      });
    };

    beforeEach(() => {
      asked.length = 0;
    });

    it('takes what is the same for what it is, and asks once, by name', () => {
      const text = eventOf(SPEC, ',"status":{"phase":"Running"}');
      expect(scan(text)).to.equal(true);
      expect(asked).to.deep.equal(['shop/web']);
      expect(text.slice(scanner.objectStart, scanner.objectEnd)).to.equal(text.slice(28, -1));
      expect(text.slice(scanner.longestStart, scanner.longestEnd)).to.equal(SPEC);
    });

    it('does not look through what is the same', () => {
      // Not JSON at all: no reader would know this to be valid.
      const odd = Buffer.from('{:::}');
      expect(scan(eventOf('{:::}'), () => ({ bytes: odd, start: 0, end: 5 }))).to.equal(true);
    });

    it('looks through what is another value, if only a little', () => {
      for (const spec of [
        SPEC.replace('3', '4'),
        SPEC.replace('a,', 'a.'),
        SPEC.slice(0, -1) + ',"x":{}}',
        '[]',
        '{}',
        '7',
      ]) {
        expect(scan(eventOf(spec)), spec).to.equal(true);
        expect(scan(eventOf(`${spec}}`)), spec).to.equal(false);
      }
      for (const wrong of ['03', 'x', '-', '"'])
        expect(scan(eventOf(SPEC.replace('3', wrong))), wrong).to.equal(false);
    });

    it('sees what is wrong behind what is the same', () => {
      for (const rest of ['}', ']', ',', ',"a"', ',"metadata":{}', 'x', ',"a":tru'])
        expect(scan(eventOf(SPEC, rest)), rest).to.equal(false);
      expect(scan(eventOf(SPEC).slice(0, -2))).to.equal(false);
      expect(scan(eventOf(SPEC).slice(0, -3))).to.equal(false);
    });

    it('asks nothing of an object without a name, or whose name comes late', () => {
      expect(scan(`{"type":"ADDED","object":{"spec":${SPEC},"metadata":${METADATA}}}`)).to.equal(
        true,
      );
      expect(scan(`{"type":"ADDED","object":{"metadata":{},"spec":${SPEC}}}`)).to.equal(true);
      expect(asked).to.deep.equal([]);
    });

    it('forgets it with the next scan', () => {
      expect(scan(eventOf(SPEC))).to.equal(true);
      expect(scanEvent(eventOf('{:::}'))).to.equal(false);
      expect(asked).to.have.length(1);
    });
  });
});
