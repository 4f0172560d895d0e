/**
 * When a field is present in the JSON of Go's types. `nonzero`: if it is not zero or empty. `always`: in every case, as zero or
 * null if it was not sent. `sent`: if it was on the wire. `nullable`: in every case, as null if it was not on the wire.
 */
export type Presence = 'nonzero' | 'always' | 'sent' | 'nullable';

export interface MessageField {
  /** The name in JSON. */
  readonly name: string;
  readonly number: number;
  readonly presence: Presence;
  /** `inline`: the fields of the message belong to the enclosing message. */
  readonly shape: 'one' | 'list' | 'map' | 'inline';
  /** A scalar type of protobuf, or the name of a message. */
  readonly type: string;
  /** On the wire, a map is a list of these messages, each with a key and a value. */
  readonly entry?: MessageType | undefined;
}

export interface MessageType {
  readonly name: string;
  readonly fields: readonly MessageField[];
  readonly byNumber: ReadonlyMap<number, MessageField>;
  /** The table in which the messages of its fields are looked up. */
  readonly table: MessageTable;
}

const FIELD = /^([A-Za-z]\w*|\.\.\.)=(\d+)(!\?|!|\?|)(?::([A-Za-z]\w*)(\[\]|\{\}|))?$/;
const PRESENCE: Readonly<Record<string, Presence>> = {
  '': 'nonzero',
  '!': 'always',
  '?': 'sent',
  '!?': 'nullable',
};
const SHAPE: Readonly<Record<string, MessageField['shape']>> = { '[]': 'list', '{}': 'map' };

/**
 * Messages by name. In the notation, each message is one line, continued by indented lines:
 *
 *     Taint: key=1! value=2 effect=3! timeAdded=4?:Time
 *
 * is a message with four fields. After the number comes the presence (nothing: `nonzero`, `!` always, `?` sent, `!?`
 * nullable), then the type; without one it is `string`. `Volume[]` is a list, `Quantity{}` a map from strings. With `...` in
 * place of the name, the fields of that message become fields of this one.
 */
export class MessageTable {
  readonly #types = new Map<string, MessageType>();
  readonly #parents: readonly MessageTable[];

  /** Messages that are not in `text` are looked up in `parents`. Throws a TypeError when the text does not follow the notation. */
  constructor(text: string, parents: readonly MessageTable[] = []) {
    this.#parents = parents;
    for (const entry of text.trim().split(/\n(?! )/)) {
      const [head = '', ...fields] = entry.trim().split(/\s+/);
      if (!/^[A-Z]\w*:$/.test(head)) throw new TypeError(`not a message: ${entry}`);
      const name = head.slice(0, -1);
      this.#types.set(
        name,
        messageType(
          name,
          fields.map((field) => this.#parseField(field)),
          this,
        ),
      );
    }
  }

  /** The message of this name, here or in a parent. */
  find(name: string): MessageType | undefined {
    const own = this.#types.get(name);
    if (own !== undefined) return own;
    for (const parent of this.#parents) {
      const found = parent.find(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Throws a TypeError when there is no such message. */
  get(name: string): MessageType {
    const found = this.find(name);
    if (found === undefined) throw new TypeError(`there is no message ${name}`);
    return found;
  }

  #parseField(text: string): MessageField {
    const match = FIELD.exec(text);
    if (match === null) throw new TypeError(`not a field: ${text}`);
    const [, name = '', number, presence = '', type = 'string', suffix = ''] = match;
    const field: MessageField = {
      name,
      number: Number(number),
      presence: PRESENCE[presence] ?? 'nonzero',
      shape: name === '...' ? 'inline' : (SHAPE[suffix] ?? 'one'),
      type,
    };
    if (field.shape !== 'map') return field;
    const fields = [this.#parseField('key=1!'), this.#parseField(`value=2!:${type}`)];
    return { ...field, entry: messageType(name, fields, this) };
  }
}

function messageType(
  name: string,
  fields: readonly MessageField[],
  table: MessageTable,
): MessageType {
  const byNumber = new Map(fields.map((field) => [field.number, field]));
  if (byNumber.size < fields.length) throw new TypeError(`${name} has a number twice`);
  return { name, fields, byNumber, table };
}
