/**
 * The cost of a program without a library, which is the lower bound: a watch-list read through axios, split into lines,
 * and a Map. `variant`: `parse` parses every event, `scan` looks for name and namespace and keeps the bytes.
 */
import type { Readable } from 'node:stream';
import type { AxiosInstance } from 'axios';
import { isMain, runContestant, type Contestant, type ContestantArgument } from './contestant.ts';

interface Cache {
  /** Keeps the object of an event; says which type it has. */
  take(line: Buffer): string;
  readonly size: number;
}

interface WatchEvent {
  readonly type: string;
  readonly object: { readonly metadata: { readonly name: string; readonly namespace: string } };
}

class ParsedCache implements Cache {
  readonly #objects = new Map<string, WatchEvent['object']>();

  get size(): number {
    return this.#objects.size;
  }

  take(line: Buffer): string {
    const { type, object } = JSON.parse(line.toString()) as WatchEvent;
    const { name, namespace } = object.metadata;
    if (type !== 'BOOKMARK') this.#objects.set(`${namespace}/${name}`, object);
    return type;
  }
}

/** It trusts the server to write fields in the order of Go, which a library must not. */
class ScannedCache implements Cache {
  readonly #bytes = new Map<string, Buffer>();

  get size(): number {
    return this.#bytes.size;
  }

  take(line: Buffer): string {
    const type = textAfter(line, '{"type":"');
    if (type !== 'BOOKMARK') {
      const key = `${textAfter(line, '"namespace":"')}/${textAfter(line, '"name":"')}`;
      const object = Buffer.allocUnsafeSlow(line.length);
      line.copy(object);
      this.#bytes.set(key, object);
    }
    return type;
  }
}

function textAfter(line: Buffer, label: string): string {
  const begin = line.indexOf(label, 0, 'latin1') + label.length;
  return line.toString('latin1', begin, line.indexOf(0x22, begin));
}

export async function plainNode(
  { variant, objects }: ContestantArgument,
  http: AxiosInstance,
): Promise<Contestant> {
  const cache: Cache = variant === 'parse' ? new ParsedCache() : new ScannedCache();
  const abort = new AbortController();
  let updates = 0;
  let read: Promise<void> | undefined;
  return {
    async sync() {
      const url = '/api/v1/pods?watch=true&sendInitialEvents=true&allowWatchBookmarks=true';
      const { data } = await http.get<Readable>(url, {
        responseType: 'stream',
        signal: abort.signal,
      });
      await new Promise<void>((resolve, reject) => {
        read = readLines(data, (line) => {
          const type = cache.take(line);
          if (type === 'MODIFIED') updates += 1;
          else if (type === 'BOOKMARK') resolve();
        });
        read.catch(reject);
      });
      if (cache.size !== objects) throw new Error(`${cache.size} objects of ${objects}`);
    },
    updates: () => updates,
    idle: () => true,
    checksum: () => cache.size,
    async close() {
      abort.abort();
      await read?.catch(() => {});
    },
  };
}

async function readLines(stream: Readable, take: (line: Buffer) => void): Promise<void> {
  let rest: Buffer | undefined;
  for await (const piece of stream) {
    const bytes: Buffer =
      rest === undefined ? (piece as Buffer) : Buffer.concat([rest, piece as Buffer]);
    let from = 0;
    for (;;) {
      const end = bytes.indexOf(0x0a, from);
      if (end < 0) break;
      take(bytes.subarray(from, end));
      from = end + 1;
    }
    rest = from < bytes.length ? bytes.subarray(from) : undefined;
  }
}

if (isMain(import.meta)) await runContestant(plainNode);
