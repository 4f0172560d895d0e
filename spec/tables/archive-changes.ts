import type { ArchiveChanges } from '../../lib/server/api/openapi/open-api-archive.ts';

/** So many pieces have to be the same for a copy: shorter ones cost more than their text. */
const SHORTEST_COPY = 5;

/** The changes that make one archive the other; see `ArchiveChanges`. */
export function changesOf(base: Buffer, other: Buffer): ArchiveChanges {
  const from = new Pieces(base);
  const to = new Pieces(other);
  const places = placesOf(from);
  const changes: (number | string)[] = [];
  let literal = '';
  let last = 0;
  let end = 0;
  for (let at = 0; at < to.texts.length; ) {
    const place = nearest(places.get(contextOf(to, at)), last);
    if (place === undefined) {
      literal += to.texts[at];
      at += 1;
      continue;
    }
    let count = 0;
    while (
      from.texts[place + count] !== undefined &&
      from.texts[place + count] === to.texts[at + count]
    ) {
      count += 1;
    }
    if (literal !== '') changes.push(literal);
    literal = '';
    const start = from.starts[place] as number;
    changes.push(start - end);
    end = from.starts[place + count] as number;
    changes.push(end - start);
    last = place + count;
    at += count;
  }
  return literal === '' ? changes : [...changes, literal];
}

/** A text in pieces: at each comma and opening bracket one ends. */
class Pieces {
  readonly texts: readonly string[];
  /** The byte at which each piece starts, and the length at the end. */
  readonly starts: readonly number[];

  constructor(bytes: Buffer) {
    this.texts = bytes.toString('utf8').split(/(?<=[,{[])/);
    const starts = [0];
    for (const text of this.texts) starts.push((starts.at(-1) as number) + Buffer.byteLength(text));
    this.starts = starts;
  }
}

function contextOf({ texts }: Pieces, at: number): string {
  return texts.slice(at, at + SHORTEST_COPY).join('');
}

function placesOf(pieces: Pieces): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (let at = 0; at + SHORTEST_COPY <= pieces.texts.length; at += 1) {
    const context = contextOf(pieces, at);
    const known = places.get(context);
    if (known === undefined) places.set(context, [at]);
    else known.push(at);
  }
  return places;
}

/** The first place behind the last copy, or else the first of all. */
function nearest(places: readonly number[] | undefined, last: number): number | undefined {
  if (places === undefined) return undefined;
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] as number) < last) low = middle + 1;
    else high = middle;
  }
  return places[low] ?? places[0];
}
