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
import { definitionsIn } from '../../definitions/definition-scenarios.ts';
import { recordOf } from '../../definitions/draw-object.ts';
import { compilePrograms } from './compile-programs.ts';
import { definitionProgram, refusedProgram, type Program } from './definition-program.ts';
import { askForManifests, manifestsIn, type RealManifest } from './real-manifests.ts';

const USAGE = `npm run types:definitions -- [--seed TEXT] [--manifests DIR]... DIR...

DIR is a file of CustomResourceDefinitions, or a folder of such files. For each definition, types are generated; a drawn object of each
served version has to type-check, and the same object with one misspelt field must not.

The objects in --manifests, if their definition is there, are held to the same. Examples may be wrong, or older than a definition: an
embedded server is asked whether it takes the object without a surplus field. Of those that it refuses for a field that the schema does
not have, none may type-check.`;

const MOST_LINES = 30;
const SURPLUS = /unknown field "(?!metadata\.)/;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    manifests: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', default: false },
  },
});
if (values.help || positionals.length === 0) {
  console.log(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else {
  process.exitCode = await main(positionals, values.seed, values.manifests);
}

async function main(
  paths: readonly string[],
  seed: string,
  manifests: readonly string[],
): Promise<number> {
  const files = paths.flatMap(filesIn);
  const definitions = await readAll(files);
  const real = await realManifests(paths, manifests);
  const programs = new Map<string, Program>();
  for (const [index, definition] of definitions.entries()) {
    const own = real.get(`${definition.plural}.${definition.group}`) ?? [];
    programs.set(`d${index}.ts`, definitionProgram(definition, seed, own));
    const refused = refusedProgram(definition, `d${index}.ts`, own);
    if (refused.objects.length > 0) programs.set(`r${index}.ts`, refused);
  }
  const none = [...real].filter(([, own]) => own.length > 0 && !own.some(isTaken));
  for (const [name, [first]] of none)
    console.log(`${name}: no real object fits, ${first?.refused}`);
  const once = new Map(definitions.map((one) => [`${one.plural}.${one.group}`, one]));
  const texts = Object.fromEntries([...programs].map(([name, { text }]) => [name, text]));
  const lines = await compiled({ ...texts, 'all.ts': definitionTypes([...once.values()]) });
  const typed = Object.values(texts).reduce((sum, text) => sum + text.length, 0);
  console.log(
    `${files.length} files, ${definitions.length} definitions (${once.size} names), ${typed} characters of types and objects`,
  );
  return report(programs, definitions, lines) && definitions.length > 0 ? 0 : 1;
}

function isTaken({ refused }: RealManifest): boolean {
  return refused === undefined;
}

/** The real manifests by the name of their definition. */
async function realManifests(
  paths: readonly string[],
  folders: readonly string[],
): Promise<ReadonlyMap<string, readonly RealManifest[]>> {
  if (folders.length === 0) return new Map();
  const raw = definitionsIn(paths);
  const answers = await askForManifests(raw, manifestsIn(folders.flatMap(filesIn)));
  return new Map(
    raw.map((one, index) => [String(recordOf(one['metadata'])['name']), answers[index] ?? []]),
  );
}

/** Prints what the compiler says and how much there is. @returns whether all is as it should be. */
function report(
  programs: ReadonlyMap<string, Program>,
  definitions: readonly Definition[],
  lines: readonly string[],
): boolean {
  const complaints = new Map<string, string>();
  const others: string[] = [];
  for (const line of lines) {
    const [, file = '', at = ''] = /(?:^|\/)(\w+\.ts)\((\d+),/.exec(line) ?? [];
    // Lines with a space are the rest of a message.
    if (file === '') continue;
    if (programs.get(file)?.objects.some((one) => one.line === Number(at)) === true) {
      complaints.set(`${file}:${at}`, line);
    } else {
      // The comment above an object that type-checks though a field is misspelt, or the types themselves.
      const wrong = programs.get(file)?.objects.find((one) => one.line === Number(at) + 1);
      if (wrong?.misspelt === true) complaints.set(`${file}:${wrong.line}`, line);
      else others.push(line);
    }
  }
  const wrong: string[] = [];
  const count = { drawn: 0, real: 0, kinds: 0, misspelt: 0, open: 0, refused: 0, untyped: 0 };
  for (const [file, { objects, open }] of programs) {
    count.open += open;
    if (objects.some(({ place }) => place !== 'drawn') && file.startsWith('d')) count.kinds += 1;
    for (const { line, place, misspelt } of objects) {
      const complaint = complaints.get(`${file}:${line}`);
      if (file.startsWith('r')) {
        count.refused += 1;
        if (complaint !== undefined) count.untyped += 1;
        else if (SURPLUS.test(place)) wrong.push(`refused by the server, not by types: ${place}`);
        continue;
      }
      count.misspelt += misspelt ? 1 : 0;
      if (!misspelt) count[place === 'drawn' ? 'drawn' : 'real'] += 1;
      const definition = definitions[Number(/\d+/.exec(file)?.[0])]?.place;
      if (complaint !== undefined) wrong.push(`${definition}, ${place}: ${complaint}`);
    }
  }
  for (const line of [...others, ...wrong].slice(0, MOST_LINES)) console.log(line.slice(0, 600));
  console.log(
    `${count.drawn} drawn objects and ${count.real} real ones of ${count.kinds} definitions fit, ${count.misspelt} have a misspelt field: ${others.length + wrong.length} surprises; ${count.open} without a field that can be misspelt`,
  );
  console.log(
    `${count.refused} real objects that a server refuses: types refuse ${count.untyped} of them`,
  );
  return others.length + wrong.length === 0;
}

async function compiled(programs: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'listwatch-types-'));
  try {
    return await compilePrograms(folder, programs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function readAll(files: readonly string[]): Promise<Definition[]> {
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

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .toSorted()
    .flatMap((name) => filesIn(join(path, name)))
    .filter((file) => /\.(?:ya?ml|json)$/.test(file));
}
