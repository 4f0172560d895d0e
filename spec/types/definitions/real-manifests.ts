import { ApiServer } from '../../../lib/cluster/server/index.ts';
import { askServer } from '../../compare/ask-server.ts';
import type { Answer, Scenario, Step } from '../../compare/scenario.ts';
import { Target } from '../../compare/target/target.ts';
import { recordOf } from '../../definitions/draw-object.ts';
import type { CandidateManifest } from './candidate-manifests.ts';
import type { FoundDefinition } from './largest-definitions.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const AT_A_TIME = 4;
/** Only a hang reaches these. */
const LONGEST_WAIT_MS = 300_000;

/** A manifest, and what a server says of it. */
export interface RealManifest extends CandidateManifest {
  /** Why the server refuses it; undefined if it takes it. */
  readonly refused: string | undefined;
}

/**
 * Asks an embedded server for each manifest: it checks the object against the schema and the rules of its definition, and refuses fields that
 * the schema does not have. Examples may be older than a definition, or wrong on purpose. @returns the manifests by definition.
 */
export async function askForManifests(
  definitions: readonly FoundDefinition[],
  manifests: ReadonlyMap<string, readonly CandidateManifest[]>,
): Promise<ReadonlyMap<string, readonly RealManifest[]>> {
  await using server = new ApiServer();
  await server.listen();
  const { url, token } = server;
  const target = new Target({ server: url, token, longestRequestMs: LONGEST_WAIT_MS });
  const asked = definitions.map(({ name, object }) => ({
    name,
    object,
    own: manifests.get(name) ?? [],
  }));
  try {
    const answers = await askServer(
      target,
      asked.map(({ object, own }) => scenarioOf(object, own)),
      { prefix: 'types', atATime: AT_A_TIME, longestWaitMs: LONGEST_WAIT_MS },
    );
    return new Map(
      asked.map(({ name, own }, index) => [
        name,
        own.map((one, number) => ({ ...one, refused: refusal(answers[index], number) })),
      ]),
    );
  } finally {
    target.close();
  }
}

/** Creates the definition, waits until it is served, and sends each manifest as a dry run that knows no surplus fields. */
function scenarioOf(
  definition: Record<string, unknown>,
  manifests: readonly CandidateManifest[],
): Scenario {
  const id = String(recordOf(definition['metadata'])['name']);
  const copy = structuredClone(definition);
  const spec = recordOf(copy['spec']);
  delete copy['status'];
  delete spec['conversion'];
  const versions = Array.isArray(spec['versions']) ? (spec['versions'] as unknown[]) : [];
  const served = versions.map(recordOf).find((one) => one['served'] === true);
  const namespaced = spec['scope'] === 'Namespaced';
  const pathOf = (apiVersion: string): string =>
    `/apis/${apiVersion}/${namespaced ? 'namespaces/{ns}/' : ''}${String(recordOf(spec['names'])['plural'])}`;
  const first = `${String(spec['group'])}/${String(served?.['name'])}`;
  const steps: Step[] = [
    { method: 'POST', path: CRDS, body: copy },
    { method: 'GET', path: pathOf(first), until: 200 },
    ...manifests.map(({ object }): Step => {
      const metadata: Record<string, unknown> = { ...recordOf(object['metadata']) };
      delete metadata['namespace'];
      return {
        method: 'POST',
        path: `${pathOf(String(object['apiVersion']))}?dryRun=All&fieldValidation=Strict`,
        body: { ...object, metadata },
      };
    }),
  ];
  return {
    id,
    area: 'custom resources',
    namespace: true,
    // Without manifests there is nothing to ask.
    steps: manifests.length === 0 ? [] : steps,
  };
}

function refusal(answers: readonly Answer[] | undefined, number: number): string | undefined {
  const answer = [answers?.[0], answers?.[number + 2]].find((one) => one?.status !== 201);
  if (answer === undefined) return undefined;
  return `${answer.status} ${String(recordOf(answer.body)['message'])}`;
}
