import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { Draw } from '../compare/draw.ts';
import { isRecord } from '../compare/normalise.ts';
import type { Scenario, Step } from '../compare/scenario.ts';
import { breakValue, drawValue, recordOf } from './draw-object.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export interface ScenarioOptions {
  readonly seed: string;
  /** Objects of each served version: as many that should be accepted, and broken ones. */
  readonly count: number;
  /** Leaves out rules in CEL, so that other differences show. */
  readonly withoutRules: boolean;
}

/** The definitions in files of these folders, each name once. */
export function definitionsIn(folders: readonly string[]): Record<string, unknown>[] {
  const byName = new Map<string, Record<string, unknown>>();
  for (const file of folders.flatMap(filesIn)) {
    for (const document of parseAllDocuments(readFileSync(file, 'utf8'), { logLevel: 'error' })) {
      const object: unknown = document.toJS({ maxAliasCount: 1000 });
      if (!isRecord(object) || object['kind'] !== 'CustomResourceDefinition') continue;
      if (object['apiVersion'] !== 'apiextensions.k8s.io/v1') continue;
      const name = String(recordOf(object['metadata'])['name']);
      if (!byName.has(name)) byName.set(name, object);
    }
  }
  return [...byName.values()];
}

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return /\.(?:ya?ml|json)$/.test(path) ? [path] : [];
  return readdirSync(path)
    .toSorted()
    .flatMap((name) => filesIn(join(path, name)));
}

/** Creates a definition in a group of the run, and objects of each of its versions. */
export function scenarioOf(
  definition: Record<string, unknown>,
  { seed, count, withoutRules }: ScenarioOptions,
): Scenario {
  const moved = inGroupOfRun(definition, withoutRules);
  const spec = recordOf(moved['spec']);
  const names = recordOf(spec['names']);
  const group = String(spec['group']);
  const id = String(recordOf(definition['metadata'])['name']);
  const draw = new Draw(`${seed}/${id}`);
  const within = spec['scope'] === 'Namespaced' ? 'namespaces/{ns}/' : '';
  const steps: Step[] = [{ method: 'POST', path: CRDS, body: moved }];
  const versions = Array.isArray(spec['versions']) ? (spec['versions'] as unknown[]) : [];
  for (const version of versions.map(recordOf).filter((one) => one['served'] === true)) {
    const path = `/apis/${group}/${String(version['name'])}/${within}${String(names['plural'])}`;
    steps.push({ method: 'GET', path, setup: true, until: 200 });
    const schema = recordOf(recordOf(version['schema'])['openAPIV3Schema']);
    for (let number = 0; number < 2 * count; number += 1) {
      const object = recordOf(drawValue(draw, { ...schema, type: 'object' }));
      const body = {
        ...object,
        apiVersion: `${group}/${String(version['name'])}`,
        kind: names['kind'],
        metadata: { name: `{ns}-${number}` },
      };
      if (number >= count) breakValue(draw, body);
      const strict = draw.chance(0.2) ? '&fieldValidation=Strict' : '';
      steps.push({ method: 'POST', path: `${path}?dryRun=All${strict}`, body });
    }
  }
  return { id: `definitions/${id}`, area: 'custom resources', namespace: true, steps };
}

/** Each definition has a group of its own, so that none meets one that is there already. No webhook is asked. */
function inGroupOfRun(
  definition: Record<string, unknown>,
  withoutRules: boolean,
): Record<string, unknown> {
  const copy = structuredClone(definition);
  const spec = recordOf(copy['spec']);
  const group = `{ns}.${String(spec['group'])}`;
  spec['group'] = group;
  if (recordOf(spec['conversion'])['strategy'] === 'Webhook') delete spec['conversion'];
  const metadata = recordOf(copy['metadata']);
  metadata['name'] = `${String(recordOf(spec['names'])['plural'])}.${group}`;
  delete copy['status'];
  if (withoutRules) dropRules(spec);
  return copy;
}

function dropRules(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (isRecord(value) && Array.isArray(value['x-kubernetes-validations'])) {
    delete value['x-kubernetes-validations'];
  }
  for (const inner of Object.values(value)) dropRules(inner);
}
