import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { ApiServer } from '../../../lib/server/index.ts';
import { askServer } from '../../compare/ask-server.ts';
import { isRecord } from '../../compare/normalise.ts';
import type { Answer, Scenario, Step } from '../../compare/scenario.ts';
import { Target } from '../../compare/target/target.ts';
import { recordOf } from '../../definitions/draw-object.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const AT_A_TIME = 4;
/** Only a hang reaches these. */
const LONGEST_WAIT_MS = 300_000;

/** An object from a file, and what a server says of it. */
export interface RealManifest {
  /** The file, and the number of the document in it. */
  readonly place: string;
  readonly object: Record<string, unknown>;
  /** Why the server refuses it; undefined if it takes it. */
  readonly refused: string | undefined;
}

/** `group/Kind` */
export function typeOf(object: Record<string, unknown>): string {
  const [group = ''] = String(object['apiVersion']).split('/');
  return `${group}/${String(object['kind'])}`;
}

/** The objects in files, by type. A file that is no YAML, such as a template, has none. */
export function manifestsIn(
  files: readonly string[],
): Map<string, Omit<RealManifest, 'refused'>[]> {
  const byType = new Map<string, Omit<RealManifest, 'refused'>[]>();
  for (const file of files) {
    const documents = parseAllDocuments(readFileSync(file, 'utf8'), { logLevel: 'error' });
    for (const [index, document] of [...documents].entries()) {
      if (document.errors.length > 0) continue;
      const object: unknown = document.toJS({ maxAliasCount: 1000 });
      if (!isRecord(object) || typeof object['apiVersion'] !== 'string') continue;
      const same = byType.get(typeOf(object)) ?? [];
      byType.set(typeOf(object), same);
      // The status of an example is what some controller would set; a server drops it, and what is null in metadata.
      const { status: _dropped, ...sent } = object;
      const given = Object.entries(recordOf(object['metadata']));
      const metadata = Object.fromEntries(given.filter(([, value]) => value !== null));
      same.push({ place: `${file}, document ${index + 1}`, object: { ...sent, metadata } });
    }
  }
  return byType;
}

/**
 * Asks an embedded server for each manifest whose definition is there: it checks the object against the schema, and refuses fields that the
 * schema does not have. Examples may be older than a definition, or wrong on purpose. The list of a definition has its index.
 */
export async function askForManifests(
  definitions: readonly Record<string, unknown>[],
  byType: ReadonlyMap<string, readonly Omit<RealManifest, 'refused'>[]>,
): Promise<readonly (readonly RealManifest[])[]> {
  await using server = new ApiServer();
  await server.listen();
  const { url, token } = server;
  const target = new Target({ server: url, token, longestRequestMs: LONGEST_WAIT_MS });
  const own = definitions.map((definition) => byType.get(definedType(definition)) ?? []);
  try {
    const answers = await askServer(
      target,
      definitions.map((definition, index) => scenarioOf(definition, own[index] ?? [])),
      { prefix: 'types', atATime: AT_A_TIME, longestWaitMs: LONGEST_WAIT_MS },
    );
    return own.map((manifests, index) =>
      manifests.map((one, number) => ({ ...one, refused: refusal(answers[index], number) })),
    );
  } finally {
    target.close();
  }
}

function definedType(definition: Record<string, unknown>): string {
  const spec = recordOf(definition['spec']);
  return `${String(spec['group'])}/${String(recordOf(spec['names'])['kind'])}`;
}

/** Creates the definition, waits until it is served, and sends each manifest as a dry run that knows no surplus fields. */
function scenarioOf(
  definition: Record<string, unknown>,
  manifests: readonly Omit<RealManifest, 'refused'>[],
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
