import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A field of a Go struct, as it is written. */
export interface GoField {
  /** Empty for an embedded field. */
  readonly name: string;
  readonly type: string;
  /** By key: `json`, `protobuf`, `patchStrategy`, … */
  readonly tags: ReadonlyMap<string, string>;
  readonly markers: Markers;
}

/** The lines of a comment that begin with `+`: `+listMapKey=port` gives `listMapKey`, with the values in their order. */
export type Markers = ReadonlyMap<string, readonly string[]>;

export interface GoType {
  readonly name: string;
  /** Of a struct. */
  readonly fields?: readonly GoField[];
  /** The type of which this one is an alias. */
  readonly underlying?: string;
  readonly markers: Markers;
}

/** The types that the files of one Go package declare. */
export interface GoPackage {
  readonly path: string;
  readonly types: ReadonlyMap<string, GoType>;
  /** Constants with a text as value. */
  readonly constants: ReadonlyMap<string, string>;
  /** The path of a package by the name under which a file imports it. */
  readonly imports: ReadonlyMap<string, string>;
  /** The structs that `register.go` makes kinds. */
  readonly registered: ReadonlySet<string>;
}

const GENERATED = /^zz_|^generated|_test\.go$|_swagger_doc_generated\.go$/;
const FIELD = /^\s+(?:([A-Z]\w*)\s+)?([\w.*[\]]+)\s+`([^`]*)`/;

/** Reads the types of a package from its text; it knows the layout that `gofmt` gives, and no more of Go than that. */
export function readGoPackage(folder: string, path: string): GoPackage {
  const types = new Map<string, GoType>();
  const constants = new Map<string, string>();
  const imports = new Map<string, string>();
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.go'))) {
    if (GENERATED.test(name)) continue;
    const text = readFileSync(join(folder, name), 'utf8');
    readTypes(text, types);
    for (const [, constant = '', value = ''] of text.matchAll(/^\t(\w+)\s.*?= "([^"]*)"/gm)) {
      constants.set(constant, value);
    }
    readImports(text, imports);
  }
  return { path, types, constants, imports, registered: readRegistered(folder) };
}

function readTypes(text: string, types: Map<string, GoType>): void {
  const lines = text.split('\n');
  let comment: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const declared = /^type (\w+) (struct ?\{\}?|[^=\s][^/]*)/.exec(line);
    if (line.startsWith('//')) {
      comment.push(line);
    } else if (declared !== null) {
      const [, name = '', what = ''] = declared;
      const markers = markersOf(comment);
      if (what === 'struct {') {
        const end = lines.indexOf('}', at);
        types.set(name, { name, markers, fields: readFields(lines.slice(at + 1, end)) });
        at = end;
      } else if (/^struct ?\{\}/.test(what)) {
        types.set(name, { name, markers, fields: [] });
      } else {
        types.set(name, { name, markers, underlying: what.trim() });
      }
      comment = [];
    } else if (line !== '') {
      comment = [];
    }
  }
}

function readFields(lines: readonly string[]): GoField[] {
  const fields: GoField[] = [];
  let comment: string[] = [];
  for (const line of lines) {
    const field = FIELD.exec(line);
    if (field !== null) {
      const [, name = '', type = '', tags = ''] = field;
      fields.push({ name, type, tags: tagsOf(tags), markers: markersOf(comment) });
      comment = [];
    } else if (line.trim().startsWith('//')) {
      comment.push(line.trim());
    } else if (line.trim() !== '') {
      // A field without tags is in neither encoding.
      comment = [];
    }
  }
  return fields;
}

function tagsOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(/(\w+):"([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]),
  );
}

function markersOf(comment: readonly string[]): Markers {
  const markers = new Map<string, string[]>();
  for (const line of comment) {
    const marker = /^\/\/\s*\+(\w+)(?:=(.*))?$/.exec(line);
    if (marker === null) continue;
    const [, name = '', value = ''] = marker;
    const values = markers.get(name);
    if (values === undefined) markers.set(name, [value.trim()]);
    else values.push(value.trim());
  }
  return markers;
}

function readImports(text: string, imports: Map<string, string>): void {
  const block = /^import \(([^)]*)\)/m.exec(text)?.[1] ?? '';
  for (const [, name, path = ''] of block.matchAll(/^\t(\w+ )?"([^"]+)"/gm)) {
    imports.set((name ?? path.slice(path.lastIndexOf('/') + 1)).trim(), path);
  }
}

function readRegistered(folder: string): ReadonlySet<string> {
  const text = readFileSync(join(folder, 'register.go'), 'utf8');
  const calls = text.matchAll(/AddKnownTypes\(([^)]*)\)/g);
  return new Set(
    [...calls].flatMap(([, list = '']) =>
      [...list.matchAll(/&(\w+)\{\}/g)].map(([, name = '']) => name),
    ),
  );
}
