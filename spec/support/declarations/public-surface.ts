import { relative } from 'node:path';
import { parseSync } from 'oxc-parser';
import { DeclarationFile, EXPERIMENTAL, type Origin } from './declaration-file.ts';

/** A declaration by the file and the name it has there. */
interface Declared {
  readonly file: DeclarationFile;
  readonly name: string;
  /** Whether it is passed on as a type, though it may be a class. */
  readonly typeOnly: boolean;
}

/** A name in a declaration. */
interface Use {
  readonly used: Declared;
  /** It stands in a parameter, a result, or the bound of a type parameter; otherwise it is the type of a property. */
  readonly isSignature: boolean;
}

/**
 * The declarations of the entry points of a package, read from the declaration files of the compiler. Each declaration is printed once,
 * in the report of its home: the first entry but the main one that exports it.
 */
export class PublicSurface {
  readonly #root: string;
  readonly #files = new Map<string, DeclarationFile>();
  readonly #entries = new Map<string, ReadonlyMap<string, Declared>>();
  readonly #homes = new Map<string, { readonly entry: string; readonly name: string }>();
  readonly #usesById = new Map<string, readonly Use[]>();
  readonly #madeInside: ReadonlySet<string>;
  /** Modules of other packages that public declarations name. */
  readonly externals: Set<string> = new Set();

  /**
   * `entries` are paths of declaration files by the name of the entry; the main one comes first. `madeInside` names types that users get
   * and pass on without a look inside.
   */
  constructor(
    root: string,
    entries: ReadonlyMap<string, string>,
    madeInside: ReadonlySet<string> = new Set(),
  ) {
    this.#root = root;
    this.#madeInside = madeInside;
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

  /** Names that an entry has in a namespace only, as `EventsV1.Event`. */
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
   * Types that users have to write down and no entry exports, with the declaration that names each: parameters and results of functions,
   * bounds of type parameters. A type that is only the type of a property needs no name of its own: it is `Owner['property']`. The
   * same holds for what a property's type names in turn. What a file keeps to itself is not among them: nothing else can name it, and
   * the report shows it.
   */
  unreachable(madeInside: ReadonlySet<string> = this.#madeInside): string[] {
    const found = new Map<string, string>();
    for (const entry of this.entries) {
      for (const [name, declared] of this.#entries.get(entry) ?? []) {
        const waiting = [declared];
        const seen = new Set<string>();
        for (const one of waiting) {
          for (const { used, isSignature } of this.#uses(one)) {
            const id = idOf(used);
            if (this.#homes.has(id) || seen.has(id)) continue;
            if (isSignature && used.file.exported.has(used.name)) {
              const file = relative(this.#root, used.file.path).replace('.d.ts', '.ts');
              if (!found.has(id)) found.set(id, `${used.name} of ${file}, named by ${name}`);
            }
            if (madeInside.has(used.name)) continue;
            seen.add(id);
            waiting.push(used);
          }
        }
      }
    }
    return [...found.values()].toSorted();
  }

  /** Names that two entries have for two declarations, with their files. `except` names entries that are not looked at. */
  ambiguous(except: ReadonlySet<string>): string[] {
    const places = new Map<string, Set<string>>();
    for (const [entry, names] of this.#entries) {
      if (except.has(entry)) continue;
      for (const [name, { file }] of names) {
        const known = places.get(name) ?? new Set();
        places.set(name, known.add(relative(this.#root, file.path).replace('.d.ts', '.ts')));
      }
    }
    return [...places]
      .filter(([, files]) => files.size > 1)
      .map(([name, files]) => `${name}: ${[...files].join(', ')}`);
  }

  /** The names of an entry that are marked `@experimental`. */
  experimental(entry: string): string[] {
    const names = [...(this.#entries.get(entry) ?? [])].toSorted(byName);
    return names.filter(([, declared]) => isExperimental(declared)).map(([name]) => name);
  }

  /** Every name of an entry with its declaration, or with the entry where the declaration is printed. */
  report(entry: string): string {
    const lines: string[] = [];
    const own = new Map<string, readonly string[]>();
    for (const [name, declared] of [...(this.#entries.get(entry) ?? [])].toSorted(byName)) {
      const home = this.#homes.get(idOf(declared));
      if (home === undefined || home.entry === entry) {
        if (isExperimental(declared)) lines.push(EXPERIMENTAL);
        lines.push(...textsOf(declared), '');
        this.#addOwn(declared, own);
      } else {
        lines.push(`export { ${name} } from '${home.entry}';`, '');
      }
    }
    if (own.size > 0) lines.push('// Named by these, and not exported:', '');
    for (const [, texts] of [...own].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
      lines.push(...texts, '');
    }
    return lines.join('\n').trimEnd();
  }

  /** Adds what a declaration names and no entry exports. */
  #addOwn(declared: Declared, own: Map<string, readonly string[]>): void {
    for (const { used } of this.#uses(declared)) {
      const id = `${used.name} ${idOf(used)}`;
      if (this.#homes.has(idOf(used)) || this.#madeInside.has(used.name) || own.has(id)) continue;
      own.set(id, textsOf(used));
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

  /** The names of this package in a declaration. */
  #uses(declared: Declared): readonly Use[] {
    const { file, name } = declared;
    const known = this.#usesById.get(idOf(declared));
    if (known !== undefined) return known;
    const words = new Map<string, boolean>();
    for (const text of file.declarations.get(name) ?? []) {
      for (const { word, isSignature } of wordsOf(text)) {
        if (word === name || !(file.imports.has(word) || file.declarations.has(word))) continue;
        words.set(word, isSignature || words.get(word) === true);
      }
    }
    const uses = [...words].flatMap(([word, isSignature]) => {
      const used = this.#resolve(file, word);
      return used === undefined ? [] : [{ used, isSignature }];
    });
    this.#usesById.set(idOf(declared), uses);
    return uses;
  }
}

/** Nodes whose names a user writes in functions of their own. */
const SIGNATURES: ReadonlySet<unknown> = new Set([
  'FunctionDeclaration',
  'MethodDefinition',
  'TSAbstractMethodDefinition',
  'TSCallSignatureDeclaration',
  'TSConstructorType',
  'TSConstructSignatureDeclaration',
  'TSDeclareFunction',
  'TSFunctionType',
  'TSMethodSignature',
  'TSTypeParameter',
]);

/** The identifiers of a declaration, but names of its members, and whether each stands in a signature. */
function* wordsOf(text: string): Generator<{ word: string; isSignature: boolean }> {
  const { program, errors } = parseSync('declaration.d.ts', text);
  if (errors[0] !== undefined) throw new Error(`${errors[0].message} in ${text}`);
  const waiting: [node: unknown, isSignature: boolean][] = [[program.body, false]];
  for (const [node, isWithin] of waiting) {
    if (typeof node !== 'object' || node === null) continue;
    const fields = node as Readonly<Record<string, unknown>>;
    // A getter is a property.
    const isSignature = isWithin || (SIGNATURES.has(fields['type']) && fields['kind'] !== 'get');
    if (fields['type'] === 'Identifier') yield { word: String(fields['name']), isSignature };
    for (const [field, value] of Object.entries(fields)) {
      const isMemberName = field === 'key' && fields['computed'] === false;
      if (!isMemberName && field !== 'id') waiting.push([value, isSignature]);
    }
  }
}

function textsOf({ file, name }: Declared): string[] {
  const texts = file.declarations.get(name) ?? [];
  return texts.map((text) => text.replace(/^export (?:declare )?|^declare /, ''));
}

function isExperimental({ file, name }: Declared): boolean {
  return file.experimental.has(name);
}

function idOf({ file, name }: Declared): string {
  return `${file.path}#${name}`;
}

/** By code unit, so that the order is that of every machine. */
function byName([one]: readonly [string, Declared], [other]: readonly [string, Declared]): number {
  return one < other ? -1 : 1;
}
