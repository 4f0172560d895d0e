import { parse } from 'yaml';
import { openEnvelope } from '../../../lib/server/storage/scheme/protobuf-serializer.ts';
import { isRecord, normalise, type RunFacts } from '../normalise.ts';
import type { Answer } from '../scenario.ts';
import type { RawAnswer } from './target.ts';

/** The answer to a request as it is compared, and its body as it came. */
export interface ReadAnswer {
  readonly answer: Answer;
  readonly body: unknown;
}

export function readAnswer(raw: RawAnswer, facts: RunFacts): ReadAnswer {
  if (raw.cut) return { body: undefined, answer: { status: 0, type: '', body: 'does not end' } };
  const type = mediaType(raw.headers['content-type'] ?? '');
  const body = bodyOf(raw.bytes, type);
  const warnings = warningsOf(raw).map((text) => text.replaceAll(facts.namespace || '\0', '{ns}'));
  const answer = { status: raw.status, type, body: normalise(body, facts) };
  return { body, answer: warnings.length === 0 ? answer : { ...answer, warnings } };
}

/** Parameters that say what the body is stay. */
function mediaType(header: string): string {
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim());
  return [type, ...parameters.filter((one) => /^(as|g|v|stream)=/.test(one))].join(';');
}

/** Texts of the warnings; Node joins headers of one name by a comma. */
function warningsOf({ headers }: RawAnswer): string[] {
  const header = headers['warning'];
  if (header === undefined) return [];
  return [...header.matchAll(/299 \S+ ("(?:[^"\\]|\\.)*")/g)].map(
    ([, quoted]) => JSON.parse(quoted as string) as string,
  );
}

function bodyOf(bytes: Buffer, type: string): unknown {
  if (bytes.length === 0) return undefined;
  if (type.includes('protobuf')) return envelopeOf(bytes);
  const text = bytes.toString();
  try {
    if (type.startsWith('application/yaml')) return parse(text) as unknown;
    if (type.includes('json')) return jsonOf(text);
  } catch {
    // As text, since it is not what its type says.
  }
  return text;
}

/** The content of a message is a matter of the codec's own specs; here it counts that the kind is the same. */
function envelopeOf(bytes: Buffer): unknown {
  try {
    const { apiVersion, kind } = openEnvelope(bytes);
    return { protobuf: `${apiVersion} ${kind}` };
  } catch {
    return { protobuf: 'not an envelope of Kubernetes' };
  }
}

function jsonOf(text: string): unknown {
  const lines = text.trim().split('\n');
  if (lines.length > 1 && lines.every((line) => line.startsWith('{"'))) {
    return eventsOf(lines.map((line) => JSON.parse(line) as unknown));
  }
  const value: unknown = JSON.parse(text);
  return isEvent(value) ? eventsOf([value]) : value;
}

/** A bookmark comes when the clock says so, except the one at the end of initial events. */
function eventsOf(events: readonly unknown[]): unknown {
  return events.filter(
    (event) =>
      !isRecord(event) ||
      event['type'] !== 'BOOKMARK' ||
      JSON.stringify(event).includes('k8s.io/initial-events-end'),
  );
}

function isEvent(value: unknown): boolean {
  return isRecord(value) && 'type' in value && 'object' in value;
}
