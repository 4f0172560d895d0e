import { relative } from 'node:path';
import { DeclarationFile, type Origin } from './declaration-file.ts';

/** A declaration by the file and the name it has there. */
interface Declared {
  readonly file: DeclarationFile;
  readonly name: string;
  /** Whether it is passed on as a type, though it may be a class. */
  readonly typeOnly: boolean;
}

/**
 * What the entry points of a package declare, read from the declaration files of the compiler. Each declaration is printed once,
 * in the report of its home: the first entry but the main one that exports it.
 */
export class PublicSurface {
  readonly #root: string;
  readonly #files = new Map<string, DeclarationFile>();
  readonly #entries = new Map<string, ReadonlyMap<string, Declared>>();
  readonly #homes = new Map<string, { readonly entry: string; readonly name: string }>();
  /** Modules of other packages that public declarations name. */
  readonly externals: Set<string> = new Set();

  /** `entries` are paths of declaration files by the name of the entry; the main one comes first. */
  constructor(root: string, entries: ReadonlyMap<string, string>) {
    this.#root = root;
    for (const [entry, path] of entries)
      this.#entries.set(entry, this.#exportsOf(this.#file(path)));
    const [main, ...others] = this.#entries.keys();
    for (const entry of main === undefined ? [] : [...others, main]) {
      for (const [name, declared] of this.#entries.get(entry) ?? []) {
        const id = idOf(declared);
        if (!this.#homes.has(id)) this.#homes.set(id, { entry, name });
      }
    }
    for (const [entry, path] of entries) this.#addNamespaces(entry, this.#file(path));
  }

  /** What an entry has in a namespace only, as `EventsV1.Event`. */
  #addNamespaces(entry: string, file: DeclarationFile): void {
    for (const whole of file.passedOnWhole.keys()) this.#addNamespaces(entry, this.#file(whole));
    for (const [namespace, path] of file.passedOnAs) {
      for (const [name, declared] of this.#exportsOf(this.#file(path))) {
        const id = idOf(declared);
        if (!this.#homes.has(id)) this.#homes.set(id, { entry, name: `${namespace}.${name}` });
      }
    }
  }

  get entries(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** The names that an entry exports: values, and what is a type only. */
  namesOf(entry: string): {
    readonly values: readonly string[];
    readonly types: readonly string[];
  } {
    const names = [...(this.#entries.get(entry) ?? [])].toSorted(byName);
    const isValue = ({ file, name, typeOnly }: Declared): boolean =>
      !typeOnly &&
      /^(?:export )?declare (?:abstract )?(?:class|const|let|function|enum)\b/.test(
        file.declarations.get(name)?.[0] ?? '',
      );
    return {
      values: names.filter(([, declared]) => isValue(declared)).map(([name]) => name),
      types: names.filter(([, declared]) => !isValue(declared)).map(([name]) => name),
    };
  }

  /**
   * Types that public declarations name and no entry exports, with the declaration that names each. What a file keeps to
   * itself is not among them: nothing else can name it, and the report shows it.
   */
  unreachable(): string[] {
    const found = new Map<string, string>();
    for (const entry of this.entries) {
      for (const [name, declared] of this.#entries.get(entry) ?? []) {
        for (const used of this.#uses(declared)) {
          const id = idOf(used);
          if (this.#homes.has(id) || !used.file.exported.has(used.name)) continue;
          const file = relative(this.#root, used.file.path).replace('.d.ts', '.ts');
          if (!found.has(id)) found.set(id, `${used.name} of ${file}, named by ${name}`);
        }
      }
    }
    return [...found.values()].toSorted();
  }

  /** Every name of an entry with its declaration, or with the entry where the declaration is printed. */
  report(entry: string): string {
    const lines: string[] = [];
    const own = new Map<string, readonly string[]>();
    for (const [name, declared] of [...(this.#entries.get(entry) ?? [])].toSorted(byName)) {
      const home = this.#homes.get(idOf(declared));
      if (home === undefined || home.entry === entry) {
        const texts = declared.file.declarations.get(declared.name) ?? [];
        lines.push(...texts.map(plain), '');
        this.#addOwn(declared, own);
      } else {
        lines.push(`export { ${name} } from '${home.entry}';`, '');
      }
    }
    if (own.size > 0) lines.push('// Named by these, and not exported:', '');
    for (const [, texts] of [...own].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
      lines.push(...texts.map(plain), '');
    }
    return lines.join('\n').trimEnd();
  }

  /** Adds what the file of a declaration keeps to itself and the declaration names. */
  #addOwn(declared: Declared, own: Map<string, readonly string[]>): void {
    for (const used of this.#uses(declared)) {
      const id = `${used.name} ${idOf(used)}`;
      if (used.file.exported.has(used.name) || own.has(id)) continue;
      own.set(id, used.file.declarations.get(used.name) ?? []);
      this.#addOwn(used, own);
    }
  }

  /** The files that the entries import, directly or through others. */
  filesReached(): ReadonlySet<string> {
    const waiting = [...this.#files.values()];
    for (const file of waiting) {
      for (const path of file.modules) {
        if (!this.#files.has(path)) waiting.push(this.#file(path));
      }
    }
    return new Set(this.#files.keys());
  }

  #file(path: string): DeclarationFile {
    let file = this.#files.get(path);
    if (file === undefined) this.#files.set(path, (file = new DeclarationFile(path)));
    return file;
  }

  #exportsOf(file: DeclarationFile): Map<string, Declared> {
    const found = new Map<string, Declared>();
    for (const whole of file.passedOnWhole.keys()) {
      for (const [name, declared] of this.#exportsOf(this.#file(whole))) {
        found.set(name, { ...declared, typeOnly: file.passedOnWhole.get(whole) === true });
      }
    }
    for (const name of file.exported) {
      const declared = this.#resolve(file, file.ownNames.get(name) ?? name);
      if (declared !== undefined) found.set(name, declared);
    }
    return found;
  }

  /** Undefined for what another package declares. */
  #resolve(file: DeclarationFile, name: string): Declared | undefined {
    if (file.declarations.has(name)) return { file, name, typeOnly: file.ownTypes.has(name) };
    const origin = file.passedOn.get(name) ?? file.imports.get(name);
    if (origin !== undefined) return this.#follow(origin, file.passedOn.has(name));
    for (const whole of file.passedOnWhole.keys()) {
      const declared = this.#exportsOf(this.#file(whole)).get(name);
      if (declared !== undefined) return declared;
    }
    throw new Error(`${file.path} has no ${name}`);
  }

  #follow({ from, external, name, typeOnly }: Origin, passedOn: boolean): Declared | undefined {
    if (external) {
      this.externals.add(from);
      return undefined;
    }
    const file = this.#file(from);
    const declared = this.#resolve(file, file.ownNames.get(name) ?? name);
    if (declared === undefined || !(passedOn && typeOnly)) return declared;
    return { ...declared, typeOnly };
  }

  /** What a declaration names, of this package. */
  #uses({ file, name }: Declared): Declared[] {
    const used = new Set<string>();
    for (const text of file.declarations.get(name) ?? []) {
      for (const [word] of text.replace(/'[^']*'|"[^"]*"/g, '').matchAll(/[A-Za-z_$][\w$]*/g)) {
        if (word !== name && (file.imports.has(word) || file.declarations.has(word)))
          used.add(word);
      }
    }
    return [...used].flatMap((word) => this.#resolve(file, word) ?? []);
  }
}

function plain(text: string): string {
  return text.replace(/^export (?:declare )?|^declare /, '');
}

function idOf({ file, name }: Declared): string {
  return `${file.path}#${name}`;
}

/** By code unit, so that the order is that of every machine. */
function byName([one]: readonly [string, Declared], [other]: readonly [string, Declared]): number {
  return one < other ? -1 : 1;
}
