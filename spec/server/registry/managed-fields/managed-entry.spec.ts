import { expect } from 'chai';
import {
  capUpdateEntries,
  entryKey,
  type ManagedEntry,
} from '../../../../lib/server/registry/managed-fields/managed-entry.ts';
import type { FieldSet } from '../../../../lib/meta/fields/field-set.ts';

const entry = (at: number, more: Partial<ManagedEntry> = {}): ManagedEntry => ({
  manager: `m${String(at).padStart(2, '0')}`,
  operation: 'Update',
  apiVersion: 'v1',
  subresource: '',
  time: `2026-01-01T00:00:${String(at).padStart(2, '0')}Z`,
  fields: { [`f:f${at}`]: {} },
  ...more,
});
const join = (one: FieldSet, other: FieldSet): FieldSet => ({ ...other, ...one });

function capped(all: readonly ManagedEntry[]): ManagedEntry[] {
  const entries = new Map(all.map((one) => [entryKey(one), one]));
  capUpdateEntries(entries, join);
  return [...entries.values()];
}

const namesOf = (entries: readonly ManagedEntry[]): string[] =>
  entries.map(({ manager }) => manager);
const many = (count: number): ManagedEntry[] => Array.from({ length: count }, (_, at) => entry(at));

/** @see apimachinery pkg/util/managedfields/internal/capmanagers.go @ v0.36.3 */
describe('the entries of updates', () => {
  it('stay as they are up to ten, and with applies beside them', () => {
    expect(capped(many(10))).to.deep.equal(many(10));
    const applies = Array.from({ length: 5 }, (_, at) => entry(at, { operation: 'Apply' }));
    expect(capped([...many(10), ...applies])).to.have.length(15);
  });

  it('are joined from the oldest on until there are ten', () => {
    const entries = capped(many(13));
    expect(namesOf(entries).toSorted()).to.deep.equal([
      'ancient-changes',
      ...namesOf(many(13)).slice(4),
    ]);
    const ancient = entries.find(({ manager }) => manager === 'ancient-changes');
    expect(Object.keys(ancient?.fields ?? {}).toSorted()).to.deep.equal([
      'f:f0',
      'f:f1',
      'f:f2',
      'f:f3',
    ]);
    expect(ancient?.time).to.equal('2026-01-01T00:00:03Z');
  });

  it('are joined with others of their version only', () => {
    const entries = [entry(0, { apiVersion: 'v2' }), ...many(12).slice(1)];
    expect(namesOf(capped(entries)).toSorted()).to.deep.equal([
      'ancient-changes',
      'm00',
      ...namesOf(many(12)).slice(4),
    ]);
  });
});
