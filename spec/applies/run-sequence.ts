import type { Answer, Step } from '../compare/scenario.ts';
import { readAnswer } from '../compare/target/read-answer.ts';
import type { Target } from '../compare/target/target.ts';
import { CUSTOM_DEFINITION, CUSTOM_GROUP } from './custom-kind.ts';
import { collectionOf } from './apply-kind.ts';
import type { Sequence } from './draw-sequence.ts';

/** A server with the namespace and the definition that sequences need. */
export interface Ground {
  readonly target: Target;
  readonly namespace: string;
}

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const MOST_TRIES = 100;

/** Creates the namespace and the definition, and waits until objects of the custom kind can be listed. */
export async function prepare({ target, namespace }: Ground): Promise<void> {
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  await send(target, { method: 'POST', path: '/api/v1/namespaces', body: object }, namespace);
  await send(target, { method: 'POST', path: DEFINITIONS, body: CUSTOM_DEFINITION }, namespace);
  const list = { method: 'GET', path: `/apis/${CUSTOM_GROUP}/v1/namespaces/{ns}/widgets` };
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    if ((await send(target, list, namespace)).status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the custom kind was not established');
}

/** Deletes what `prepare` made. A server without a controller manager does not empty a namespace by itself. */
export async function tidy({ target, namespace }: Ground): Promise<void> {
  await send(
    target,
    { method: 'DELETE', path: `${DEFINITIONS}/widgets.${CUSTOM_GROUP}` },
    namespace,
  );
  const path = '/api/v1/namespaces/{ns}';
  await send(target, { method: 'DELETE', path }, namespace);
  const metadata = { name: namespace };
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata, spec: { finalizers: [] } };
  await send(target, { method: 'PUT', path: `${path}/finalize`, body }, namespace);
}

/** The answers to the steps of a sequence; its object is deleted afterwards. */
export async function runSequence(
  { target, namespace }: Ground,
  { kind, name, steps }: Sequence,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (const step of steps) answers.push(await send(target, step, namespace));
  const path = `${collectionOf(kind)}/${name}`;
  const body = { gracePeriodSeconds: 0, propagationPolicy: 'Background' };
  const deleted = await send(target, { method: 'DELETE', path, body }, namespace);
  if (JSON.stringify(deleted.body ?? null).includes('"finalizers"')) {
    const headers = { 'content-type': 'application/merge-patch+json' };
    const patch = { metadata: { finalizers: null } };
    await send(target, { method: 'PATCH', path, headers, body: patch }, namespace);
  }
  return answers;
}

async function send(target: Target, step: Step, namespace: string): Promise<Answer> {
  const { method, path, headers = {}, body } = step;
  const text = body === undefined ? undefined : JSON.stringify(body);
  const raw = await target.send({
    method,
    path: path.replaceAll('{ns}', namespace),
    headers: { 'content-type': 'application/json', ...headers },
    body: text?.replaceAll('{ns}', namespace),
    anonymous: false,
  });
  return readAnswer(raw, { namespace, nowMs: Date.now() }).answer;
}
