import type { Definition } from '../../../lib/cli/types/definition.ts';
import { definitionTypes } from '../../../lib/cli/types/definition-types.ts';
import { Draw } from '../../compare/draw.ts';
import { drawValue, recordOf } from '../../definitions/draw-object.ts';
import { misspellField } from './misspell-field.ts';
import type { RealManifest } from './real-manifests.ts';
import { withoutNulls } from './without-nulls.ts';

/** An object of a program. Its line in the text, counted from 1, is where the compiler complains about it. */
export interface TypedObject {
  readonly line: number;
  /** `drawn`, or the place of a real one. */
  readonly place: string;
  readonly misspelt: boolean;
}

export interface Program {
  readonly text: string;
  readonly objects: readonly TypedObject[];
  /** Objects in which no field can be misspelt, because their schema preserves unknown fields. */
  readonly open: number;
}

/** The types of one definition. Its resources are in a namespace of the file, so that files of one group can be compiled together. */
function typesOf(definition: Definition): string {
  return definitionTypes([definition]).replace(
    "declare module 'listwatch' {\n  interface",
    'export declare namespace Own {\n  export interface',
  );
}

/** Writes objects, each with its type on a line of its own, and the same objects with a misspelt field. */
class ProgramWriter {
  readonly #lines: string[];
  readonly #objects: TypedObject[] = [];
  #open = 0;

  constructor(head: string) {
    this.#lines = head.split('\n');
  }

  add(place: string, type: string, object: object, wrong: object | undefined): void {
    this.#write({ place, misspelt: false }, type, object);
    if (wrong === undefined) {
      this.#open += 1;
      return;
    }
    this.#lines.push('// @ts-expect-error a misspelt field');
    this.#write({ place, misspelt: true }, type, wrong);
  }

  addAlone(place: string, type: string, object: object): void {
    this.#write({ place, misspelt: false }, type, object);
  }

  program(): Program {
    return { text: `${this.#lines.join('\n')}\n`, objects: this.#objects, open: this.#open };
  }

  #write(about: Omit<TypedObject, 'line'>, type: string, object: object): void {
    const name = `o${this.#objects.length}`;
    this.#lines.push(`export const ${name}: ${type} = ${JSON.stringify(object)};`);
    this.#objects.push({ ...about, line: this.#lines.length });
  }
}

/** The types of a definition with objects that fit them: a drawn one for each version, and the real ones that a server takes. */
export function definitionProgram(
  definition: Definition,
  seed: string,
  manifests: readonly RealManifest[],
): Program {
  const { group, plural, kind, versions } = definition;
  const draw = new Draw(`${seed}/${plural}.${group}`);
  const writer = new ProgramWriter(typesOf(definition));
  for (const { name, schema } of versions) {
    const apiVersion = `${group}/${name}`;
    const drawn = recordOf(drawValue(draw, { ...schema, type: 'object' }));
    const type = typeName(apiVersion, plural);
    const real = manifests
      .filter(({ object, refused }) => refused === undefined && object['apiVersion'] === apiVersion)
      .map(({ place, object }) => ({ place, object: recordOf(withoutNulls(schema, object)) }));
    for (const { place, object } of [
      { place: 'drawn', object: { ...drawn, apiVersion, kind, metadata: { name: 'x' } } },
      ...real,
    ]) {
      writer.add(place, type, object, misspellField(draw, schema, object));
    }
  }
  return writer.program();
}

/** The real manifests that a server refuses, with the types of the program of their definition. */
export function refusedProgram(
  { plural, group, versions }: Definition,
  types: string,
  manifests: readonly RealManifest[],
): Program {
  const writer = new ProgramWriter(`import type { Own } from './${types}';`);
  const known = new Set(versions.map(({ name }) => `${group}/${name}`));
  for (const { place, object, refused } of manifests) {
    const apiVersion = String(object['apiVersion']);
    if (refused === undefined || !known.has(apiVersion)) continue;
    writer.addAlone(`${place}: ${refused}`, typeName(apiVersion, plural), object);
  }
  return writer.program();
}

function typeName(apiVersion: string, plural: string): string {
  return `Own.KnownResources[${JSON.stringify(apiVersion)}][${JSON.stringify(plural)}]`;
}
