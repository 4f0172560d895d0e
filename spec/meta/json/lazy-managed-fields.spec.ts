import { expect } from 'chai';
import { deepFreeze } from '../../../lib/kernel/data/deep-freeze.ts';
import { parseLazily } from '../../../lib/meta/json/lazy-managed-fields.ts';
import { ObjectScanner } from '../../../lib/meta/json/object-scanner.ts';
import type { SharedMember } from '../../../lib/meta/json/shared-member.ts';

interface Pod {
  readonly metadata: { name?: string; labels?: unknown; managedFields?: unknown };
  readonly spec?: unknown;
}

const FIELDS = '"managedFields":[{"manager":"küchen","fieldsV1":{"f:spec":{"f:a":{}}}}]';
const TEXT = `{"kind":"Pod","metadata":{"name":"wéb","labels":{"a":"b"},${FIELDS}},"spec":{"node":"n1"},"status":{}}`;

function decoded(text: string, shared?: SharedMember): Pod {
  const scanner = new ObjectScanner();
  const bytes = Buffer.from(`before${text}behind`);
  const end = scanner.scanObject(bytes, 6, bytes.length);
  const place = {
    managedFieldsStart: scanner.managedFieldsStart - 6,
    managedFieldsEnd: scanner.managedFieldsEnd - 6,
    metadataEnd: scanner.metadataEnd - 6,
  };
  const found = scanner.managedFieldsStart < 0 ? undefined : place;
  return parseLazily(bytes, 6, end, found, shared) as Pod;
}

function isGetter({ metadata }: Pod): boolean {
  return Object.getOwnPropertyDescriptor(metadata, 'managedFields')?.get !== undefined;
}

function parsed(text = TEXT): Pod {
  return JSON.parse(text) as Pod;
}

describe('an object whose managed fields are decoded when they are read', () => {
  it('has them as a getter that returns what JSON.parse returns, the same each time', () => {
    const pod = decoded(TEXT);
    expect(isGetter(pod)).to.equal(true);
    expect(pod.metadata.managedFields).to.deep.equal(parsed().metadata.managedFields);
    expect(pod.metadata.managedFields).to.equal(pod.metadata.managedFields);
  });

  const sameAs: Readonly<Record<string, (pod: Pod) => unknown>> = {
    'JSON.stringify': (pod) => JSON.stringify(pod),
    structuredClone: (pod) => structuredClone(pod),
    'a spread': (pod) => ({ ...pod, metadata: { ...pod.metadata } }),
    'Object.entries': (pod) => Object.entries(pod.metadata),
    'a comparison': (pod) => pod,
    in: (pod) => 'managedFields' in pod.metadata,
    'a deletion': (pod) => {
      delete pod.metadata.managedFields;
      return [pod, Object.keys(pod.metadata)];
    },
    'an assignment': (pod) => {
      pod.metadata.managedFields = [1];
      return [pod.metadata.managedFields, Object.keys(pod.metadata)];
    },
  };
  for (const [what, use] of Object.entries(sameAs)) {
    it(`gives the same by ${what}`, () => {
      expect(use(decoded(TEXT))).to.deep.equal(use(parsed()));
    });
  }

  it('has frozen fields when it is frozen, whether they were read before or not', () => {
    for (const readBefore of [false, true]) {
      const pod = decoded(TEXT);
      if (readBefore) expect(pod.metadata.managedFields).to.be.an('array');
      deepFreeze(pod);
      expect(isGetter(pod)).to.equal(true);
      const [first] = pod.metadata.managedFields as { manager?: string }[];
      expect(() => {
        if (first !== undefined) first.manager = 'other';
      }).to.throw(TypeError);
      expect(() => {
        pod.metadata.managedFields = [];
      }).to.throw(TypeError);
      expect(pod.metadata.managedFields).to.deep.equal(parsed().metadata.managedFields);
    }
  });

  it('gives an object that inherits from its metadata nothing but undefined', () => {
    const heir = Object.create(decoded(TEXT).metadata) as Pod['metadata'];
    expect(heir.managedFields).to.equal(undefined);
    expect(heir.name).to.equal('wéb');
  });

  for (const [what, text] of [
    ['not the last member of the metadata', `{"metadata":{"name":"a",${FIELDS},"uid":"u"}}`],
    ['the only member', `{"metadata":{${FIELDS}}}`],
    ['absent', '{"metadata":{"name":"a"}}'],
  ] as const) {
    it(`is decoded at once when they are ${what}`, () => {
      const pod = decoded(text);
      expect(isGetter(pod)).to.equal(false);
      expect(pod).to.deep.equal(parsed(text));
    });
  }

  for (const [what, text] of [
    ['behind the metadata', TEXT],
    ['before it', `{"spec":{"node":"n1"},"metadata":{"name":"a",${FIELDS}}}`],
  ] as const) {
    it(`takes the value of a shared member ${what}, in its place`, () => {
      const value = { node: 'shared' };
      const start = Buffer.from(text).indexOf('{"node"');
      const pod = decoded(text, { name: 'spec', value, start, end: start + 13 });
      expect(pod.spec).to.equal(value);
      expect(JSON.stringify(pod)).to.equal(JSON.stringify({ ...parsed(text), spec: value }));
    });
  }
});
