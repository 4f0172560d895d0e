import { setTimeout as delay } from 'node:timers/promises';
import { isRecord } from '../normalise.ts';
import type { Answer, Scenario, Step } from '../scenario.ts';
import { cleanUp } from './clean-up.ts';
import { readAnswer, type ReadAnswer } from './read-answer.ts';
import type { RawAnswer, SentRequest, Target } from './target.ts';

const PAUSE_MS = 50;

export interface RunOptions {
  readonly namespace: string;
  /** For what the server does in the background, e.g. establish a custom resource. */
  readonly longestWaitMs: number;
}

/** The answers of a server to the steps of a scenario, in a namespace of this name that is deleted afterwards. */
export async function runScenario(
  target: Target,
  { steps, namespace: wanted }: Scenario,
  options: RunOptions,
): Promise<readonly Answer[]> {
  const { namespace } = options;
  const read: ReadAnswer[] = [];
  try {
    if (wanted) await createNamespace(target, namespace);
    for (const step of steps) read.push(await ask(target, step, options, read));
  } finally {
    await cleanUp(target, steps, namespace, wanted);
  }
  return read.map(({ answer }) => answer);
}

const MOST_TRIES = 20;

async function createNamespace(target: Target, name: string): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  const step: Step = { method: 'POST', path: '/api/v1/namespaces', body };
  const request = sentRequest(step, (text) => text);
  let { status, bytes } = await target.send(request);
  // No answer within the time of a request: the machine is busy, and the namespace may be there already.
  for (let again = 1; status === 0 && again < MOST_TRIES; again += 1) {
    ({ status, bytes } = await target.send(request));
    if (status === 409) return;
  }
  if (status !== 201) throw new Error(`namespace ${name}: ${status} ${bytes.toString()}`);
}

async function ask(
  target: Target,
  step: Step,
  { namespace, longestWaitMs }: RunOptions,
  before: readonly ReadAnswer[],
): Promise<ReadAnswer> {
  const request = sentRequest(step, (text) => filledIn(text, namespace, before));
  const deadline = Date.now() + longestWaitMs;
  let raw: RawAnswer = await target.send(request);
  while (step.until !== undefined && raw.status !== step.until && Date.now() < deadline) {
    await delay(PAUSE_MS);
    raw = await target.send(request);
  }
  return readAnswer(raw, { namespace, nowMs: Date.now() });
}

function sentRequest(step: Step, fill: (text: string) => string): SentRequest {
  const { method, path, body, headers = {}, anonymous = false } = step;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type: Record<string, string> =
    text === undefined || 'content-type' in headers ? {} : { 'content-type': 'application/json' };
  const all = Object.entries({ ...type, ...headers }).map(([name, value]) => [name, fill(value)]);
  return {
    method,
    path: fill(path),
    headers: Object.fromEntries(all) as Record<string, string>,
    body: text === undefined ? undefined : fill(text),
    anonymous,
  };
}

function filledIn(text: string, namespace: string, before: readonly ReadAnswer[]): string {
  return text
    .replaceAll('{ns}', namespace)
    .replaceAll(/\{(rv|uid|name|continue):(\d+)\}/g, (_all, what: string, index: string) =>
      fact(before[Number(index)]?.body, what),
    );
}

function fact(body: unknown, what: string): string {
  const metadata = isRecord(body) && isRecord(body['metadata']) ? body['metadata'] : {};
  const value = metadata[what === 'rv' ? 'resourceVersion' : what];
  return typeof value === 'string' ? value : 'missing';
}
