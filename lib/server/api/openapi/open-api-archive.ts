import { createHash } from 'node:crypto';
import { brotliDecompressSync } from 'node:zlib';
import { bytesOfBase85 } from '../../../kernel/data/base85.ts';
import { Lazy } from '../../../kernel/data/lazy.ts';
import { NEWEST_MINOR, type KubernetesMinor } from '../../../meta/releases/kubernetes-releases.ts';

/** By path and method, the action of each operation of a document: `list`, `connect`; empty for paths of no resource. */
export type RecordedOperations = Readonly<Record<string, Readonly<Record<string, string>>>>;

interface Entry {
  readonly name: string;
  readonly length: number;
  readonly operations: RecordedOperations;
}

interface Recorded {
  hash?: string;
  readonly bytes: Buffer;
  readonly operations: RecordedOperations;
}

/** Far above the 9 MB that the archive takes. */
const LARGEST_ARCHIVE_BYTES = 64 * 1024 * 1024;

/**
 * The OpenAPI documents of a real kube-apiserver. `v2` and `v3/PATH` are as it sends them; `custom/v2` and `custom/v3` describe two
 * custom resources, and are templates for all others.
 *
 * It is read and decompressed at the first call of `openApiArchive`, which takes some 50 ms, and is then kept for all servers of the
 * process: 9 MB.
 */
export class OpenApiArchive {
  readonly #documents = new Map<string, Recorded>();

  constructor(archive: Buffer) {
    const end = archive.indexOf('\n');
    const index = JSON.parse(archive.toString('utf8', 0, end)) as readonly Entry[];
    let at = end + 1;
    for (const { name, length, operations } of index) {
      this.#documents.set(name, { bytes: archive.subarray(at, at + length), operations });
      at += length;
    }
  }

  /** The paths of the documents of version 3, e.g. `apis/apps/v1`. */
  paths(): string[] {
    return [...this.#documents.keys()].flatMap((name) =>
      name.startsWith('v3/') ? [name.slice('v3/'.length)] : [],
    );
  }

  /** @throws {Error} When there is no document of the name. */
  bytes(name: string): Buffer {
    return this.#recorded(name).bytes;
  }

  /** @throws {Error} When there is no document of the name. */
  operations(name: string): RecordedOperations {
    return this.#recorded(name).operations;
  }

  /** See `documentHash`. @throws {Error} When there is no document of the name. */
  hash(name: string): string {
    const recorded = this.#recorded(name);
    recorded.hash ??= documentHash(recorded.bytes);
    return recorded.hash;
  }

  has(name: string): boolean {
    return this.#documents.has(name);
  }

  #recorded(name: string): Recorded {
    const recorded = this.#documents.get(name);
    if (recorded === undefined) throw new Error(`the archive has no document ${name}`);
    return recorded;
  }
}

/** The hash of a document in its address and its ETag. */
export function documentHash(bytes: Uint8Array): string {
  return createHash('sha512').update(bytes).digest('hex').toUpperCase();
}

/**
 * How an archive is made from another one: a number and the next are a copy, of as many bytes as the second says, from so many bytes
 * behind the end of the copy before as the first says; a text stands for itself.
 */
export type ArchiveChanges = readonly (number | string)[];

/** The archive that the changes make. */
export function archiveWith(changes: ArchiveChanges, base: Buffer): Buffer {
  const parts: Buffer[] = [];
  let place = 0;
  for (let at = 0; at < changes.length; at += 1) {
    const one = changes[at] as number | string;
    if (typeof one === 'string') {
      parts.push(Buffer.from(one));
    } else {
      at += 1;
      const start = place + one;
      place = start + (changes[at] as number);
      parts.push(base.subarray(start, place));
    }
  }
  return Buffer.concat(parts);
}

/** The recorded documents of a minor version with their index, as one text. */
export async function openApiText(minor: KubernetesMinor): Promise<Buffer> {
  const { OPEN_API_ARCHIVE } = await import('./open-api-data.ts');
  let archive = decompressed(OPEN_API_ARCHIVE);
  if (minor === NEWEST_MINOR) return archive;
  const { OPEN_API_CHANGES } = await import('./open-api-changes.ts');
  const step = Math.sign(minor - NEWEST_MINOR);
  for (let one = NEWEST_MINOR + step; one !== minor + step; one += step) {
    const changes = OPEN_API_CHANGES[one];
    if (changes === undefined) continue;
    archive = archiveWith(JSON.parse(decompressed(changes).toString()) as ArchiveChanges, archive);
  }
  return archive;
}

function decompressed(text: string): Buffer {
  const compressed = bytesOfBase85(text);
  return brotliDecompressSync(compressed, { maxOutputLength: LARGEST_ARCHIVE_BYTES });
}

const archives = new Map<KubernetesMinor, Lazy<Promise<OpenApiArchive>>>();

/** The recorded documents of a minor version, which are decompressed at the first call. */
export async function openApiArchive(minor: KubernetesMinor): Promise<OpenApiArchive> {
  let archive = archives.get(minor);
  if (archive === undefined) {
    archive = new Lazy(async () => new OpenApiArchive(await openApiText(minor)));
    archives.set(minor, archive);
  }
  return await archive.get();
}
