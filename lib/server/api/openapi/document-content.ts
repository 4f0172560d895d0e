import { isRecord, recordAt, type JsonRecord } from '../../../meta/json-value.ts';
import type { RecordedOperations } from './open-api-archive.ts';
import type { IsServed } from './served-operations.ts';

/** The version of OpenAPI of a document. */
export type OpenApiVersion = 'v2' | 'v3';

/** Members of an object in a document by their names, each as JSON. */
export type Members = ReadonlyMap<string, string>;

/** The paths and the schemas of a document of either version. */
export interface DocumentContent {
  readonly paths: Members;
  readonly schemas: Members;
}

/** The same of a document that was parsed. */
interface ParsedContent {
  readonly paths: JsonRecord;
  readonly schemas: JsonRecord;
}

export function contentOf(version: OpenApiVersion, document: JsonRecord): ParsedContent {
  const schemas =
    version === 'v2' ? document['definitions'] : recordAt(document, 'components', 'schemas');
  return {
    paths: recordAt(document, 'paths') ?? {},
    schemas: isRecord(schemas) ? schemas : {},
  };
}

/** The members of an object, each as JSON. */
export function membersOf(record: JsonRecord): Map<string, string> {
  return new Map(Object.entries(record).map(([name, value]) => [name, JSON.stringify(value)]));
}

/** The content with more of it. */
export function merged(
  base: DocumentContent,
  added: readonly DocumentContent[],
): { readonly paths: Map<string, string>; readonly schemas: Map<string, string> } {
  const paths = new Map(base.paths);
  const schemas = new Map(base.schemas);
  for (const one of added) {
    // Definitions of Kubernetes itself are never replaced.
    for (const [path, item] of one.paths) if (!paths.has(path)) paths.set(path, item);
    for (const [name, schema] of one.schemas) if (!schemas.has(name)) schemas.set(name, schema);
  }
  return { paths, schemas };
}

/** The document as JSON, in pieces, with other paths and schemas, both in the order of their names. */
export function withContent(
  version: OpenApiVersion,
  document: JsonRecord,
  { paths, schemas }: DocumentContent,
): readonly string[] {
  const members = new Map<string, readonly string[]>(
    Object.entries(document).map(([name, value]) => [name, [JSON.stringify(value)]]),
  );
  members.set('paths', sortedPieces(paths));
  if (version === 'v2') members.set('definitions', sortedPieces(schemas));
  else {
    const components = Object.entries(recordAt(document, 'components') ?? {});
    const all = new Map<string, readonly string[]>(
      components.map(([name, value]) => [name, [JSON.stringify(value)]]),
    );
    members.set('components', objectPieces(all.set('schemas', sortedPieces(schemas))));
  }
  return objectPieces(members);
}

function sortedPieces(members: Members): string[] {
  const sorted = [...members].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return objectPieces(sorted.map(([name, text]) => [name, [text]] as const));
}

/** An object as JSON. */
export function objectText(members: Members): string {
  return objectPieces(Array.from(members, ([name, text]) => [name, [text]] as const)).join('');
}

function objectPieces(members: Iterable<readonly [string, readonly string[]]>): string[] {
  const pieces: string[] = [];
  for (const [name, value] of members) {
    pieces.push(`${pieces.length === 0 ? '{' : ','}${JSON.stringify(name)}:`, ...value);
  }
  return pieces.length === 0 ? ['{}'] : [...pieces, '}'];
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

/** References to schemas. In JSON no text can have this form: its quotes are escaped. */
const REFERENCES: Readonly<Record<OpenApiVersion, RegExp>> = {
  v2: /"\$ref":"#\/definitions\/([^"]+)"/g,
  v3: /"\$ref":"#\/components\/schemas\/([^"]+)"/g,
};

/** The schemas that the paths and further parts of a document need, directly and through others. */
export function neededSchemas(
  version: OpenApiVersion,
  { paths, schemas }: DocumentContent,
  ...further: readonly string[]
): Members {
  const needed = new Set<string>();
  const rest = [...paths.values(), ...further];
  for (let text = rest.pop(); text !== undefined; text = rest.pop()) {
    for (const [, name = ''] of text.matchAll(REFERENCES[version])) {
      if (needed.has(name)) continue;
      needed.add(name);
      rest.push(schemas.get(name) ?? '');
    }
  }
  return new Map([...schemas].filter(([name]) => needed.has(name)));
}
