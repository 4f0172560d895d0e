import { manifestInvalid } from '../../meta/manifests/manifest.ts';
import { fieldsOf, isFields, ownField, type Fields } from './definition.ts';

/** Deeper schemas are those of an anchor that contains itself. */
const DEEPEST = 64;
/** Of one version: over ten times the fields of the largest definition in use. Anchors can multiply fields. */
const MOST_FIELDS = 200_000;

/** Names that the generated file uses itself. */
const TAKEN = ['KnownResources', 'ObjectMeta', 'Object'];

/** Properties that every object inherits: an optional field of this name has to allow for them. */
const INHERITED =
  /^(?:constructor|toString|toLocaleString|valueOf|hasOwnProperty|isPrototypeOf|propertyIsEnumerable)$/;

/** Where a schema is, for names and messages. */
export interface SchemaPlace {
  /** The name of an interface for it. */
  readonly name: string;
  /** The suffix of a name that is taken. */
  readonly version: string;
  /** Where the definition is, and the path of the field in it. */
  readonly place: string;
  readonly path: string;
  readonly depth: number;
}

/** An interface for each object of a schema, in the order of the schema. */
export class SchemaTypes {
  /** The texts of the interfaces. */
  readonly texts: string[] = [];
  readonly #names = new Set<string>(TAKEN);
  #fields = 0;

  /** Takes a name, or the name with a suffix where it is taken. */
  uniqueName(name: string, version: string): string {
    const base = this.#names.has(name) ? name + pascalCase(version) : name;
    let unique = base;
    for (let number = 2; this.#names.has(unique); number += 1) unique = `${base}${number}`;
    this.#names.add(unique);
    return unique;
  }

  /** Begins a version of a definition: its fields are counted. */
  beginVersion(): void {
    this.#fields = 0;
  }

  /** Adds an interface. `own` are lines that replace the properties of these names. */
  addInterface(schema: Fields, { doc, own = {}, ...place }: SchemaPlace & InterfaceOptions): void {
    // The interface comes before those of its fields.
    const index = this.texts.push('') - 1;
    const required = ownField(schema, 'required');
    const lines = Object.values(own);
    for (const [name, property] of Object.entries(fieldsOf(schema, 'properties'))) {
      if (!Object.hasOwn(own, name)) lines.push(this.#field(name, property, required, place));
    }
    if (preserves(schema)) lines.push('  [key: string]: unknown;\n');
    const comment = docComment(doc ?? ownField(schema, 'description'));
    this.texts[index] = `${comment}export interface ${place.name} {\n${lines.join('')}}\n`;
  }

  #field(name: string, property: unknown, required: unknown, within: SchemaPlace): string {
    this.#fields += 1;
    const place: SchemaPlace = {
      ...within,
      name: within.name + pascalCase(name),
      path: `${within.path}.${name}`,
      depth: within.depth + 1,
    };
    if (this.#fields > MOST_FIELDS)
      throw wrong(place, `more than ${MOST_FIELDS} fields; an anchor may repeat them`);
    const type = this.typeOf(property, place);
    // The server fills in a default before it looks for required fields.
    const sent =
      Array.isArray(required) &&
      required.includes(name) &&
      !Object.hasOwn(property as Fields, 'default');
    const doc = docComment(ownField(property, 'description'), '  ');
    const inherited = INHERITED.test(name) ? `Object['${name}'] | ` : '';
    const optional = type === 'unknown' ? type : `${type} | ${inherited}undefined`;
    return `${doc}  ${propertyName(name)}${sent ? `: ${type}` : `?: ${optional}`};\n`;
  }

  /** @throws {ListwatchError} code MANIFEST_INVALID for what no structural schema has. */
  typeOf(schema: unknown, place: SchemaPlace): string {
    if (!isFields(schema)) throw wrong(place, 'a schema is a mapping; give it a type');
    if (Object.hasOwn(schema, '$ref')) {
      throw wrong(place, '$ref is not allowed in a definition; put the schema that it names there');
    }
    if (place.depth > DEEPEST) {
      throw wrong(place, `nested more than ${DEEPEST} deep; an anchor may contain itself`);
    }
    const type = this.#notNull(schema, place);
    const isNull = ownField(schema, 'nullable') === true && !/^unknown$|\bnull$/.test(type);
    return isNull ? `${type} | null` : type;
  }

  #notNull(schema: Fields, place: SchemaPlace): string {
    const values = ownField(schema, 'enum');
    if (Array.isArray(values) && values.length > 0 && values.every(isLiteral)) {
      return values.map(literal).join(' | ');
    }
    if (ownField(schema, 'x-kubernetes-int-or-string') === true) return 'number | string';
    const type = ownField(schema, 'type');
    switch (type) {
      case 'string':
      case 'boolean':
        return type;
      case 'integer':
      case 'number':
        return 'number';
      case 'array':
        return this.#array(schema, place);
      case 'object':
        return this.#object(schema, place);
      case undefined:
      case '':
        if (Object.hasOwn(schema, 'items')) return this.#array(schema, place);
        if (
          ['properties', 'additionalProperties', EMBEDDED].some((one) => Object.hasOwn(schema, one))
        )
          return this.#object(schema, place);
        return preserves(schema) ? 'unknown' : NO_FIELDS;
      default:
        throw wrong(
          place,
          `type ${JSON.stringify(type)} is none of array, boolean, integer, number, object, string`,
        );
    }
  }

  #array(schema: Fields, place: SchemaPlace): string {
    const own = ownField(schema, 'items') ?? {};
    // A list that preserves unknown fields passes this on to its items.
    const items = preserves(schema) && isFields(own) ? { ...own, [PRESERVES]: true } : own;
    const type = this.typeOf(items, { ...place, path: `${place.path}[]`, depth: place.depth + 1 });
    return (type.includes(' ') && !type.startsWith('{')) || type.endsWith(' | null')
      ? `(${type})[]`
      : `${type}[]`;
  }

  #object(schema: Fields, place: SchemaPlace): string {
    const values = ownField(schema, 'additionalProperties');
    const embedded = ownField(schema, EMBEDDED) === true;
    if (embedded || Object.keys(fieldsOf(schema, 'properties')).length > 0) {
      const name = this.uniqueName(place.name, place.version);
      const own = embedded ? EMBEDDED_FIELDS : {};
      this.addInterface(schema, { ...place, name, own, doc: '' });
      return name;
    }
    if (isFields(values)) {
      const path = `${place.path}[*]`;
      const type = this.typeOf(values, { ...place, path, depth: place.depth + 1 });
      return `{ [key: string]: ${type} }`;
    }
    return values === true || preserves(schema) ? '{ [key: string]: unknown }' : NO_FIELDS;
  }
}

interface InterfaceOptions {
  readonly doc?: string | undefined;
  readonly own?: Readonly<Record<string, string>>;
}

/** An object without fields; `{}` would take any value. */
const NO_FIELDS = '{ [key: string]: never }';
const EMBEDDED = 'x-kubernetes-embedded-resource';
const PRESERVES = 'x-kubernetes-preserve-unknown-fields';
const EMBEDDED_FIELDS = {
  apiVersion: '  apiVersion: string;\n',
  kind: '  kind: string;\n',
  metadata: '  metadata?: ObjectMeta | undefined;\n',
};

function preserves(schema: Fields): boolean {
  return ownField(schema, PRESERVES) === true;
}

function isLiteral(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/** A value as a literal type: texts in single quotes. */
export function literal(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  const quoted = JSON.stringify(value).slice(1, -1);
  return `'${quoted.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** The name of a property, in quotes where it is not an identifier. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

/** The letters and digits of a name, each word with a capital. Never empty. */
export function pascalCase(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const text = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return text === '' ? 'Field' : text;
}

function wrong({ place, version, path }: SchemaPlace, reason: string): Error {
  return manifestInvalid(place, `${version}, ${path.slice(0, 200)}: ${reason}`);
}

const WIDTH = 100;

/** Control characters, which an editor or a terminal would obey. */
const CONTROL = /[\p{Cc}\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]+/gu;

/** A description as a doc comment, wrapped at 100 columns, with its line end. Empty for an empty one. */
function docComment(text: unknown, indent: string = ''): string {
  if (typeof text !== 'string') return '';
  const lines = text
    .trim()
    .split('\n')
    .flatMap((line) => wrapped(line, WIDTH - indent.length - 3));
  const [first = ''] = lines;
  if (lines.length > 1) {
    const body = lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('');
    return `${indent}/**\n${body}${indent} */\n`;
  }
  return first === '' ? '' : `${indent}/** ${first} */\n`;
}

function wrapped(line: string, width: number): string[] {
  const lines = [''];
  // A description must not end the comment, nor turn off the compiler.
  const plain = line.replaceAll(CONTROL, ' ').replaceAll('*/', '*\\/').replaceAll('@ts-', '@ ts-');
  const words = plain.trim().split(/ +/);
  for (const word of words) {
    const last = lines.at(-1) as string;
    if (last === '') lines[lines.length - 1] = word;
    else if (last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
