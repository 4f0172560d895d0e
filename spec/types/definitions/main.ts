/** `npm run check -- types-definitions`: types for the largest definitions of public projects, compiled with manifests that fit them and the same with a misspelt field. */
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { definitionTypes } from '../../../lib/cli/types/definition-types.ts';
import { candidateManifests, type Candidates } from './candidate-manifests.ts';
import { compilePrograms } from './compile-programs.ts';
import { definitionProgram, refusedProgram } from './definition-program.ts';
import {
  closingLine,
  isProven,
  verdictsOf,
  verdictTable,
  type CheckedDefinition,
} from './definition-verdicts.ts';
import { fetchProjects, PROJECTS } from './fetch-projects.ts';
import { largestDefinitions, type FoundDefinition, type LeftOut } from './largest-definitions.ts';
import { documentsOf, projectFiles } from './project-documents.ts';
import { askForManifests, type RealManifest } from './real-manifests.ts';

const USAGE = `npm run check -- types-definitions [options] DIR...
npm run check -- types-definitions [options] --fetch DIR

  --fetch DIR      clones ${PROJECTS.length} public projects into DIR, if they are not there, and takes it as one more DIR
  --from ADDRESS   where they are; https://github.com/{project}.git unless given
  --largest N      definitions, by the length of their text; 60 unless given
  --manifests DIR  where manifests are, if not in DIR; may be repeated
  --seed TEXT      draws the misspelt fields; 1 unless given

DIR is a folder of YAML and JSON files, of Markdown files with blocks of YAML, and of tests in Go with objects between backquotes. For each
of the largest definitions in it, types are generated. Of the manifests whose definition is there, an embedded server is asked whether it
takes them: an object with a surplus field, or one that breaks a rule of its definition, is no manifest that fits. Those that it takes, and
a drawn object of each version, have to type-check; the same with one misspelt field must not. A manifest that the server refuses for a
surplus field must not either.

Two definitions have a manifest in one place only. Of backupschedules.br.pingcap.com (pingcap/tidb-operator) it is the
documentation of version 2: branch feature/v2 of pingcap/docs-tidb-operator. Of scylladbdatacenters.scylla.scylladb.com it is JSON in
pkg/cmd/operator/webhooks_mutating_test.go of scylladb/scylla-operator, master of August 2026; those in its documentation of v1.21 have a
field that no version of the definition has, and test/e2e/fixture has a template.

It ends with 0 if this is so for each definition, and each has a manifest; otherwise with 1.`;

/** Manifests that a server is asked about for each definition: at first, and if it takes none of those. */
const FIRST_ASKED = 12;
const MOST_ASKED = 60;
/** Manifests that are compiled for each definition. */
const MOST_COMPILED = 3;
const MOST_LINES = 40;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    fetch: { type: 'string' },
    from: { type: 'string', default: 'https://github.com/{project}.git' },
    largest: { type: 'string', default: '60' },
    manifests: { type: 'string', multiple: true, default: [] },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});
const folders = [...positionals, ...(values.fetch === undefined ? [] : [values.fetch])];
const largest = Number(values.largest);
if (values.help || folders.length === 0 || !Number.isSafeInteger(largest) || largest < 1) {
  console.log(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else {
  process.exitCode = await main();
}

async function main(): Promise<number> {
  if (values.fetch !== undefined) {
    printLeftOut('projects', await fetchProjects(values.fetch, PROJECTS, values.from));
  }
  const files = folders.flatMap(projectFiles);
  const documents = files.flatMap(documentsOf);
  const { definitions, names, leftOut } = largestDefinitions(documents, largest);
  console.log(
    `${files.length} files, ${documents.length} objects, ${names} definitions: the ${definitions.length} largest`,
  );
  printLeftOut('definitions', leftOut);
  if (definitions.length === 0) {
    console.log(
      'no definition was found: name a folder with CustomResourceDefinitions, or --fetch',
    );
    return 1;
  }
  const others = values.manifests.flatMap(projectFiles).flatMap(documentsOf);
  const among = values.manifests.length === 0 ? documents : others;
  const candidates = candidateManifests(among, definitions, MOST_ASKED);
  printLeftOut('manifests', candidates.leftOut);
  return await check(definitions, await asked(definitions, candidates.manifests));
}

/** The answers of a server to the first manifests of each definition, and to the others where it takes none of those. */
async function asked(
  definitions: readonly FoundDefinition[],
  manifests: Candidates['manifests'],
): Promise<ReadonlyMap<string, readonly RealManifest[]>> {
  const part = (from: number, to: number): Candidates['manifests'] =>
    new Map([...manifests].map(([name, own]) => [name, own.slice(from, to)]));
  const first = await askForManifests(definitions, part(0, FIRST_ASKED));
  const lacking = definitions.filter(({ name }) =>
    first.get(name)?.every(({ refused }) => refused !== undefined),
  );
  const rest = await askForManifests(lacking, part(FIRST_ASKED, MOST_ASKED));
  return new Map([...first].map(([name, own]) => [name, [...own, ...(rest.get(name) ?? [])]]));
}

/** Compiles all, and prints the table. @returns the exit code. */
async function check(
  definitions: readonly FoundDefinition[],
  manifests: ReadonlyMap<string, readonly RealManifest[]>,
): Promise<number> {
  const checked = definitions.map((found, index): CheckedDefinition => {
    const { definition, name } = found;
    const own = manifests.get(name) ?? [];
    const taken = own.filter(({ refused }) => refused === undefined).slice(0, MOST_COMPILED);
    const file = `d${index}.ts`;
    return {
      found,
      file,
      program: definitionProgram(definition, values.seed, taken),
      refusedFile: `r${index}.ts`,
      refused: refusedProgram(definition, file, own),
    };
  });
  const programs: Record<string, string> = {
    'all.ts': definitionTypes(definitions.map(({ definition }) => definition)),
  };
  for (const { file, program, refusedFile, refused } of checked) {
    programs[file] = program.text;
    if (refused.objects.length > 0) programs[refusedFile] = refused.text;
  }
  const { verdicts, others } = verdictsOf(checked, await compiled(programs));
  printRefused([...manifests.values()].flat());
  print(verdictTable(verdicts));
  const surprises = [...others, ...verdicts.flatMap((one) => one.surprises)];
  print(surprises.slice(0, MOST_LINES));
  console.log(closingLine(verdicts));
  return others.length === 0 && verdicts.every(isProven) ? 0 : 1;
}

/** Manifests that the server refuses, each with the reason: by the definition itself, they are not valid. */
function printRefused(manifests: readonly RealManifest[]): void {
  const refused = manifests.filter((one) => one.refused !== undefined);
  print([`${refused.length} of ${manifests.length} manifests are not valid by their definition:`]);
  print(refused.map((one) => `  ${one.place}: ${one.refused}`));
}

function printLeftOut(what: string, leftOut: readonly LeftOut[]): void {
  if (leftOut.length === 0) return;
  print([
    `${leftOut.length} ${what} cannot be read, and are left out:`,
    ...leftOut.slice(0, MOST_LINES).map(({ place, reason }) => `  ${place}: ${reason}`),
    ...(leftOut.length > MOST_LINES ? [`  and ${leftOut.length - MOST_LINES} more`] : []),
  ]);
}

function print(lines: readonly string[]): void {
  for (const line of lines) console.log(line.replaceAll('\n', ' ').slice(0, 400));
}

async function compiled(programs: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'listwatch-types-'));
  try {
    return await compilePrograms(folder, programs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
