import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The results of the client on a kube-apiserver 1.36.3, by the title of the case. `npm run check -- verbs --record` writes it. */
export const RECORD_FILE: string = join(import.meta.dirname, 'recorded.json');

export function recordedAnswers(): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(RECORD_FILE, 'utf8')) as Readonly<Record<string, unknown>>;
}
