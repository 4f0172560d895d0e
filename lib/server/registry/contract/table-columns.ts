import type { KubernetesObject } from '../../../meta/object.ts';
import { textAt } from '../../../meta/json-value.ts';
import type { TableColumn, TableConvertor } from './rest-storage.ts';

export type TableCell = string | number | boolean | null;

/** One column and the function that reads its cell. `read` gets any object that a client stored, and must not throw. */
export interface Column {
  readonly definition: TableColumn;
  readonly read: (object: KubernetesObject, nowMs: number) => TableCell;
}

export interface ColumnOptions {
  /** @defaultValue 'string' */
  readonly type?: TableColumn['type'] | undefined;
  readonly format?: string | undefined;
  readonly description?: string | undefined;
  /** Shown with `-o wide` only. @defaultValue false */
  readonly wide?: boolean | undefined;
}

export function column(
  name: string,
  read: Column['read'],
  { type = 'string', format = '', description = '', wide = false }: ColumnOptions = {},
): Column {
  return { definition: { name, type, format, description, priority: wide ? 1 : 0 }, read };
}

/** A column with the text at a path. */
export function textColumn(
  name: string,
  path: readonly string[],
  options: ColumnOptions & { readonly missing?: string } = {},
): Column {
  return column(name, (object) => textAt(object, ...path) || (options.missing ?? ''), options);
}

export const nameColumn: Column = textColumn('Name', ['metadata', 'name'], {
  format: 'name',
  description: 'The name of the object; unique among objects of its kind in its namespace.',
});

/** The table of a kind, with its columns in order. */
export function tableOf(columns: readonly Column[]): TableConvertor {
  return {
    columns: columns.map(({ definition }) => definition),
    cells: (object: KubernetesObject, nowMs: number): readonly TableCell[] =>
      columns.map(({ read }) => read(object, nowMs)),
  };
}

const NO_TIME = '0001-01-01T00:00:00Z';

/** When an object was created; the zero time for one that is not stored, such as that of a bookmark. */
export function creationTime(object: KubernetesObject): string {
  return textAt(object, 'metadata', 'creationTimestamp') || NO_TIME;
}

export const createdAtColumn: Column = column('Created At', creationTime, { type: 'date' });

/** The columns of a kind without its own. */
export const defaultTable: TableConvertor = tableOf([nameColumn, createdAtColumn]);
