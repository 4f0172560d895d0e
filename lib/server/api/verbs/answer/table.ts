import type { KubernetesObject, ObjectMeta } from '../../../../meta/object.ts';
import type {
  ResourceDescription,
  TableColumn,
  TableConvertor,
} from '../../../registry/contract/rest-storage.ts';
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
  describe: ResourceDescription,
): string {
  const head = `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${version}"`;
  return `${head},"metadata":${JSON.stringify(internalMetadata(metadata, describe) ?? {})}}`;
}

/** The metadata that kube-apiserver's internal type of a kind has: annotations that hold fields are fields there. */
export function internalMetadata(
  metadata: ObjectMeta | undefined,
  { fieldAnnotations }: ResourceDescription,
): ObjectMeta | undefined {
  const { annotations } = metadata ?? {};
  if (fieldAnnotations === undefined || annotations === undefined) return metadata;
  const kept = Object.entries(annotations).filter(([name]) => !fieldAnnotations.includes(name));
  if (kept.length > 0) return { ...metadata, annotations: Object.fromEntries(kept) };
  const { annotations: _, ...rest } = metadata ?? {};
  return rest;
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
  readonly describe: ResourceDescription;
  readonly version: MetaVersion;
  readonly include: IncludeObject;
  readonly nowMs: number;
}

/** One row as JSON in pieces, so that the bytes of a whole object are not converted to text and back. */
export function tableRow(
  table: TableConvertor,
  stored: StoredObject,
  { describe, version, include, nowMs }: RowOptions,
): (string | Uint8Array)[] {
  const cells = `{"cells":${JSON.stringify(table.cells(stored.object, nowMs))}`;
  switch (include) {
    case 'None':
      return [`${cells},"object":null}`];
    case 'Metadata':
      return [`${cells},"object":${partialObjectMetadata(stored.metadata, version, describe)}}`];
    case 'Object':
      return [`${cells},"object":`, ...documentPieces(stored), '}'];
  }
}

/** The row of a bookmark: the cells are those of an object without values. */
export function bookmarkRow(
  table: TableConvertor,
  bookmark: KubernetesObject,
  { describe, version, include, nowMs }: RowOptions,
): string {
  const cells = JSON.stringify(table.cells(bookmark, nowMs));
  const isWhole = include === 'Object';
  const shown = isWhole
    ? JSON.stringify(bookmark)
    : partialObjectMetadata(bookmark.metadata, version, describe);
  return `{"cells":${cells},"object":${shown}}`;
}
