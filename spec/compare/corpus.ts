import { readFile, writeFile } from 'node:fs/promises';
import type { Answer, Area, Scenario, Step } from './scenario.ts';

/** Recorded answers of a real server: facts, with the version that they came from. */
export interface Corpus {
  readonly version: string;
  /** Of the recording, e.g. `2026-01-31`. */
  readonly date: string;
  readonly seed: string;
  readonly scenarios: readonly Scenario[];
  /** For each scenario and step; undefined for steps that only prepare. */
  readonly answers: readonly (readonly (Answer | undefined)[])[];
}

interface Head {
  readonly version: string;
  readonly date: string;
  readonly seed: string;
}

interface ScenarioLine {
  readonly id: string;
  readonly area: Area;
  readonly namespace: boolean;
}

interface StepLine {
  readonly step: Step;
  readonly answer?: Omit<Answer, 'body'> & {
    readonly body?: unknown;
    /** Instead of a body: the answer of the file, counted from 0, that has the same one. Half of all bodies come more than once. */
    readonly bodyOf?: number;
  };
}

/** One JSON value a line: the head, then each scenario, followed by its steps. */
export async function writeCorpus(file: string, corpus: Corpus): Promise<void> {
  const { version, date, seed, scenarios, answers } = corpus;
  const shorter = sharedBodies();
  const head: Head = { version, date, seed };
  const lines = scenarios.flatMap(({ id, area, namespace, steps }, at) => {
    const title: ScenarioLine = { id, area, namespace };
    const recorded = steps.map((step, number): StepLine => {
      const answer = answers[at]?.[number];
      return answer === undefined || step.setup === true
        ? { step }
        : { step, answer: shorter(answer) };
    });
    return [title, ...recorded];
  });
  await writeFile(file, [head, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''));
}

/** Shorter ones would not be shorter. Characters of JSON. */
const SHORTEST_SHARED = 40;

/** Takes the answers one after the other; a body that came before becomes the number of its answer. */
function sharedBodies(): (answer: Answer) => NonNullable<StepLine['answer']> {
  const seen = new Map<string, number>();
  let count = 0;
  return (answer) => {
    const number = count;
    count += 1;
    const text = JSON.stringify(answer.body) ?? '';
    const earlier = seen.get(text);
    if (text.length < SHORTEST_SHARED) return answer;
    if (earlier === undefined) {
      seen.set(text, number);
      return answer;
    }
    const { body: _body, ...rest } = answer;
    return { ...rest, bodyOf: earlier };
  };
}

/** @throws an Error that names the line when the file is not a corpus. */
export async function readCorpus(file: string): Promise<Corpus> {
  const [first = '', ...rest] = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const head = JSON.parse(first) as Head;
  const read: { readonly title: ScenarioLine; readonly lines: StepLine[] }[] = [];
  for (const [index, text] of rest.entries()) {
    const line = JSON.parse(text) as ScenarioLine | StepLine;
    if ('id' in line) read.push({ title: line, lines: [] });
    else if ('step' in line && read.length > 0) read.at(-1)!.lines.push(line);
    else throw new Error(`${file}:${index + 2}: neither a scenario nor a step of one`);
  }
  const bodies: unknown[] = [];
  const whole = ({ answer }: StepLine): Answer | undefined => {
    if (answer === undefined) return undefined;
    const { bodyOf, body, ...rest } = answer;
    bodies.push(bodyOf === undefined ? body : bodies[bodyOf]);
    return { ...rest, body: bodies.at(-1) };
  };
  return {
    ...head,
    scenarios: read.map(({ title, lines }) => ({ ...title, steps: lines.map(({ step }) => step) })),
    answers: read.map(({ lines }) => lines.map(whole)),
  };
}
