import type { GoField, GoPackage, GoType, Markers } from './go-package.ts';
import type { ProtoField } from './proto-file.ts';

/** A package with the section that it becomes, and what its `generated.proto` says. */
export interface Section {
  readonly section: string;
  readonly apiVersion: string;
  readonly go: GoPackage;
  readonly proto: ReadonlyMap<string, ReadonlyMap<number, ProtoField>>;
}

/** Types that are written in one way of their own in JSON, and have one name in every section. */
const VALUES: Readonly<Record<string, string>> = {
  'k8s.io/apimachinery/pkg/apis/meta/v1.Time': 'Time',
  'k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime': 'MicroTime',
  'k8s.io/apimachinery/pkg/apis/meta/v1.Duration': 'Duration',
  'k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1': 'FieldsV1',
  'k8s.io/apimachinery/pkg/api/resource.Quantity': 'Quantity',
  'k8s.io/apimachinery/pkg/util/intstr.IntOrString': 'IntOrString',
  'k8s.io/apimachinery/pkg/runtime.RawExtension': 'RawExtension',
  'k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON': 'RawJson',
  'k8s.io/apimachinery/pkg/types.UID': 'string',
  'k8s.io/apimachinery/pkg/types.NodeName': 'string',
};

const SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  bool: 'bool',
  int32: 'int32',
  int64: 'int64',
  float64: 'double',
  '[]byte': 'bytes',
};

/** Values that Go's `omitempty` does not leave out, as they are structs. */
const STRUCTS = new Set([
  'Time',
  'MicroTime',
  'Quantity',
  'IntOrString',
  'RawExtension',
  'RawJson',
  'FieldsV1',
]);

const TYPE_META = new Set(['metav1.TypeMeta', 'v1.TypeMeta', 'TypeMeta']);

/** Kinds of the meta package that exist in all groups, and have no line of their own in a `register.go`. */
const META_KINDS = new Set(
  'WatchEvent ListOptions GetOptions DeleteOptions CreateOptions UpdateOptions PatchOptions Status APIVersions APIGroupList APIGroup APIResourceList PartialObjectMetadata PartialObjectMetadataList'.split(
    ' ',
  ),
);

interface Struct {
  /** The section in which the types of the fields are looked up. */
  readonly home: Section;
  readonly fields: readonly GoField[];
}

interface ResolvedType {
  /** The name in the notation. */
  readonly type: string;
  readonly pointer: boolean;
  readonly shape: 'one' | 'list' | 'map';
  readonly struct: boolean;
}

/** Writes the types of Go packages in the notation of `TypeTable`. */
export class TypeNotation {
  readonly #sections: readonly Section[];
  readonly #isOff: (gate: string) => boolean;

  /** @param isOff Whether the fields of a feature gate are removed. */
  constructor(sections: readonly Section[], isOff: (gate: string) => boolean) {
    this.#sections = sections;
    this.#isOff = isOff;
  }

  /** The lines of a section: a head, then a message a line. @throws {Error} when `generated.proto` says something else. */
  linesOf(section: Section): string[] {
    const lines = [`= ${section.section} ${section.apiVersion} ${section.go.path}`];
    const names = [...section.go.types.keys()].toSorted();
    for (const name of names) {
      const struct = this.#structOf(section, name);
      if (struct !== undefined) lines.push(this.#message(section, name, struct));
    }
    return lines;
  }

  /** That of a type that is a message of its own; undefined for every other type. */
  #structOf(section: Section, name: string): Struct | undefined {
    const type = section.go.types.get(name);
    if (type === undefined || !section.proto.has(name) || isValue(section, name)) return undefined;
    if (type.fields !== undefined) return { home: section, fields: type.fields };
    const [alias = '', other = ''] = (type.underlying ?? '').split('.');
    const path = section.go.imports.get(alias);
    const home = this.#sections.find(({ go }) => go.path === path);
    const fields = home?.go.types.get(other)?.fields;
    return home === undefined || fields === undefined ? undefined : { home, fields };
  }

  #message(section: Section, name: string, { home, fields }: Struct): string {
    const { go, proto } = section;
    const hasTypeMeta = fields.some(({ name: own, type }) => own === '' && TYPE_META.has(type));
    const registered =
      go.registered.has(name) || (section.section === 'meta' && META_KINDS.has(name));
    const isUnion = fields.length > 0 && fields.every(({ tags }) => !tags.has('json'));
    const flags = [
      registered ? '*' : '',
      hasTypeMeta ? '+' : '',
      isUnion ? '|' : '',
      structFlag(go.types.get(name)?.markers),
    ].join('');
    const declared = proto.get(name) ?? new Map<number, ProtoField>();
    const tokens = fields
      .filter(({ tags }) => tags.has('protobuf'))
      .map((field) => this.#field(home, name, field, declared))
      // A message of the own section needs no section in its name.
      .map((token) => token.replace(`:${section.section}.`, ':'));
    if (tokens.length !== declared.size) {
      throw new Error(
        `${go.path}.${name} has ${tokens.length} fields, its message ${declared.size}`,
      );
    }
    return `${name}${flags}: ${tokens.join(' ')}`.trim();
  }

  #field(
    section: Section,
    owner: string,
    field: GoField,
    declared: ReadonlyMap<number, ProtoField>,
  ): string {
    const where = `${section.go.path}.${owner}.${field.name || field.type}`;
    const resolved = this.#resolve(section, field.type, where);
    const number = Number(field.tags.get('protobuf')?.split(',')[1]);
    checkAgainst(declared.get(number), resolved, where);
    const [jsonName = '', ...json] = (field.tags.get('json') ?? lowerFirst(field.name)).split(',');
    // An embedded struct without a name in JSON is inlined; 1.37 leaves the word out.
    if (jsonName === '' && field.name === '') {
      return `...=${number}:${resolved.type}`;
    }
    if (jsonName === '' || jsonName === '-') throw new Error(`${where} has no name in JSON`);
    const omit = json.includes('omitempty');
    return [
      `${jsonName}=${number}`,
      field.markers.get('featureGate')?.some((gate) => this.#isOff(gate)) === true ? '^' : '',
      presenceOf(resolved, omit, json.includes('omitzero')),
      isRequired(field.markers, omit) ? '*' : '',
      resolved.type === 'string' ? '' : `:${resolved.type}`,
      shapeOf(resolved, field.markers),
      patchOf(field.tags),
      defaultOf(field.markers, section.go, where),
    ].join('');
  }

  #resolve(section: Section, text: string, where: string): ResolvedType {
    if (text.startsWith('*'))
      return { ...this.#resolve(section, text.slice(1), where), pointer: true };
    const scalar = SCALARS[text];
    if (scalar !== undefined) return { type: scalar, pointer: false, shape: 'one', struct: false };
    const item = /^\[\](.*)$/.exec(text)?.[1] ?? /^map\[\w+(?:\.\w+)?\](.*)$/.exec(text)?.[1];
    if (item !== undefined) {
      const of = this.#resolve(section, item, where);
      if (of.shape !== 'one') throw new Error(`${where}: ${text} is nested`);
      return { ...of, shape: text.startsWith('map') ? 'map' : 'list', pointer: false };
    }
    return this.#named(section, text, where);
  }

  #named(section: Section, text: string, where: string): ResolvedType {
    const [alias = '', other] = text.split('.');
    const path = other === undefined ? section.go.path : (section.go.imports.get(alias) ?? alias);
    const name = other ?? alias;
    const value = VALUES[`${path}.${name}`];
    if (value !== undefined) {
      return { type: value, pointer: false, shape: 'one', struct: STRUCTS.has(value) };
    }
    const home = this.#sections.find(({ go }) => go.path === path);
    const type = home?.go.types.get(name);
    if (home === undefined || type === undefined)
      throw new Error(`${where}: ${path}.${name} is unknown`);
    if (type.fields === undefined) return this.#alias(home, type, where);
    return { type: `${home.section}.${name}`, pointer: false, shape: 'one', struct: true };
  }

  /** A named list of strings is a message on the wire, with the strings as `items`. */
  #alias(home: Section, type: GoType, where: string): ResolvedType {
    const { underlying = '' } = type;
    if (underlying === '[]string' && home.proto.has(type.name)) {
      return { type: 'Strings', pointer: false, shape: 'one', struct: false };
    }
    return this.#resolve(home, underlying, where);
  }
}

function isValue({ go }: Section, name: string): boolean {
  return (
    VALUES[`${go.path}.${name}`] !== undefined || go.types.get(name)?.underlying === '[]string'
  );
}

function checkAgainst(declared: ProtoField | undefined, own: ResolvedType, where: string): void {
  if (declared === undefined) throw new Error(`${where} is not in its message`);
  if (declared.shape !== own.shape)
    throw new Error(`${where} is a ${declared.shape} in its message`);
  const type = own.type.slice(own.type.lastIndexOf('.') + 1);
  const same = declared.type === type || type === 'Strings' || type === 'RawJson';
  if (!same) throw new Error(`${where} is a ${declared.type} in its message, not a ${type}`);
}

function presenceOf(
  { pointer, shape, struct }: ResolvedType,
  omit: boolean,
  zero: boolean,
): string {
  if (pointer) return omit ? '?' : '!?';
  if (zero) return '';
  return struct && shape === 'one' ? '!' : omit ? '' : '!';
}

function isRequired(markers: Markers, omit: boolean): boolean {
  if (markers.has('required')) return true;
  return !markers.has('optional') && !omit;
}

function shapeOf({ shape, struct }: ResolvedType, markers: Markers): string {
  const [listType = ''] = markers.get('listType') ?? [];
  const keys = markers.get('listMapKey') ?? [];
  if (shape === 'list') return `[${listType}${keys.length > 0 ? `:${keys.join(',')}` : ''}]`;
  if (shape === 'map') return `{${markers.get('mapType')?.[0] ?? ''}}`;
  const structType = markers.get('structType')?.[0] ?? markers.get('mapType')?.[0];
  return struct && structType !== undefined ? `(${structType})` : '';
}

function structFlag(markers: Markers | undefined): string {
  const structType = markers?.get('structType')?.[0];
  return structType === undefined ? '' : `(${structType})`;
}

function patchOf(tags: ReadonlyMap<string, string>): string {
  const strategy = tags.get('patchStrategy');
  const key = tags.get('patchMergeKey');
  if (strategy === undefined && key === undefined) return '';
  return `@${strategy ?? ''}${key === undefined ? '' : `:${key}`}`;
}

function defaultOf(markers: Markers, { constants }: GoPackage, where: string): string {
  const [text] = markers.get('default') ?? [];
  if (text === undefined) return '';
  const constant = /^ref\((\w+)\)$/.exec(text)?.[1];
  if (constant === undefined)
    return `~${JSON.stringify(JSON.parse(text)).replaceAll(' ', '\\u0020')}`;
  const value = constants.get(constant);
  if (value === undefined) throw new Error(`${where}: there is no constant ${constant}`);
  return `~${JSON.stringify(value)}`;
}

function lowerFirst(name: string): string {
  return name.slice(0, 1).toLowerCase() + name.slice(1);
}
