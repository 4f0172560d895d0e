import { expect } from 'chai';
import {
  resourceVersionPlace,
  spliceResourceVersion,
} from '../../../../lib/server/storage/value/document-fields.ts';

function splice(text: string): string | undefined {
  const document = Buffer.from(text);
  const place = resourceVersionPlace(document);
  if (place === undefined) return undefined;
  return Buffer.from(spliceResourceVersion(document, place, '7')).toString();
}

describe('spliceResourceVersion', () => {
  it('puts the resource version at the head of metadata', () => {
    expect(splice('{"kind":"Pod","metadata":{"name":"x"},"spec":{}}')).to.equal(
      '{"kind":"Pod","metadata":{"resourceVersion":"7","name":"x"},"spec":{}}',
    );
    expect(splice('{"metadata":{}}')).to.equal('{"metadata":{"resourceVersion":"7"}}');
    expect(splice(' { "metadata" : { } } ')).to.equal(
      ' { "metadata" : {"resourceVersion":"7" } } ',
    );
  });

  it('finds the right metadata after any other fields', () => {
    const before = [
      '"spec":{"metadata":{"name":"inner"}}',
      '"text":"\\"metadata\\":{"',
      '"text":"ends in a backslash \\\\"',
      '"list":[{"metadata":{}},"]","}"]',
      '"number":-1.5e3',
      '"nothing":null',
      '"metadata2":{}',
      '"emoji":"🦔"',
    ];
    for (const field of before) {
      expect(splice(`{${field},"metadata":{"name":"x"}}`)).to.equal(
        `{${field},"metadata":{"resourceVersion":"7","name":"x"}}`,
      );
    }
  });

  it('gives up when metadata has the field already, and only then', () => {
    expect(splice('{"metadata":{"name":"x","resourceVersion":"3"}}')).to.equal(undefined);
    const elsewhere = [
      '{"metadata":{"name":"x"},"involvedObject":{"resourceVersion":"3"}}',
      '{"metadata":{"ownerReferences":[{"resourceVersion":"3"}],"name":"x"}}',
      '{"metadata":{"annotations":{"resourceVersion":"3"},"name":"x"}}',
    ];
    for (const text of elsewhere) {
      const spliced = splice(text);
      expect(spliced).to.equal(text.replace('"metadata":{', '"metadata":{"resourceVersion":"7",'));
    }
  });

  it('returns undefined for a value without a metadata object', () => {
    for (const text of [
      '',
      '[]',
      '{}',
      '{"metadata":null}',
      '{"metadata":[]}',
      '{"a":1',
      '{"a"',
      '{"a":"',
      'k8s\0',
      '{"metadata"}',
    ]) {
      expect(splice(text), text).to.equal(undefined);
    }
  });
});
