import { constants } from 'node:fs';
import { lstat, mkdir, open, rm, writeFile as writeAll } from 'node:fs/promises';
import { join, sep } from 'node:path';
import {
  CopyCounts,
  CopyRefusal,
  shownPath,
  type CopyBounds,
  type CopyReport,
} from './copy-counts.ts';
import { readTar, type TarEntry } from './tar-reader.ts';

export interface UnpackOptions {
  /** The first part of all names, which stands for the target; empty: there is none. */
  readonly base: string;
  /** The file or folder on this machine that the copy becomes. */
  readonly target: string;
  readonly bounds: CopyBounds;
}

/**
 * Writes the files of an archive below a target. The archive comes from a container, which may be hostile: no name leads out of the target,
 * no link is made, and none that is there already is followed.
 * @throws {CopyRefusal} {TarError}
 */
export async function unpack(
  source: AsyncIterable<Uint8Array>,
  { base, target, bounds }: UnpackOptions,
): Promise<CopyReport> {
  const counts = new CopyCounts(bounds);
  const folders = new Set<string>();
  for await (const entry of readTar(source)) {
    const parts = partsOf(entry.name, base);
    if (entry.type === 'link') counts.skip(entry.name, 'link');
    else if (entry.type === 'other') counts.skip(entry.name, 'special file');
    else {
      counts.add(entry.type === 'file', entry.size);
      await write(entry, { parts, target, folders });
    }
  }
  return counts.report;
}

interface Place {
  readonly parts: readonly string[];
  readonly target: string;
  /** Those that were made or looked at by this copy. */
  readonly folders: Set<string>;
}

async function write(entry: TarEntry, { parts, target, folders }: Place): Promise<void> {
  const above = entry.type === 'file' ? parts.slice(0, -1) : parts;
  if (parts.length > 0 || entry.type === 'folder') {
    if (!folders.has('')) await mkdir(target, { recursive: true });
    folders.add('');
  }
  let path = target;
  for (const part of above) {
    path = join(path, part);
    if (folders.has(path)) continue;
    await makeFolder(path);
    folders.add(path);
  }
  if (entry.type === 'file') await writeFile(join(target, ...parts), entry);
}

async function makeFolder(path: string): Promise<void> {
  const present = await lstat(path).catch(() => undefined);
  if (present === undefined) await mkdir(path);
  else if (!present.isDirectory()) throw inTheWay(path);
}

async function writeFile(path: string, { mode, content }: TarEntry): Promise<void> {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  const present = await lstat(path).catch(() => undefined);
  if (present !== undefined && !present.isFile()) throw inTheWay(path);
  // Windows has no O_NOFOLLOW, hence the look before.
  const file = await open(path, O_WRONLY | O_CREAT | O_TRUNC | (O_NOFOLLOW ?? 0), mode | 0o200);
  try {
    await writeAll(file, content);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** @throws {CopyRefusal} for a name that leads out of the target. */
function partsOf(name: string, base: string): readonly string[] {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  const isOutside =
    name.startsWith('/') || parts.some((part) => part === '..' || hasSeparator(part));
  const [first, ...rest] = parts;
  if (isOutside || (base !== '' && first !== base)) {
    const problem = `the archive names a path outside of what was asked for, ${shownPath(name)}`;
    throw new CopyRefusal('COPY_FAILED', problem, 'do not trust this container');
  }
  return base === '' ? parts : rest;
}

/** A name that the file system of this machine reads as several, or as a drive or stream. */
function hasSeparator(part: string): boolean {
  return part.includes('\0') || (sep === '\\' && /[\\:]/.test(part));
}

function inTheWay(path: string): CopyRefusal {
  const problem = `${shownPath(path)} on this machine is a link, or of another kind`;
  return new CopyRefusal('COPY_FAILED', problem, 'remove it, or copy to another folder');
}
