import { expect } from 'chai';
import { emptyTable } from '../../../../../lib/server/api/verbs/answer/table.ts';
import type { TableColumn } from '../../../../../lib/server/registry/contract/rest-storage.ts';

const column = (name: string): TableColumn => ({
  name,
  type: 'string',
  format: '',
  description: '',
  priority: 0,
});
const rowsOf = (...names: string[]): unknown =>
  (
    JSON.parse(emptyTable('v1', { resourceVersion: '5' }, names.map(column))) as {
      readonly rows: unknown;
    }
  ).rows;

describe('a table without rows', () => {
  it('has an empty list of them', () => {
    expect(rowsOf('Name', 'Data', 'Age')).to.deep.equal([]);
  });

  it('has none for a kind without columns of its own', () => {
    expect(rowsOf('Name', 'Created At')).to.equal(null);
  });
});
