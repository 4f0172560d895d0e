import { createHash } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { FIRST_RESOURCE_VERSION, podJson, podTag, TYPE_META, uidTail } from './pods.ts';

/** More pods than these have the bodies of others, with names, uids and versions of their own. */
const MOST_BODIES = 100_000;
const LINES_AT_ONCE = 2000;
/** The texts searched in a body: the end of its name, the end of its uid, its version, a container. */
const PLACES = 4;

/** The parts that differ between two events of one pod, and between two pods with one body. */
interface Places {
  readonly tag: number;
  readonly uid: number;
  readonly version: number;
  readonly container: number;
}

/** How many different bodies there are for so many pods. */
export function bodyCount(pods: number): number {
  return Math.min(pods, MOST_BODIES);
}

/**
 * The bytes of any number of pods, in JSON or protobuf, and where in them the few things stand that are changed in place. What
 * changes keeps its length: five letters of the name, twelve digits of the uid, ten of the version, of a container's id.
 */
export class PodBodies {
  readonly #bodies: readonly Buffer[];
  readonly #places: Uint32Array;

  /** `bodies[i]` is pod `i`; each has the strings of its JSON in it, whatever stands between. */
  constructor(bodies: readonly Buffer[]) {
    this.#bodies = bodies;
    this.#places = new Uint32Array(bodies.length * PLACES);
    for (const [index, body] of bodies.entries()) this.#locate(index, body);
  }

  /** Makes the pods in memory, as JSON. */
  static make(pods: number): PodBodies {
    const bodies: Buffer[] = [];
    for (let index = 0; index < bodyCount(pods); index += 1)
      bodies.push(Buffer.from(podJson(index)));
    return new PodBodies(bodies);
  }

  /** Reads them from what `podFile` wrote. */
  static readJson(path: string): PodBodies {
    const bytes = readFileSync(path);
    const bodies: Buffer[] = [];
    let from = 0;
    for (;;) {
      const end = bytes.indexOf(0x0a, from);
      if (end < 0) return new PodBodies(bodies);
      bodies.push(bytes.subarray(from, end));
      from = end + 1;
    }
  }

  /** Reads frames with four bytes of length before each. */
  static readFrames(path: string): PodBodies {
    const bytes = readFileSync(path);
    const bodies: Buffer[] = [];
    for (let from = 0; from < bytes.length; ) {
      const end = from + 4 + bytes.readUInt32BE(from);
      bodies.push(bytes.subarray(from + 4, end));
      from = end;
    }
    return new PodBodies(bodies);
  }

  lengthOf(pod: number): number {
    return this.body(pod).length;
  }

  /** Before anything in it is changed. */
  body(pod: number): Buffer {
    return this.#bodies[pod % this.#bodies.length] as Buffer;
  }

  /**
   * Copies a pod from its byte `begin` on to `target`, as it is at first.
   * @returns where the copy ends
   */
  copy(pod: number, begin: number, end: number, target: Buffer, at: number): number {
    const body = this.body(pod);
    body.copy(target, at, begin, end);
    if (pod >= this.#bodies.length) {
      const places = this.#placesOf(pod);
      target.write(podTag(pod), at + places.tag - begin, 'latin1');
      target.write(uidTail(pod), at + places.uid - begin, 'latin1');
      writeDigits(target, at + places.version - begin, FIRST_RESOURCE_VERSION + pod);
    }
    return at + end - begin;
  }

  /** Copies a whole pod, changed: at this resource version, and with a container that was started anew. */
  copyChanged(pod: number, resourceVersion: number, target: Buffer, at: number): number {
    const end = this.copy(pod, 0, this.lengthOf(pod), target, at);
    const places = this.#placesOf(pod);
    writeDigits(target, at + places.version, resourceVersion);
    writeDigits(target, at + places.container, resourceVersion);
    return end;
  }

  #placesOf(pod: number): Places {
    const first = (pod % this.#bodies.length) * PLACES;
    const at = (place: number): number => this.#places[first + place] as number;
    return { tag: at(0), uid: at(1), version: at(2), container: at(3) };
  }

  #locate(index: number, body: Buffer): void {
    const version = String(FIRST_RESOURCE_VERSION + index);
    const places = [
      ['-', podTag(index)],
      ['', uidTail(index)],
      ['', version],
      ['containerd://', ''],
    ] as const;
    let from = 0;
    for (const [place, [before, text]] of places.entries()) {
      // In protobuf the fields have the same order, and nothing before them can look like these.
      from = body.indexOf(before + text, from, 'latin1');
      if (from < 0) throw new Error(`pod ${index} has no ${before}${text}`);
      from += before.length;
      this.#places[index * PLACES + place] = from;
      from += text.length;
    }
  }
}

function writeDigits(target: Buffer, at: number, number: number): void {
  let rest = number;
  for (let place = at + 9; place >= at; place -= 1) {
    target[place] = 0x30 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
}

/** A file with one pod a line, made unless it is there. Says on stderr how long the pods are when it is made. */
export function podFile(folder: string, pods: number): string {
  const count = bodyCount(pods);
  const version = createHash('sha256');
  for (let index = 0; index < 256; index += 1) version.update(podJson(index));
  const path = join(folder, `pods-${count}-${version.digest('hex').slice(0, 8)}.ndjson`);
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return path;
  mkdirSync(folder, { recursive: true });
  const file = openSync(`${path}.${process.pid}`, 'w');
  let bytes = 0;
  for (let from = 0; from < count; from += LINES_AT_ONCE) {
    let lines = '';
    const end = Math.min(from + LINES_AT_ONCE, count);
    for (let index = from; index < end; index += 1) lines += `${podJson(index)}\n`;
    bytes += writeSync(file, lines);
  }
  closeSync(file);
  renameSync(`${path}.${process.pid}`, path);
  const average = Math.round(bytes / count) - 1;
  process.stderr.write(`made ${count} pods of ${average} bytes of JSON on average\n`);
  return path;
}

/** The fields left out of a pod in a list. */
export const BEFORE_ITEM: number = '{'.length + TYPE_META.length;
