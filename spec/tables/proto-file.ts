/** A field of a message, as `generated.proto` declares it. */
export interface ProtoField {
  readonly name: string;
  readonly number: number;
  /** The last part of the name of a message, or a scalar type; of a map the type of its values. */
  readonly type: string;
  readonly shape: 'one' | 'list' | 'map';
}

const FIELD =
  /^ {2}(optional|repeated|map<string, ([\w.]+)>) ?([\w.]+)? (\w+) = (\d+)(?: \[[^\]]*\])?;$/gm;

/** The messages of a `generated.proto` file, each with its fields by number. */
export function readProtoFile(text: string): ReadonlyMap<string, ReadonlyMap<number, ProtoField>> {
  const messages = new Map<string, ReadonlyMap<number, ProtoField>>();
  for (const [, name = '', body = ''] of text.matchAll(/^message (\w+) \{\n([\s\S]*?)^\}/gm)) {
    const fields = new Map<number, ProtoField>();
    for (const [, label = '', ofMap, type = '', field = '', number] of body.matchAll(FIELD)) {
      fields.set(Number(number), {
        name: field,
        number: Number(number),
        type: lastPart(ofMap ?? type),
        shape: ofMap !== undefined ? 'map' : label === 'repeated' ? 'list' : 'one',
      });
    }
    messages.set(name, fields);
  }
  return messages;
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}
