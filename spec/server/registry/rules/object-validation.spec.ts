import { expect } from 'chai';
import type { FieldCause } from '../../../../lib/meta/failure/failures.ts';
import type { MutableObject } from '../../../../lib/server/registry/rules/mutable-object.ts';
import {
  kubeFinalizerCauses,
  managerCauses,
  validateMetadata,
  validateMetadataUpdate,
} from '../../../../lib/server/registry/rules/object-validation.ts';

const object = (metadata: object): MutableObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ...metadata },
});
const linesOf = (causes: readonly FieldCause[]): string[] =>
  causes.map(({ field, message }) => `${field}: ${message}`);
const created = (metadata: object, kubeFinalizers: boolean = false): string[] =>
  linesOf(
    validateMetadata(object(metadata), {
      namespaced: false,
      nameProblems: () => [],
      kubeFinalizers,
    }),
  );
const updated = (metadata: object, existing: object, kubeFinalizers: boolean = false): string[] =>
  linesOf(validateMetadataUpdate(object(metadata), object(existing), kubeFinalizers));

describe('the metadata of an object', () => {
  it('has managed fields of a known operation and type, with names that are not too long', () => {
    const entry = { operation: 'Apply', fieldsType: 'FieldsV1', manager: 'm' };
    expect(created({ managedFields: [entry, { ...entry, operation: 'Update' }] })).to.deep.equal(
      [],
    );
    expect(created({ managedFields: [entry, { operation: 'Update' }] })).to.deep.equal([]);
    expect(
      created({
        managedFields: [
          entry,
          {
            operation: 'Delete',
            fieldsType: 'FieldsV2',
            manager: 'm'.repeat(129),
            subresource: 's'.repeat(257),
          },
        ],
      }),
    ).to.deep.equal([
      'metadata.managedFields[1].operation: Invalid value: "Delete": must be `Apply` or `Update`',
      'metadata.managedFields[1].fieldsType: Invalid value: "FieldsV2": must be `FieldsV1`',
      'metadata.managedFields[1].manager: Too long: may not be more than 128 bytes',
      'metadata.managedFields[1].subresource: Too long: may not be more than 256 bytes',
    ]);
    const wrong = { managedFields: [{ ...entry, operation: 'Delete' }] };
    expect(updated(wrong, {})).to.deep.equal(created(wrong));
    expect(
      created({
        managedFields: [{ ...entry, manager: 'm'.repeat(128), subresource: 's'.repeat(256) }],
      }),
    ).to.deep.equal([]);
  });

  it('has a prefix of generated names that could begin a name of the kind', () => {
    const causes = (generateName: string): string[] =>
      linesOf(
        validateMetadata(object({ generateName }), {
          namespaced: false,
          nameProblems: (name) =>
            /^[a-z-]*[a-z]$/.test(name) ? [] : ['not like this', 'nor that'],
        }),
      );
    expect(causes('')).to.deep.equal([]);
    expect(causes('web-')).to.deep.equal([]);
    expect(causes('Web-')).to.deep.equal([
      'metadata.generateName: Invalid value: "Web-": not like this',
      'metadata.generateName: Invalid value: "Web-": nor that',
    ]);
  });

  it('has no new finalizer while the object is deleted', () => {
    const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a/b', 'a/c'] };
    expect(updated({ ...deleted, finalizers: ['a/b'] }, deleted)).to.deep.equal([]);
    expect(updated({ ...deleted, finalizers: undefined }, deleted)).to.deep.equal([]);
    expect(
      updated({ ...deleted, finalizers: ['a/z', 'a/b', 'a/d', 'a/z'] }, deleted),
    ).to.deep.equal([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a/d", "a/z"}',
    ]);
    expect(updated({ finalizers: ['a/d'] }, {})).to.deep.equal([]);
  });

  it('has finalizers that are standard names or have a slash, in the built-in kinds', () => {
    const detail = 'name is neither a standard finalizer name nor is it fully qualified';
    const given = ['kubernetes', 'orphan', 'a/b', 'own'];
    const line = `metadata.finalizers[3]: Invalid value: "own": ${detail}`;
    expect(created({ finalizers: given }, true)).to.deep.equal([line]);
    expect(created({ finalizers: given })).to.deep.equal([]);
    expect(updated({ finalizers: given }, {}, true)).to.deep.equal([line]);
    expect(updated({ finalizers: given }, {})).to.deep.equal([]);
    expect(linesOf(kubeFinalizerCauses('x', undefined))).to.deep.equal([]);
  });

  it('does not change in what names the object, or says that it is deleted', () => {
    expect(updated({ uid: '1' }, { uid: '2' })).to.deep.equal([
      'metadata.uid: Invalid value: "1": field is immutable',
    ]);
  });

  it('has field managers of printable names', () => {
    expect(linesOf(managerCauses('x', 'a\u0007b'))).to.deep.equal([
      'x: Invalid value: "a\\ab": invalid character U+0007 (at position 1)',
    ]);
  });
});
