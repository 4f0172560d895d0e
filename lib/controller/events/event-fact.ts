import { ListwatchError } from '../../kernel/failure/errors.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { NewEvent } from './event-sink.ts';

/** The object of an event, as both APIs write it. */
export interface EventReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly fieldPath?: string | undefined;
}

/** One occurrence, checked and in the limits of the server. */
export interface EventFact {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly action: string;
  readonly note: string;
  readonly regarding: EventReference;
  readonly related: EventReference | undefined;
}

const LONGEST_WORD = 128;
const LONGEST_NOTE = 1024;

/** @throws {ListwatchError} code INVALID_OPTION naming what is missing. */
export function eventFact(object: KubernetesObject, event: NewEvent): EventFact {
  const { reason, note, type = 'Normal', action = reason, related, fieldPath } = event;
  if (type !== 'Normal' && type !== 'Warning') {
    throw invalid(`type must be Normal or Warning, not ${String(type)}`);
  }
  if (typeof note !== 'string') throw invalid(`note must be a text, not ${typeof note}`);
  return {
    type,
    reason: word('reason', reason),
    action: word('action', action),
    note: cut(note, LONGEST_NOTE),
    regarding: { ...referenceTo(object), fieldPath },
    related: related === undefined ? undefined : referenceTo(related),
  };
}

/**
 * The key under which occurrences are one event. The resource version of the object is left out: client-go has it in the key, so that
 * an object that changes with each occurrence gets a new event each time.
 */
export function factKey({ type, reason, action, regarding, related }: EventFact): string {
  const about = [identity(regarding), regarding.fieldPath, related && identity(related)];
  return JSON.stringify([type, reason, action, ...about]);
}

/** An object as a part of a key. */
export function identity({ apiVersion, kind, namespace, name, uid }: EventReference): unknown {
  return [apiVersion, kind, namespace, name, uid];
}

function referenceTo(object: KubernetesObject): EventReference {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace, uid, resourceVersion } = metadata ?? {};
  if (!apiVersion || !kind || !name) {
    const text = `the object needs apiVersion, kind and metadata.name (kind ${kind}, name ${name})`;
    throw invalid(text);
  }
  return { apiVersion, kind, name, namespace, uid, resourceVersion };
}

function word(field: string, text: unknown): string {
  if (typeof text === 'string' && text !== '' && text.length <= LONGEST_WORD) return text;
  throw invalid(`${field} must be a text of 1 to ${LONGEST_WORD} characters`);
}

/** Cut between characters; the server counts them as UTF-8. */
function cut(text: string, longest: number): string {
  if (Buffer.byteLength(text) <= longest) return text;
  const bytes = Buffer.from(text).subarray(0, longest - 3);
  return `${bytes.toString().replace(/\uFFFD+$/, '')}…`;
}

function invalid(text: string): ListwatchError {
  return new ListwatchError('INVALID_OPTION', `event: ${text}`);
}
