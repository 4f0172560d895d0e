import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** Specs that import a file directly, beside those of its own folder. The nearest come first. */
const MOST_IMPORTERS = 8;
/** Suites that check text, not behaviour, or start programs. */
const NOT_ASKED =
  /^spec\/(?:[^/]+\.spec\.ts$|bench\/|package\/|examples\/|soak\/|faults\/|types\/)/;

/** Finds the spec files that a mutant has to get past. */
export class SpecChoice {
  readonly #root: string;
  /** Each spec file with the files of `lib` that it imports. */
  readonly #imports: ReadonlyMap<string, ReadonlySet<string>>;

  constructor(root: string) {
    this.#root = root;
    const specs = readdirSync(join(root, 'spec'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.spec.ts'))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      .filter((spec) => !NOT_ASKED.test(spec))
      .toSorted();
    this.#imports = new Map(specs.map((spec) => [spec, importsOf(root, spec)]));
  }

  /** Every spec file that may be asked. */
  all(): string[] {
    return [...this.#imports.keys()];
  }

  /**
   * Those of them below these folders; all, when there are none.
   * @throws {Error} when a folder holds none of them.
   */
  below(folders: readonly string[]): string[] {
    const all = this.all();
    if (folders.length === 0) return all;
    const isBelow = (spec: string, folder: string): boolean => spec.startsWith(`${folder}/`);
    const empty = folders.find((folder) => !all.some((spec) => isBelow(spec, folder)));
    if (empty !== undefined) throw new Error(`there are no specs below ${empty}`);
    return all.filter((spec) => folders.some((folder) => isBelow(spec, folder)));
  }

  /** That of the file itself, those that import it, those of the mirroring folder, then the suites of the folder above. */
  specsFor(file: string): string[] {
    const folder = this.#mirrorOf(file);
    const own = join(folder, `${file.split('/').at(-1)?.replace(/\.ts$/, '')}.spec.ts`);
    const all = [...this.#imports.keys()];
    const importers = all
      .filter((spec) => this.#imports.get(spec)?.has(file) === true)
      .toSorted((left, right) => common(right, folder) - common(left, folder))
      .slice(0, MOST_IMPORTERS);
    const inFolder = (wanted: string): string[] => all.filter((spec) => dirname(spec) === wanted);
    const mirroring = [...inFolder(folder), ...inFolder(dirname(folder))];
    return [...new Set([...all.filter((spec) => spec === own), ...importers, ...mirroring])];
  }

  /** How near a spec file is to a file of `lib`: the more, the nearer. */
  nearness(spec: string, file: string): number {
    const own = file.replace(/^lib/, 'spec').replace(/\.ts$/, '.spec.ts');
    if (spec === own) return Number.MAX_SAFE_INTEGER;
    const folders = common(dirname(spec), dirname(own));
    return folders + (this.#imports.get(spec)?.has(file) === true ? 100 : 0);
  }

  /** The folder of `spec` that mirrors the folder of a file, or the nearest one above that has specs. */
  #mirrorOf(file: string): string {
    let folder = dirname(file).replace(/^lib/, 'spec');
    while (folder !== 'spec') {
      const holds = [...this.#imports.keys()].some((spec) => dirname(spec) === folder);
      if (holds && existsSync(join(this.#root, folder))) return folder;
      folder = dirname(folder);
    }
    return folder;
  }
}

function importsOf(root: string, spec: string): ReadonlySet<string> {
  const text = readFileSync(join(root, spec), 'utf8');
  const paths = text.matchAll(/from '(\.[^']+\.ts)'/g);
  return new Set(
    Array.from(paths, ([, path = '']) => relative(root, resolve(root, dirname(spec), path))),
  );
}

/** How many folders two paths begin with together. */
function common(left: string, right: string): number {
  const [one, other] = [left.split('/'), right.split('/')];
  const end = one.findIndex((part, index) => part !== other[index]);
  return end === -1 ? one.length : end;
}
