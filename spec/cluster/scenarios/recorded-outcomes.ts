import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The outcomes of the scenarios on kube-apiserver, kube-controller-manager and kube-scheduler 1.37.2, by title. `npm run check -- cluster --record` writes it. */
export const RECORD_FILE: string = join(import.meta.dirname, 'recorded.json');

export function recordedOutcomes(): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(RECORD_FILE, 'utf8')) as Readonly<Record<string, unknown>>;
}
