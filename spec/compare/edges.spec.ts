import { join } from 'node:path';
import { expect } from 'chai';
import { askEmbedded } from './ask-server.ts';
import { differences } from './aspects.ts';
import { readCorpus } from './corpus.ts';
import { edgeScenarios } from './edge-scenarios.ts';
import { canonical, isRecord } from './normalise.ts';
import { compareAll, type Compared } from './report.ts';

const FILE = join(import.meta.dirname, 'corpus', 'edges.jsonl');
const MOST_SHOWN = 5;

/** Autoscalers have a generation since 1.37. */
const OF_THE_VERSION = /^\.metadata\.generation: \d+ \| –$/;

function differencesOf({ real, embedded }: Compared): string[] {
  const answers = [real, embedded].map(({ status, type, warnings = [], body }) => ({
    status,
    type,
    warnings,
    body: withManagersInOrder(body),
  }));
  const lines = differences(answers[0], answers[1], MOST_SHOWN);
  return lines.filter((line) => !OF_THE_VERSION.test(line.replace(/^\.body/, '')));
}

/** Managers of one second are in the order of their names, those of two are not. */
function withManagersInOrder(body: unknown): unknown {
  if (!isRecord(body) || !isRecord(body['metadata'])) return body;
  const { metadata } = body;
  const { managedFields } = metadata;
  if (!Array.isArray(managedFields)) return body;
  const sorted = managedFields.toSorted((one: unknown, other: unknown) =>
    canonical(one) < canonical(other) ? -1 : 1,
  );
  return { ...body, metadata: { ...metadata, managedFields: sorted } };
}

describe('requests at the edges of the API', () => {
  it('are answered like by the recorded kube-apiserver', async () => {
    const { scenarios, answers } = await readCorpus(FILE);
    const compared = compareAll(scenarios, answers, await askEmbedded(scenarios));
    const different = compared.flatMap((one) => {
      const lines = differencesOf(one);
      return lines.length === 0 ? [] : [`${one.id} ${one.step.method} ${one.step.path}`, ...lines];
    });
    expect(different).to.deep.equal([]);
  }).timeout(60_000);

  it('are recorded, all of them, from a named version', async () => {
    const { version, scenarios } = await readCorpus(FILE);
    expect(version).to.match(/^v1\.\d+\.\d+$/);
    expect(scenarios).to.deep.equal(edgeScenarios());
  });
});
