import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { encodeText } from '../../http/responses/api-response.ts';
import type { InstalledResource, ResourceRegistry } from '../../registry/contract/rest-storage.ts';
import type { JsonRecord } from '../../../meta/json-value.ts';
import { CustomContent } from './custom-content.ts';
import {
  contentOf,
  membersOf,
  merged,
  neededSchemas,
  servedPaths,
  withContent,
  type DocumentContent,
  type Members,
} from './document-content.ts';
import type { OpenApiArchive } from './open-api-archive.ts';
import { RecordedSwagger, type AddedContent, type EncodedMembers } from './recorded-swagger.ts';
import {
  allServed,
  anyServed,
  parseTemplatePath,
  servedBy,
  type IsServed,
} from './served-operations.ts';

/** The parts of a document of version 2 that are kept. */
const LARGEST_ENCODINGS_BYTES = 16 * 1024 * 1024;

/** One document of version 3. */
interface Version3 {
  /** The hash of its content. */
  readonly hash: string;
  /** The served resources of the group and version; the document is made again when they change. */
  readonly resources: readonly InstalledResource[];
  /** It is the recorded document. */
  readonly complete: boolean;
}

/**
 * The documents for what a registry serves: the recorded ones, without the operations that it does not serve, and with the
 * resources that were not recorded, such as custom resources.
 *
 * Guarantees:
 * - A document whose resources are served as they were recorded is the recorded one, to the byte.
 * - After a change of the registry only the documents of changed group versions get another hash.
 */
export class OpenApiDocuments {
  readonly #archive: OpenApiArchive;
  readonly #registry: ResourceRegistry;
  readonly #withoutPaths: readonly string[];
  readonly #custom: Readonly<Record<'v2' | 'v3', CustomContent>>;
  /** The recorded resources as `group/version/resource`. */
  readonly #recorded = new Set<string>();
  #swagger: RecordedSwagger | undefined;
  /** Custom resources in version 2, of which most stay the same when one changes. */
  readonly #encodings = new LRUCache<InstalledResource, AddedContent>({
    maxSize: LARGEST_ENCODINGS_BYTES,
    sizeCalculation: bytesOf,
  });
  #generation: number | undefined;
  #isServed: IsServed = () => false;
  #added = new Map<string, InstalledResource[]>();
  #version3 = new Map<string, Version3>();

  constructor(
    archive: OpenApiArchive,
    registry: ResourceRegistry,
    withoutPaths: readonly string[] = [],
  ) {
    this.#archive = archive;
    this.#withoutPaths = withoutPaths;
    this.#registry = registry;
    this.#custom = { v2: new CustomContent(archive, 'v2'), v3: new CustomContent(archive, 'v3') };
    for (const path of Object.keys(archive.operations('v2'))) {
      const parsed = parseTemplatePath(path);
      if (parsed?.resource === undefined) continue;
      this.#recorded.add(`${parsed.group}/${parsed.version}/${parsed.resource}`);
    }
  }

  /** The hash of each document of version 3 by its path, e.g. `apis/apps/v1`, in the order of paths. */
  hashes(): ReadonlyMap<string, string> {
    this.#refresh();
    return new Map([...this.#version3].map(([path, { hash }]) => [path, hash]));
  }

  /** A document of version 3 as JSON; undefined if there is none of this path. */
  version3(path: string): Uint8Array | undefined {
    this.#refresh();
    const known = this.#version3.get(path);
    if (known === undefined) return undefined;
    if (known.complete) return this.#archive.bytes(`v3/${path}`);
    return encodeText(this.#build(path).join(''));
  }

  /** The document of version 2 as JSON. */
  version2(): Uint8Array {
    this.#refresh();
    const operations = this.#archive.operations('v2');
    const complete = allServed(operations, this.#isServed);
    const recorded = this.#archive.bytes('v2');
    if (complete && this.#added.size === 0) return recorded;
    const added = [...this.#added.values()].flat();
    if (complete) {
      this.#swagger ??= new RecordedSwagger(recorded);
      return this.#swagger.with(added.map((one) => this.#encoded(one)));
    }
    const document = parse(recorded);
    const base = contentOf('v2', document);
    const paths = membersOf(servedPaths(base.paths, operations, this.#isServed));
    const all = merged({ paths, schemas: membersOf(base.schemas) }, this.#describe('v2', added));
    const schemas = neededSchemas('v2', all, JSON.stringify(document['parameters']));
    return encodeText(withContent('v2', document, { paths: all.paths, schemas }).join(''));
  }

  /** The number that changes with the content of any document. */
  get generation(): number {
    return this.#registry.generation;
  }

  #refresh(): void {
    const { generation } = this.#registry;
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.#isServed = servedBy(this.#registry, this.#withoutPaths);
    this.#added = this.#unrecorded();
    const paths = this.#archive
      .paths()
      .filter((path) => anyServed(this.#archive.operations(`v3/${path}`), this.#isServed));
    const before = this.#version3;
    this.#version3 = new Map();
    const resources = groupBy(this.#registry.all(), documentPath);
    for (const path of [...new Set([...paths, ...this.#added.keys()])].toSorted()) {
      const described = this.#describeVersion3(path, resources.get(path) ?? [], before.get(path));
      this.#version3.set(path, described);
    }
  }

  #describeVersion3(
    path: string,
    resources: readonly InstalledResource[],
    before: Version3 | undefined,
  ): Version3 {
    if (before !== undefined && sameItems(before.resources, resources)) return before;
    const name = `v3/${path}`;
    const complete =
      this.#archive.has(name) &&
      !this.#added.has(path) &&
      allServed(this.#archive.operations(name), this.#isServed);
    const hash = complete ? this.#archive.hash(name) : hashOf(this.#build(path));
    return { hash, resources, complete };
  }

  /** A document of version 3, in pieces: its hash does not need the whole of it. */
  #build(path: string): string[] {
    const name = `v3/${path}`;
    const custom = this.#custom.v3;
    const isRecorded = this.#archive.has(name);
    const document = isRecorded ? parse(this.#archive.bytes(name)) : custom.emptyDocument();
    const base = contentOf('v3', document);
    const operations = isRecorded ? this.#archive.operations(name) : {};
    const kept: DocumentContent = {
      paths: membersOf(servedPaths(base.paths, operations, this.#isServed)),
      schemas: new Map([...custom.sharedSchemas, ...membersOf(base.schemas)]),
    };
    const all = merged(kept, this.#describe('v3', this.#added.get(path) ?? []));
    const schemas = neededSchemas('v3', all);
    return withContent('v3', document, { paths: all.paths, schemas }).map(escaped);
  }

  #describe(version: 'v2' | 'v3', added: readonly InstalledResource[]): DocumentContent[] {
    return added.map((installed) => this.#custom[version].describe(installed));
  }

  #encoded(installed: InstalledResource): AddedContent {
    let content = this.#encodings.get(installed);
    if (content === undefined) {
      const { paths, schemas } = this.#custom.v2.describe(installed);
      content = { paths: encodedMembers(paths), definitions: encodedMembers(schemas) };
      this.#encodings.set(installed, content);
    }
    return content;
  }

  /** The resources that were not recorded, by the path of their document. */
  #unrecorded(): Map<string, InstalledResource[]> {
    const unrecorded = this.#registry.all().filter(({ main }) => {
      const { group, version, resource } = main.describe;
      return !this.#recorded.has(`${group}/${version}/${resource}`);
    });
    return groupBy(unrecorded, documentPath);
  }
}

/** The path of the document that describes a resource. */
function documentPath({ main }: InstalledResource): string {
  const { group, version } = main.describe;
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

function encodedMembers(members: Members): EncodedMembers {
  return new Map([...members].map(([name, text]) => [name, encodeText(text)]));
}

function bytesOf({ paths, definitions }: AddedContent): number {
  let bytes = 0;
  for (const members of [paths, definitions]) {
    for (const value of members.values()) bytes += value.byteLength;
  }
  return Math.max(1, bytes);
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(item);
  }
  return groups;
}

function sameItems<T>(one: readonly T[], other: readonly T[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}

function parse(bytes: Buffer): JsonRecord {
  return JSON.parse(bytes.toString()) as JsonRecord;
}

/** As Go writes JSON, so that an equal document has an equal hash. */
function escaped(text: string): string {
  return text.replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** As `documentHash`. */
function hashOf(pieces: readonly string[]): string {
  const hash = createHash('sha512');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex').toUpperCase();
}
