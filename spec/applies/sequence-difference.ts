import { createHash } from 'node:crypto';
import { canonical, isRecord } from '../compare/normalise.ts';
import type { Answer } from '../compare/scenario.ts';

/**
 * The part of an answer that has to be the same: its status, and the object with its managed fields, or the conflicts. Rules of a kind have a
 * comparison of their own (`npm run check -- rules`): of their refusals, 422, only the status counts.
 */
export function essenceOf({ status, body }: Answer): string {
  if (status === 422) return '422';
  if (!isRecord(body) || body['kind'] !== 'Status') return `${status} ${canonical(body ?? null)}`;
  const { message, reason, details } = body;
  const causes = isRecord(details) && Array.isArray(details['causes']) ? details['causes'] : [];
  // The managers of conflicts come in a random order of Go.
  const sorted = causes.map(canonical).toSorted();
  return `${status} ${canonical({ message: withoutPorts(message), reason, causes: sorted })}`;
}

/** Node ports are random. */
function withoutPorts(message: unknown): unknown {
  if (typeof message !== 'string') return message;
  return message.replace(/(?<=duplicate nodePort: \{\w+ )\d+/, '{port}');
}

/** The step at which two runs differ; -1 when they do not. */
export function firstDifference(one: readonly Answer[], other: readonly Answer[]): number {
  return one.findIndex((answer, index) => {
    const second = other[index];
    return second === undefined || essenceOf(answer) !== essenceOf(second);
  });
}

/** A short text that stands for the essence of an answer in the record: its status and a digest. */
export function digestOf(answer: Answer): string {
  const digest = createHash('sha256').update(essenceOf(answer)).digest('base64url').slice(0, 8);
  return `${answer.status} ${digest}`;
}
