import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The answers of a kube-apiserver 1.36.3, by the title of the case. `npm run check -- admission --record` writes it. */
export const RECORD_FILE: string = join(import.meta.dirname, 'recorded.json');

export function recordedAnswers(): Readonly<Record<string, unknown>> {
  if (!existsSync(RECORD_FILE)) return {};
  return JSON.parse(readFileSync(RECORD_FILE, 'utf8')) as Readonly<Record<string, unknown>>;
}
