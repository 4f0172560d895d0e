import type { ListPage } from '../../../../lib/cache/reflector/contract/lister-watcher.ts';
import { ListwatchError } from '../../../../lib/kernel/failure/errors.ts';
import { ApiError } from '../../../../lib/meta/failure/api-error.ts';
import { isStatus } from '../../../../lib/meta/failure/status.ts';
import { INITIAL_EVENTS_END } from '../../../../lib/meta/watch-event.ts';

/*
 * Frames and pages read the plain way: JSON.parse of the whole, then a look at what came out. It is the measure for what reads
 * bytes.
 */

interface ParsedObject {
  apiVersion?: unknown;
  kind?: unknown;
  readonly metadata?: unknown;
}

export interface ParsedEvent {
  readonly type: string;
  /** Of an event with an object. */
  readonly object?: unknown;
  /** Of a bookmark. */
  readonly resourceVersion?: string;
  readonly initialEventsEnd?: boolean;
  readonly itemKind?: string;
}

/** @throws {ListwatchError} code MALFORMED_FRAME. {ApiError} for an ERROR. */
export function parseFrame(frame: Buffer): ParsedEvent {
  const malformed = (): Error => new ListwatchError('MALFORMED_FRAME', 'no event');
  const event = parse(frame, malformed);
  if (!isRecord(event) || !isRecord(event['object'])) throw malformed();
  const { type, object } = event;
  if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') return { type, object };
  if (type === 'ERROR' && isStatus(object)) throw new ApiError(object);
  if (type !== 'BOOKMARK') throw malformed();
  const metadata = object['metadata'] as
    | { resourceVersion?: unknown; annotations?: Record<string, unknown> }
    | null
    | undefined;
  const resourceVersion = metadata?.resourceVersion;
  if (typeof resourceVersion !== 'string') throw malformed();
  const initialEventsEnd = metadata?.annotations?.[INITIAL_EVENTS_END] === 'true';
  const { kind } = object;
  const itemKind = initialEventsEnd && typeof kind === 'string' ? { itemKind: kind } : {};
  return { type, resourceVersion, initialEventsEnd, ...itemKind };
}

/**
 * Items that are no objects are left out.
 * @throws {ListwatchError} code MALFORMED_RESPONSE.
 */
export function parsePage(body: Buffer): ListPage<unknown> {
  const malformed = (): Error => new ListwatchError('MALFORMED_RESPONSE', 'no list');
  const list = parse(body, malformed);
  if (!isRecord(list) || !('items' in list)) throw malformed();
  const { apiVersion, kind, metadata, items } = list;
  if (items !== null && !Array.isArray(items)) throw malformed();
  const itemKind = typeof kind === 'string' ? /^(.+)List$/s.exec(kind)?.[1] : undefined;
  const objects = ((items ?? []) as ParsedObject[]).filter((item) => isRecord(item));
  const skippedItems = (items ?? []).length - objects.length;
  for (const item of itemKind === undefined ? [] : objects) {
    item.apiVersion ??= apiVersion;
    item.kind ??= itemKind;
  }
  const {
    resourceVersion,
    continue: continueToken,
    remainingItemCount,
  } = (metadata ?? {}) as {
    resourceVersion?: string;
    continue?: string;
    remainingItemCount?: number;
  };
  return {
    items: objects,
    resourceVersion: resourceVersion ?? '',
    ...(continueToken === undefined || continueToken === '' ? {} : { continueToken }),
    ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
    ...(skippedItems === 0 ? {} : { skippedItems }),
    ...((items ?? []).length > 0 || itemKind === undefined ? {} : { itemKind }),
  };
}

/** Whether the outermost value of a text is not closed, as that of an answer that was cut. */
export function isUnclosed(body: Buffer): boolean {
  const tokens = body.toString('latin1').match(/"(?:[^"\\]|\\(?:.|$))*("|$)|[{}[\]]/gs) ?? [];
  let depth = 0;
  for (const token of tokens) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    if (depth === 0) return false;
  }
  return true;
}

function parse(bytes: Buffer, malformed: () => Error): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw malformed();
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
