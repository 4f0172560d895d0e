import {
  NEWEST_MINOR,
  RELEASES,
  type KubernetesMinor,
} from '../../lib/meta/releases/kubernetes-releases.ts';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { differences } from '../compare/aspects.ts';
import { canonical, isRecord, withoutManagedFields } from '../compare/normalise.ts';
import type { Answer } from '../compare/scenario.ts';
import { ruleCasesOf, scenarioOf, type RuleCases } from './rule-cases.ts';

/** An answer as it is recorded: a refusal by its causes, an object by its differences from the answer to the base. */
export interface RuleAnswer {
  readonly status: number;
  readonly reason?: unknown;
  /** Of a refusal without causes. */
  readonly message?: unknown;
  /** `reason field: message` of each. */
  readonly causes?: readonly string[];
  readonly warnings?: readonly string[];
  /** Of an object, without managed fields. */
  readonly changes?: readonly string[];
  /** Of the base only, without managed fields. */
  readonly object?: unknown;
}

export interface RecordedRules {
  /** Of the kube-apiserver that answered. */
  readonly version: string;
  /** By the titles of the cases. */
  readonly answers: Readonly<Record<string, RuleAnswer>>;
}

/** The message of the embedded server for rules that it does not evaluate. */
const OWN_WARNING = / by this server$/;

const MOST_CHANGES = 1000;
const FOLDER = join(import.meta.dirname, 'answers');

/** The answers to the cases of a kind by their titles; `all` are those of the scenario. */
export function ruleAnswersOf(
  kind: RuleCases,
  all: readonly Answer[],
): Readonly<Record<string, RuleAnswer>> {
  const { steps } = scenarioOf(kind);
  const answers = all.filter((_answer, index) => steps[index]?.setup !== true);
  const base = answers[0];
  return Object.fromEntries(
    ruleCasesOf(kind).map(({ title }, index) => [
      title,
      ruleAnswerOf(answers[index] as Answer, index === 0 ? undefined : base),
    ]),
  );
}

function ruleAnswerOf(answer: Answer, base: Answer | undefined): RuleAnswer {
  const { status, body, warnings } = answer;
  const comparable = warnings?.filter((one) => !OWN_WARNING.test(one)) ?? [];
  const warned = comparable.length === 0 ? {} : { warnings: comparable };
  if (isRecord(body) && body['kind'] === 'Status') {
    const causes = causesOf(body);
    const message = causes.length === 0 ? { message: body['message'] } : {};
    return { status, reason: body['reason'], ...message, causes, ...warned };
  }
  const object = sorted(body);
  if (base === undefined) return { status, ...warned, object };
  const changes = differences(sorted(base.body), object, MOST_CHANGES).filter(
    (line) => !line.startsWith('.metadata.name:'),
  );
  return { status, ...warned, changes };
}

/** Without managed fields, members sorted: servers print them in orders of their own. */
function sorted(body: unknown): unknown {
  const text = JSON.stringify(withoutManagedFields(body), (_key, member: unknown) =>
    isRecord(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
  return JSON.parse(text ?? 'null') as unknown;
}

function causesOf({ details }: Readonly<Record<string, unknown>>): string[] {
  const causes = isRecord(details) ? details['causes'] : undefined;
  if (!Array.isArray(causes)) return [];
  return causes
    .filter(isRecord)
    .map(({ reason, field, message }) => `${String(reason)} ${String(field)}: ${String(message)}`);
}

/** Whether two answers say the same. */
export function sameRuleAnswer(
  one: RuleAnswer | undefined,
  other: RuleAnswer | undefined,
): boolean {
  return canonical(comparable(one)) === canonical(comparable(other));
}

/** The order of members is no part of an object, so that of their differences is none of an answer. */
function comparable(answer: RuleAnswer | undefined): unknown {
  const { changes } = answer ?? {};
  if (changes === undefined) return answer ?? null;
  return { ...answer, changes: changes.map(lineInOneOrder).toSorted() };
}

/** `.path: value | value`, where a value may contain the signs between them. */
function lineInOneOrder(line: string): string {
  const start = line.indexOf(': ') + 2;
  for (let at = line.indexOf(' | ', start); at > 0; at = line.indexOf(' | ', at + 1)) {
    const values = [line.slice(start, at), line.slice(at + 3)].map(valueInOneOrder);
    if (!values.includes(undefined)) return line.slice(0, start) + values.join(' | ');
  }
  return line;
}

function valueInOneOrder(text: string): string | undefined {
  try {
    return text === '–' ? text : canonical(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** A file of answers. */
interface AnswerFile extends RecordedRules {
  /** Those of other versions that differ, by the version of the server. */
  readonly older?: Readonly<Record<string, RecordedRules['answers']>>;
}

/** The recording of a kind, of the newest version unless another one is named; undefined when there is none. */
export function recordedRules(
  kind: RuleCases,
  minor: KubernetesMinor = NEWEST_MINOR,
): RecordedRules | undefined {
  const file = readFile(kind);
  if (file === undefined || minor === NEWEST_MINOR) return file;
  const version = RELEASES[minor];
  return { version, answers: { ...file.answers, ...file.older?.[version] } };
}

function readFile(kind: RuleCases): AnswerFile | undefined {
  const file = fileOf(kind);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as AnswerFile) : undefined;
}

/**
 * Writes the answers of one version: one line for each case, so that a new record shows what changed. Of an older version those that differ
 * are kept.
 */
export function recordRules(kind: RuleCases, { version, answers }: RecordedRules): void {
  const before = readFile(kind);
  const isNewest = version === RELEASES[NEWEST_MINOR];
  const newest = isNewest || before === undefined ? answers : before.answers;
  const older = new Map(Object.entries(before?.older ?? {}));
  if (!isNewest) {
    const different = Object.entries(answers).filter(
      ([title, answer]) => !sameRuleAnswer(answer, newest[title]),
    );
    older.set(version, Object.fromEntries(different));
  }
  const others = [...older]
    .filter(([, all]) => Object.keys(all).length > 0)
    .toSorted(([a], [b]) => (a < b ? 1 : -1));
  const parts = [
    `{"version": ${JSON.stringify(RELEASES[NEWEST_MINOR])}, "answers": {\n${linesOf(newest)}\n}`,
    ...(others.length === 0
      ? []
      : [
          `, "older": {\n${others.map(([name, all]) => `${JSON.stringify(name)}: {\n${linesOf(all)}\n}`).join(',\n')}\n}`,
        ]),
    '}\n',
  ];
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(fileOf(kind), parts.join(''));
}

function linesOf(answers: RecordedRules['answers']): string {
  return Object.entries(answers)
    .map(([title, answer]) => `${JSON.stringify(title)}: ${JSON.stringify(answer)}`)
    .join(',\n');
}

function fileOf({ title }: RuleCases): string {
  const name = title.toLowerCase().replaceAll(/[^a-z0-9.]+/g, '-');
  return join(FOLDER, `${name}.json`);
}
