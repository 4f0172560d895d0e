import {
  isValueType,
  MessageField,
  type FieldFacts,
  type MergeType,
  type MessageType,
  type Presence,
} from './message-type.ts';

const FIELD =
  /^([^=\s]+)=(\d+)(\^?)(!\?|!|\?|)(\*?)(?::([A-Za-z]\w*(?:\.\w+)?))?(\[[^\]]*\]|\{\w*\}|\(\w+\)|)(?:@([\w,]*)(?::(\w+))?)?(?:~(\S+))?$/;
const HEAD = /^([A-Z]\w*)(\*?)(\+?)(\|?)(?:\((\w+)\))?$/;
const PRESENCE: Readonly<Record<string, Presence>> = {
  '': 'nonzero',
  '!': 'always',
  '?': 'sent',
  '!?': 'nullable',
};

/** The messages of one API version: where their lines are, and those that were read. */
interface Section {
  readonly name: string;
  readonly apiVersion: string;
  readonly openApiPrefix: string;
  readonly text: string;
  /** The place of each line in `text`, by the name of its message. */
  readonly lines: ReadonlyMap<string, readonly [start: number, end: number]>;
  readonly read: Map<string, MessageType>;
}

/**
 * Messages by name and by kind. Each is read from its line when it is first looked up.
 *
 * In the notation, `= core v1 k8s.io/api/core/v1` begins a section: its name, its API version, the Go package. The lines below are
 * messages:
 *
 *     Taint: key=1!* value=2 effect=3!* timeAdded=4?:Time
 *
 * is a message with four fields. After the number, `^` says that the feature of the field is off by default. Then comes the presence (nothing: `nonzero`, `!` always, `?` sent, `!?` nullable),
 * `*` for a required field, then the type; without one it is `string`. `:Volume[map:name]` is a list with its list type and keys,
 * `:Quantity{}` a map from strings, `(atomic)` the merge type of a single message; `@merge:name` is the patch strategy with the merge
 * key, `~"TCP"` the declared default. With `...` in place of the name, the fields of that message become fields of this one.
 * A message of another section has the section in its name: `core.PodSpec`. After the name of a message, `*` says that it is a kind,
 * `+` that its JSON has `apiVersion` and `kind`, `|` that it is a union, `(atomic)` its merge type.
 */
export class TypeTable {
  readonly #sections = new Map<string, Section>();
  readonly #byVersion = new Map<string, Section>();
  readonly #shared: Section | undefined;

  /**
   * @param sharedSection the section whose kinds exist in every API version, as `Status` and `DeleteOptions` do
   * @throws {TypeError} when a text does not follow the notation; a line that does not throws when it is first looked up.
   */
  constructor(texts: readonly string[], sharedSection = '') {
    for (const section of texts.flatMap(readSections)) {
      this.#sections.set(section.name, section);
      this.#byVersion.set(section.apiVersion, section);
    }
    this.#shared = this.#sections.get(sharedSection);
  }

  /** The message of a kind; undefined when the API version has no such kind. */
  kind(apiVersion: string, kind: string): MessageType | undefined {
    const own = this.#messageOf(this.#byVersion.get(apiVersion), kind);
    if (own?.isKind === true) return own;
    const shared = this.#messageOf(this.#shared, kind);
    return shared?.isKind === true ? shared : undefined;
  }

  /** The message of this name with its section: `core.PodSpec`. */
  find(name: string): MessageType | undefined {
    const dot = name.indexOf('.');
    return this.#messageOf(this.#sections.get(name.slice(0, dot)), name.slice(dot + 1));
  }

  /** @throws {TypeError} when there is no such message. */
  get(name: string): MessageType {
    const found = this.find(name);
    if (found === undefined) throw new TypeError(`there is no message ${name}`);
    return found;
  }

  /** The names of all messages, as `get` takes them. */
  *names(): Iterable<string> {
    for (const { name, lines } of this.#sections.values()) {
      for (const message of lines.keys()) yield `${name}.${message}`;
    }
  }

  #messageOf(section: Section | undefined, name: string): MessageType | undefined {
    const line = section?.lines.get(name);
    if (section === undefined || line === undefined) return undefined;
    const known = section.read.get(name);
    if (known !== undefined) return known;
    const message = new TableMessage(section, section.text.slice(...line), (other) =>
      this.get(other),
    );
    section.read.set(name, message);
    return message;
  }
}

function readSections(text: string): Section[] {
  const sections: Section[] = [];
  let lines = new Map<string, readonly [number, number]>();
  let start = 0;
  while (start < text.length) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    if (text.startsWith('= ', start)) {
      const [, name = '', apiVersion = '', path = ''] = text.slice(start, end).split(' ');
      if (path === '') throw new TypeError(`not a section: ${text.slice(start, end)}`);
      lines = new Map();
      sections.push({
        name,
        apiVersion,
        openApiPrefix: openApiPrefixOf(path),
        text,
        lines,
        read: new Map(),
      });
    } else if (end > start) {
      const name = /\w+/y;
      name.lastIndex = start;
      const found = name.exec(text)?.[0];
      if (found === undefined || sections.length === 0) {
        throw new TypeError(`not a message: ${text.slice(start, end)}`);
      }
      lines.set(found, [start, end]);
    }
    start = end + 1;
  }
  return sections;
}

/** `k8s.io/api/core/v1` is `io.k8s.api.core.v1` there. */
function openApiPrefixOf(path: string): string {
  const [host = '', ...rest] = path.split('/');
  return [...host.split('.').toReversed(), ...rest].join('.');
}

class TableMessage implements MessageType {
  readonly name: string;
  readonly apiVersion: string;
  readonly openApiName: string;
  readonly isKind: boolean;
  readonly hasTypeMeta: boolean;
  readonly isUnion: boolean;
  readonly mergeType: MergeType | undefined;
  readonly fields: readonly MessageField[];
  readonly byNumber: ReadonlyMap<number, MessageField>;
  #byName: ReadonlyMap<string, MessageField> | undefined;

  constructor(section: Section, line: string, lookUp: (name: string) => MessageType) {
    const colon = line.indexOf(':');
    const head = HEAD.exec(line.slice(0, Math.max(colon, 0)));
    if (head === null) throw new TypeError(`not a message: ${line}`);
    const [, name = '', kind, typeMeta, union, mergeType] = head;
    this.name = `${section.name}.${name}`;
    this.apiVersion = section.apiVersion;
    this.openApiName = `${section.openApiPrefix}.${name}`;
    this.isKind = kind !== '';
    this.hasTypeMeta = typeMeta !== '';
    this.isUnion = union !== '';
    this.mergeType = mergeType as MergeType | undefined;
    const texts = line
      .slice(colon + 1)
      .split(' ')
      .filter((text) => text !== '');
    this.fields = texts.map((text) => new MessageField(readField(text, section.name), lookUp));
    this.byNumber = new Map(this.fields.map((field) => [field.number, field]));
    if (this.byNumber.size < this.fields.length) {
      throw new TypeError(`${this.name} has a number twice`);
    }
  }

  get byName(): ReadonlyMap<string, MessageField> {
    this.#byName ??= new Map(
      this.fields.flatMap((field) =>
        field.shape === 'inline'
          ? [...(field.message?.byName ?? [])]
          : [[field.name, field] as const],
      ),
    );
    return this.#byName;
  }
}

function readField(text: string, section: string): FieldFacts {
  const match = FIELD.exec(text);
  if (match === null) throw new TypeError(`not a field: ${text}`);
  const [, name = '', number, off, presence = '', star, type = 'string', suffix = ''] = match;
  const [mergeType = '', keys = ''] = suffix.slice(1, -1).split(':');
  const declared = match[10];
  return {
    name: name === '...' ? '' : name,
    number: Number(number),
    presence: PRESENCE[presence] ?? 'nonzero',
    required: star !== '',
    isOff: off !== '',
    type: isValueType(type) || type.includes('.') ? type : `${section}.${type}`,
    shape: name === '...' ? 'inline' : shapeOf(suffix),
    mergeType: mergeType === '' ? undefined : (mergeType as MergeType),
    listKeys: keys === '' ? [] : keys.split(','),
    patchStrategies: match[8] === undefined || match[8] === '' ? [] : match[8].split(','),
    patchMergeKey: match[9],
    declaredDefault: declared === undefined ? undefined : (JSON.parse(declared) as unknown),
  };
}

function shapeOf(suffix: string): 'one' | 'list' | 'map' {
  if (suffix.startsWith('[')) return 'list';
  return suffix.startsWith('{') ? 'map' : 'one';
}
