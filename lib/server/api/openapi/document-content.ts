import { isRecord, recordAt, type JsonRecord } from '../../../meta/json-value.ts';
import type { RecordedOperations } from './open-api-archive.ts';
import type { IsServed } from './served-operations.ts';

/** The version of OpenAPI of a document. */
export type OpenApiVersion = 'v2' | 'v3';

/** The paths and the schemas of a document of either version. */
export interface DocumentContent {
  readonly paths: JsonRecord;
  readonly schemas: JsonRecord;
}

/** How a reference to a schema begins. */
export const SCHEMA_REFERENCE: Readonly<Record<OpenApiVersion, string>> = {
  v2: '#/definitions/',
  v3: '#/components/schemas/',
};

export function contentOf(version: OpenApiVersion, document: JsonRecord): DocumentContent {
  const schemas =
    version === 'v2' ? document['definitions'] : recordAt(document, 'components', 'schemas');
  return {
    paths: recordAt(document, 'paths') ?? {},
    schemas: isRecord(schemas) ? schemas : {},
  };
}

/** The document with other paths and schemas, both in the order of their names. */
export function withContent(
  version: OpenApiVersion,
  document: JsonRecord,
  { paths, schemas }: DocumentContent,
): JsonRecord {
  const changed = { ...document, paths: sorted(paths) };
  return version === 'v2'
    ? { ...changed, definitions: sorted(schemas) }
    : { ...changed, components: { ...recordAt(document, 'components'), schemas: sorted(schemas) } };
}

/** The operations that are served; a path without one is left out. */
export function servedPaths(
  paths: JsonRecord,
  operations: RecordedOperations,
  isServed: IsServed,
): JsonRecord {
  const kept: JsonRecord = {};
  for (const [path, item] of Object.entries(paths)) {
    if (!isRecord(item)) continue;
    const actions = operations[path] ?? {};
    const members = Object.entries(item).filter(
      ([member]) => !Object.hasOwn(actions, member) || isServed(path, actions[member] as string),
    );
    if (members.some(([member]) => Object.hasOwn(actions, member))) {
      kept[path] = Object.fromEntries(members);
    }
  }
  return kept;
}

/** The schemas that the paths need, directly and through others. */
export function neededSchemas(
  version: OpenApiVersion,
  { paths, schemas }: DocumentContent,
  parameters?: unknown,
): JsonRecord {
  const prefix = SCHEMA_REFERENCE[version];
  const needed = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    if (!isRecord(value)) return;
    const reference = value['$ref'];
    if (typeof reference === 'string' && reference.startsWith(prefix)) {
      const name = reference.slice(prefix.length);
      if (!needed.has(name)) {
        needed.add(name);
        visit(schemas[name]);
      }
    }
    for (const member of Object.values(value)) visit(member);
  };
  visit(paths);
  visit(parameters);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => needed.has(name)));
}

function sorted(record: JsonRecord): JsonRecord {
  const entries = Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries);
}
