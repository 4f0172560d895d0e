import { isBackgroundResource } from '../network/request-facts.ts';
import type { JournalEntry } from '../record/journal.ts';
import type { RunRecord } from '../run/run-record.ts';

/** One line of the story of a run. */
export interface StoryLine {
  readonly atMs: number;
  /** A process, `user`, `clean-up` or `server`. */
  readonly actor: string;
  readonly kind: JournalEntry['type'];
  readonly text: string;
  /** A fact that the process could not know: its cache differed from the server. */
  readonly stale?: string | undefined;
}

const decoder = new TextDecoder();

interface SeenObject {
  readonly resource: string;
  readonly object: string;
  readonly type: string;
  readonly version: string;
}

/**
 * A detailed run as lines: what the server committed, what the watches showed to each process, and what each process then wrote, with the
 * version of the object in its cache where the server had another one.
 */
export function storyLines(record: RunRecord): readonly StoryLine[] {
  const lines: StoryLine[] = [];
  const seen = new Map<string, string>();
  const committed = new Map<string, string>();
  /** Requests without a line, by their numbers. */
  const untold = new Map<number, string>();
  const entries = merged(record);
  for (const entry of entries) {
    if ('object' in entry) {
      const { atMs, actor, resource, object, type, version } = entry;
      const key = `${actor} ${resource} ${object}`;
      const now = type === 'DELETED' ? NONE : version;
      // A list that looks whether a silent watch is alive adds nothing new.
      if (seen.get(key) === now) continue;
      seen.set(key, now);
      lines.push({
        atMs,
        actor,
        kind: 'event',
        text: `sees ${resource} ${object} ${WORDS[type] ?? type}, version ${version}`,
      });
      continue;
    }
    const { atMs, actor, type: kind, text } = entry;
    if (kind === 'commit') {
      const [resource = '', object = '', , version = ''] = text.split(' ');
      committed.set(`${resource} ${object}`, text.includes(' deleted ') ? NONE : version);
      if (!isBackgroundResource(resource))
        lines.push({ atMs, actor, kind, text: commitText(text) });
      continue;
    }
    if (kind === 'start' || kind === 'crash') forget(seen, actor);
    if (kind === 'request') {
      const line = requestLine(entry, seen, committed);
      if (line === undefined) untold.set(entry.id, text.trim());
      else lines.push(line);
      continue;
    }
    if (kind !== 'answer') lines.push({ atMs, actor, kind, text: lineText(kind, text) });
    else if (!/^2|^none/.test(text))
      lines.push({ atMs, actor, kind, text: answerText(text, entry.id, untold) });
  }
  return lines;
}

/** The version of an object that is not there. */
const NONE = 'none';

const WORDS: Readonly<Record<string, string>> = {
  ADDED: 'added',
  MODIFIED: 'changed',
  DELETED: 'deleted',
};

function commitText(text: string): string {
  const [resource, object, change, version] = text.split(' ');
  return `wrote ${resource} ${object}: ${change}, version ${version}`;
}

/** With a verb, where the journal has none. */
function lineText(kind: JournalEntry['type'], text: string): string {
  if (kind === 'start') return `starts ${text}`;
  return kind === 'crash' ? `dies ${text}` : text;
}

function requestLine(
  entry: Extract<JournalEntry, { readonly type: 'request' }>,
  seen: ReadonlyMap<string, string>,
  committed: ReadonlyMap<string, string>,
): StoryLine | undefined {
  const { atMs, actor, text, id } = entry;
  const [verb = '', resource = '', object = ''] = text.split(' ');
  if (['watch', 'list', 'GET'].includes(verb) || isBackgroundResource(resource)) return undefined;
  const [main] = resource.split('/');
  const cached = seen.get(`${actor} ${main} ${object}`);
  const stored = committed.get(`${main} ${object}`);
  const isStale = cached !== undefined && stored !== undefined && cached !== stored;
  const stale = isStale ? `its cache has ${state(cached)}, the server ${state(stored)}` : undefined;
  return { atMs, actor, kind: 'request', text: `sends ${text} (#${id})`, stale };
}

/** A reader knows a request by its number only if it was shown. */
function answerText(answer: string, id: number, untold: ReadonlyMap<number, string>): string {
  const request = untold.get(id);
  return `gets the answer ${answer} to ${request === undefined ? `request #${id}` : `${request} (#${id})`}`;
}

function state(version: string): string {
  return version === NONE ? 'none' : `version ${version}`;
}

function forget(seen: Map<string, string>, actor: string): void {
  for (const key of seen.keys()) if (key.startsWith(`${actor} `)) seen.delete(key);
}

type Merged = JournalEntry | (SeenObject & { readonly atMs: number; readonly actor: string });

function merged(record: RunRecord): readonly Merged[] {
  const all: Merged[] = [];
  const { entries } = record.journal;
  let next = 0;
  for (const { atMs, actor, resource, piece, entriesBefore } of record.events) {
    all.push(...entries.slice(next, entriesBefore));
    next = entriesBefore;
    for (const one of objectsIn(piece)) all.push({ atMs, actor, resource, ...one });
  }
  return [...all, ...entries.slice(next)];
}

interface Wire {
  readonly type?: string;
  readonly object?: WireObject;
  readonly items?: readonly WireObject[];
}

interface WireObject {
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly resourceVersion?: string;
  };
}

/** The objects of a piece of a watch, or of a list. */
function objectsIn(piece: Uint8Array): readonly Omit<SeenObject, 'resource'>[] {
  return decoder
    .decode(piece)
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .flatMap((line) => {
      const { type = 'ADDED', object, items } = parsed(line);
      if (type === 'BOOKMARK') return [];
      return (items ?? (object === undefined ? [] : [object])).flatMap((one) =>
        seenObject(one, type),
      );
    });
}

function seenObject(
  { metadata }: WireObject,
  type: string,
): readonly Omit<SeenObject, 'resource'>[] {
  const { name, namespace, resourceVersion = '' } = metadata ?? {};
  if (name === undefined) return [];
  const object = namespace === undefined ? name : `${namespace}/${name}`;
  return [{ object, type, version: resourceVersion }];
}

function parsed(line: string): Wire {
  try {
    return JSON.parse(line) as Wire;
  } catch {
    // A frame may be cut between two pieces: the story then lacks one event.
    return {};
  }
}
