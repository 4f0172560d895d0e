import type { KubernetesObject, ObjectMeta } from '../../../../meta/object.ts';
import type { TableColumn, TableConvertor } from '../../../registry/contract/rest-storage.ts';
import { documentPieces, type StoredObject } from '../../../storage/contract/stored-object.ts';
import type { Representation } from '../../../http/negotiation.ts';

type MetaVersion = Representation['metaVersion'];

/** The content of the `object` of a table row. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** Metadata of a list or table as JSON text; members without a value are left out. */
export interface ListMetadata {
  readonly resourceVersion: string;
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
  readonly shardInfo?: { readonly selector: string } | undefined;
}

/** An object with only its metadata, as JSON text. */
export function partialObjectMetadata(
  metadata: ObjectMeta | undefined,
  version: MetaVersion,
): string {
  const head = `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${version}"`;
  return `${head},"metadata":${JSON.stringify(metadata ?? {})}}`;
}

/** The start of a table up to its first row. Columns are sent once per stream: pass none for later events of a watch. */
export function tableHead(
  version: MetaVersion,
  metadata: ListMetadata,
  columns: readonly TableColumn[] | null,
): string {
  const head = `{"kind":"Table","apiVersion":"meta.k8s.io/${version}"`;
  return `${head},"metadata":${JSON.stringify(metadata)},"columnDefinitions":${JSON.stringify(columns)},"rows":[`;
}

/**
 * A table without rows. Those with the columns of most kinds have an empty list; those of kinds without columns of their own have
 * none, as in kube-apiserver.
 */
export function emptyTable(
  version: MetaVersion,
  metadata: ListMetadata,
  columns: readonly TableColumn[],
): string {
  const rows = columns[1]?.name === 'Created At' ? 'null' : '[]';
  return `${tableHead(version, metadata, columns).slice(0, -1)}${rows}}`;
}

export const TABLE_TAIL = ']}';

export interface RowOptions {
  readonly version: MetaVersion;
  readonly include: IncludeObject;
  readonly nowMs: number;
}

/** One row as JSON in pieces, so that the bytes of a whole object are not converted to text and back. */
export function tableRow(
  table: TableConvertor,
  stored: StoredObject,
  { version, include, nowMs }: RowOptions,
): (string | Uint8Array)[] {
  const cells = `{"cells":${JSON.stringify(table.cells(stored.object, nowMs))}`;
  switch (include) {
    case 'None':
      return [`${cells},"object":null}`];
    case 'Metadata':
      return [`${cells},"object":${partialObjectMetadata(stored.metadata, version)}}`];
    case 'Object':
      return [`${cells},"object":`, ...documentPieces(stored), '}'];
  }
}

/** The row of a bookmark: the cells are those of an object without values. */
export function bookmarkRow(
  table: TableConvertor,
  bookmark: KubernetesObject,
  { version, include, nowMs }: RowOptions,
): string {
  const cells = JSON.stringify(table.cells(bookmark, nowMs));
  const isWhole = include === 'Object';
  const shown = isWhole
    ? JSON.stringify(bookmark)
    : partialObjectMetadata(bookmark.metadata, version);
  return `{"cells":${cells},"object":${shown}}`;
}
