/** `npm run types:definitions`: types for definitions of public projects, compiled with objects that fit them and objects that do not. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import type { Definition } from '../../../lib/cli/types/definition.ts';
import { definitionTypes } from '../../../lib/cli/types/definition-types.ts';
import { readDefinitions } from '../../../lib/cli/types/read-definitions.ts';
import { errorMessage } from '../../../lib/kernel/failure/errors.ts';
import { Draw } from '../../compare/draw.ts';
import { drawValue, recordOf } from '../../definitions/draw-object.ts';
import { compilePrograms } from './compile-programs.ts';
import { misspellField } from './misspell-field.ts';

const USAGE = `npm run types:definitions -- [--seed TEXT] DIR...

DIR is a file of CustomResourceDefinitions, or a folder of such files. For each definition, types are generated; a drawn object of each
served version has to type-check, and the same object with one misspelt field must not.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' }, help: { type: 'boolean', default: false } },
});
if (values.help || positionals.length === 0) {
  console.log(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else {
  process.exitCode = await main(positionals, values.seed);
}

async function main(paths: readonly string[], seed: string): Promise<number> {
  const files = paths.flatMap(filesIn);
  const definitions = await definitionsIn(files);
  const programs: Record<string, string> = {};
  const count = { objects: 0, misspelt: 0, open: 0 };
  for (const [index, definition] of definitions.entries()) {
    const { text, objects, misspelt, open } = programOf(definition, seed);
    programs[`d${index}.ts`] = text;
    count.objects += objects;
    count.misspelt += misspelt;
    count.open += open;
  }
  const once = new Map(definitions.map((one) => [`${one.plural}.${one.group}`, one]));
  programs['all.ts'] = definitionTypes([...once.values()]);
  const lines = await compiled(programs);
  for (const line of lines.slice(0, 30)) {
    const index = /^[^(]*?d(\d+)\.ts/.exec(line)?.[1];
    console.log(
      `${index === undefined ? '' : definitions[Number(index)]?.place} ${line.slice(0, 400)}`,
    );
  }
  const accepted = lines.filter((line) => line.includes('TS2578')).length;
  const typed = Object.values(programs).reduce((sum, text) => sum + text.length, 0);
  console.log(
    `${files.length} files, ${definitions.length} definitions (${once.size} names), ${typed} characters of types and objects`,
  );
  console.log(
    `${count.objects} objects that fit: ${lines.length - accepted} complaints; ${count.misspelt} with a misspelt field: ${accepted} accepted; ${count.open} without a field that can be misspelt`,
  );
  return lines.length === 0 && definitions.length > 0 ? 0 : 1;
}

async function compiled(programs: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'listwatch-types-'));
  try {
    return await compilePrograms(folder, programs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function definitionsIn(files: readonly string[]): Promise<Definition[]> {
  const definitions: Definition[] = [];
  for (const file of files) {
    try {
      definitions.push(...(await readDefinitions([file], () => Readable.from([]))));
    } catch (error) {
      console.log(`left out: ${errorMessage(error)}`);
    }
  }
  return definitions;
}

/** The types of one definition, beside which those of the same group can be: its resources are in a namespace of the file. */
function programOf(definition: Definition, seed: string): Program {
  const types = definitionTypes([definition]).replace(
    "declare module 'listwatch' {\n  interface",
    'declare namespace Own {\n  export interface',
  );
  const { group, plural, kind, versions } = definition;
  const draw = new Draw(`${seed}/${plural}.${group}`);
  const lines: string[] = [];
  let misspelt = 0;
  for (const [index, { name, schema }] of versions.entries()) {
    const apiVersion = `${group}/${name}`;
    const type = `Own.KnownResources[${JSON.stringify(apiVersion)}][${JSON.stringify(plural)}]`;
    const object = {
      ...recordOf(drawValue(draw, { ...schema, type: 'object' })),
      apiVersion,
      kind,
      metadata: { name: 'x' },
    };
    lines.push(`export const good${index}: ${type} = ${JSON.stringify(object)};`);
    const wrong = misspellField(draw, schema, object);
    if (wrong === undefined) continue;
    misspelt += 1;
    lines.push(`// @ts-expect-error a misspelt field`);
    lines.push(`export const wrong${index}: ${type} = ${JSON.stringify(wrong)};`);
  }
  const objects = versions.length;
  return { text: `${types}\n${lines.join('\n')}\n`, objects, misspelt, open: objects - misspelt };
}

interface Program {
  readonly text: string;
  readonly objects: number;
  readonly misspelt: number;
  readonly open: number;
}

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .toSorted()
    .flatMap((name) => filesIn(join(path, name)))
    .filter((file) => /\.(?:ya?ml|json)$/.test(file));
}
