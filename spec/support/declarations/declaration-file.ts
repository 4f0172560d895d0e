import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where a name of a module comes from: a file of the package, or the specifier of another package. */
export interface Origin {
  readonly from: string;
  readonly external: boolean;
  /** The name there; `*` for the whole module. */
  readonly name: string;
  /** Whether it comes as a type, though it may be a value there. */
  readonly typeOnly: boolean;
}

/** One `.d.ts` file as the compiler writes it: its declarations without comments but marks, and what it imports and passes on. */
export class DeclarationFile {
  readonly path: string;
  /** The text of each declaration, by name; several for overloads. */
  readonly declarations: ReadonlyMap<string, readonly string[]>;
  /** Names that it gets from elsewhere, and uses. */
  readonly imports: ReadonlyMap<string, Origin>;
  /** Names that it passes on. */
  readonly passedOn: ReadonlyMap<string, Origin>;
  /** Modules of which it passes on everything; true when as types. */
  readonly passedOnWhole: ReadonlyMap<string, boolean>;
  /** Modules that it passes on as a namespace, by its name. */
  readonly passedOnAs: ReadonlyMap<string, string>;
  /** All files of the package that it imports. */
  readonly modules: ReadonlySet<string>;
  /** Names that other modules may import. */
  readonly exported: ReadonlySet<string>;
  /** The names that its own declarations have here, by the name that other modules import. */
  readonly ownNames: ReadonlyMap<string, string>;
  /** Own declarations that it exports as types, though they may be values. */
  readonly ownTypes: ReadonlySet<string>;
  /** Names of its declarations that are marked `@experimental`. */
  readonly experimental: ReadonlySet<string>;

  constructor(path: string) {
    this.path = path;
    const declarations = new Map<string, string[]>();
    const imports = new Map<string, Origin>();
    const passedOn = new Map<string, Origin>();
    const passedOnWhole = new Map<string, boolean>();
    const passedOnAs = new Map<string, string>();
    const exported = new Set<string>();
    const ownNames = new Map<string, string>();
    const ownTypes = new Set<string>();
    const experimental = new Set<string>();
    for (const { text: statement, isMarked } of statementsOf(
      withoutComments(readFileSync(path, 'utf8')),
    )) {
      const from = / from ['"]([^'"]+)['"];$/.exec(statement)?.[1];
      const list = /^(?:import|export)(?: type)? \{([^}]*)\}/s.exec(statement)?.[1];
      const names = list === undefined ? undefined : namesOf(list);
      if (statement.startsWith('import')) {
        for (const [name, local] of names ?? wholeOf(statement)) {
          imports.set(local, this.#origin(from ?? '', name, true));
        }
      } else if (/^export(?: type)? \*/.test(statement)) {
        const { from: whole } = this.#origin(from ?? '', '*', true);
        const namespace = /\* as (\w+) from/.exec(statement)?.[1];
        if (namespace !== undefined) passedOnAs.set(namespace, whole);
        else passedOnWhole.set(whole, statement.startsWith('export type'));
      } else if (names !== undefined) {
        const all = statement.startsWith('export type');
        for (const [name, outside, typeOnly] of names) {
          if (from !== undefined) passedOn.set(outside, this.#origin(from, name, all || typeOnly));
          else if (name !== outside) ownNames.set(outside, name);
          if (from === undefined && (all || typeOnly)) ownTypes.add(name);
          exported.add(outside);
        }
      } else {
        const name = NAME.exec(statement)?.[1];
        if (name === undefined) throw new Error(`${path}: what is declared by ${statement}`);
        declarations.set(name, [...(declarations.get(name) ?? []), statement]);
        if (statement.startsWith('export')) exported.add(name);
        if (isMarked) experimental.add(name);
      }
    }
    const origins = [...imports.values(), ...passedOn.values()].filter((one) => !one.external);
    this.modules = new Set([
      ...passedOnWhole.keys(),
      ...passedOnAs.values(),
      ...origins.map(({ from }) => from),
    ]);
    this.declarations = declarations;
    this.imports = imports;
    this.passedOn = passedOn;
    this.passedOnWhole = passedOnWhole;
    this.passedOnAs = passedOnAs;
    this.exported = exported;
    this.ownNames = ownNames;
    this.ownTypes = ownTypes;
    this.experimental = experimental;
  }

  #origin(specifier: string, name: string, typeOnly: boolean): Origin {
    if (!specifier.startsWith('.')) return { from: specifier, external: true, name, typeOnly };
    const from = join(dirname(this.path), specifier.replace(/\.[jt]s$/, '.d.ts'));
    return { from, external: false, name, typeOnly };
  }
}

const NAME =
  /^(?:export )?(?:declare )?(?:abstract )?(?:class|interface|type|const|let|function|enum|namespace) ([\w$]+)/;

/** `a, type b as c` gives a as a, and b as c, which is a type. */
function namesOf(list: string): [name: string, local: string, typeOnly: boolean][] {
  const parts = list.split(',').map((part) => part.trim());
  return parts
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', local = name] = part.replace(/^type /, '').split(' as ');
      return [name, local, part.startsWith('type ')];
    });
}

/** `import type * as A` and `import type A`. */
function wholeOf(statement: string): [name: string, local: string, typeOnly: boolean][] {
  const match = /^import (?:type )?(\* as )?([\w$]+) from/.exec(statement);
  return match?.[2] === undefined
    ? []
    : [[match[1] === undefined ? 'default' : '*', match[2], true]];
}

/** Stands in a declaration for a comment with this tag. */
export const EXPERIMENTAL = '/** @experimental */';

interface Statement {
  readonly text: string;
  readonly isMarked: boolean;
}

/** The compiler begins a statement at the start of a line, and indents or closes what belongs to it. */
function statementsOf(text: string): Statement[] {
  const statements: Statement[] = [];
  let isMarked = false;
  for (const line of text.split('\n')) {
    if (
      /^(?:export|import|declare|interface|type|class|const|function|abstract|enum)\b/.test(line)
    ) {
      statements.push({ text: line, isMarked });
      isMarked = false;
    } else if (line === EXPERIMENTAL) {
      isMarked = true;
    } else if (line.trim() !== '' && !line.startsWith('//')) {
      const last = statements.pop();
      if (last === undefined) throw new Error(`no statement begins before: ${line}`);
      statements.push({ ...last, text: `${last.text}\n${line}` });
    }
  }
  return statements.filter((statement) => statement.text !== 'export {};');
}

/** Strings stay: there may be the beginning of a comment in one. */
function withoutComments(text: string): string {
  const tokens =
    /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
  return text.replace(tokens, (token) => {
    if (!token.startsWith('/')) return token;
    return /@experimental\b/.test(token) ? EXPERIMENTAL : '';
  });
}
