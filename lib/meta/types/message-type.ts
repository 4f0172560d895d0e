/**
 * When a field is present in the JSON of Go's types. `nonzero`: if it is not zero or empty. `always`: in every case, as zero or
 * null if it was not sent. `sent`: if it was set, also to zero (a pointer in Go). `nullable`: in every case, as null if it was not
 * set (a pointer without `omitempty`).
 */
export type Presence = 'nonzero' | 'always' | 'sent' | 'nullable';

/** How server-side apply merges: as one value, as a set of values, by keys, or field by field. */
export type MergeType = 'atomic' | 'set' | 'map' | 'granular';

/** A type that is no message of fields in JSON: a scalar, or a value that is written in a way of its own. */
export type ValueType =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'double'
  /** Base64 in JSON. */
  | 'bytes'
  /** `2030-01-02T03:04:05Z`; null when it was never set. */
  | 'Time'
  /** `2030-01-02T03:04:05.000006Z`; null when it was never set. */
  | 'MicroTime'
  /** `250m` */
  | 'Quantity'
  /** A whole number or a string. */
  | 'IntOrString'
  /** JSON of any kind, which protobuf carries as its text. */
  | 'RawJson'
  /** The JSON of managed fields, which protobuf carries as its text. */
  | 'FieldsV1'
  /** An object of any kind: JSON, or the envelope of another object. */
  | 'RawExtension'
  /** A list of strings, which is a message of its own in protobuf. */
  | 'Strings';

const VALUE_TYPES: ReadonlySet<string> = new Set<ValueType>([
  'string',
  'bool',
  'int32',
  'int64',
  'double',
  'bytes',
  'Time',
  'MicroTime',
  'Quantity',
  'IntOrString',
  'RawJson',
  'FieldsV1',
  'RawExtension',
  'Strings',
]);

export function isValueType(type: string): type is ValueType {
  return VALUE_TYPES.has(type);
}

/** The row of the table for one field of a message. */
export interface FieldFacts {
  /** The name in JSON; of an inline field empty. */
  readonly name: string;
  /** The number in protobuf. */
  readonly number: number;
  readonly presence: Presence;
  /** Whether the published schema requires it. */
  readonly required: boolean;
  /** Whether it belongs to a feature gate that is off by default: a server removes it from what clients send. */
  readonly isOff: boolean;
  /** A `ValueType`, or the name of a message with its section: `core.PodSpec`. For lists and maps that of an item. */
  readonly type: string;
  /** `inline`: the fields of the message belong to the enclosing message, in JSON only. Keys of maps are strings. */
  readonly shape: 'one' | 'list' | 'map' | 'inline';
  /**
   * The declaration of the type for server-side apply: `atomic`, `set` or `map` for a list, `atomic` or `granular` for a map or a message.
   * Without it a list is atomic, a map or message granular, unless the message says otherwise.
   */
  readonly mergeType: MergeType | undefined;
  /** The fields that identify an item of a list of the type `map`; empty for all others. */
  readonly listKeys: readonly string[];
  /** `merge`, `replace`, `retainKeys`; empty when the tag is missing, which means replace for lists and merge for others. */
  readonly patchStrategies: readonly string[];
  /** The field that identifies an item of a list in a strategic merge patch. */
  readonly patchMergeKey: string | undefined;
  /** The default that the type declares. Most defaults of Kubernetes are set by functions, and are not here. */
  readonly declaredDefault: unknown;
}

/** A field of a message, with the message that is its type. */
export class MessageField implements FieldFacts {
  declare readonly name: string;
  declare readonly number: number;
  declare readonly presence: Presence;
  declare readonly required: boolean;
  declare readonly isOff: boolean;
  declare readonly type: string;
  declare readonly shape: FieldFacts['shape'];
  declare readonly mergeType: MergeType | undefined;
  declare readonly listKeys: readonly string[];
  declare readonly patchStrategies: readonly string[];
  declare readonly patchMergeKey: string | undefined;
  declare readonly declaredDefault: unknown;
  readonly #lookUp: (name: string) => MessageType;

  constructor(facts: FieldFacts, lookUp: (name: string) => MessageType) {
    Object.assign(this, facts);
    this.#lookUp = lookUp;
  }

  /** The message that is the type of the field, or of its items; undefined for a `ValueType`. */
  get message(): MessageType | undefined {
    return isValueType(this.type) ? undefined : this.#lookUp(this.type);
  }
}

/** A message: a struct of Go. */
export interface MessageType {
  /** With its section: `core.PodSpec`. Unique in the table. */
  readonly name: string;
  /** `apps/v1`; empty for the group of the core: `v1`. */
  readonly apiVersion: string;
  /** The name in the published OpenAPI: `io.k8s.api.core.v1.PodSpec`. */
  readonly openApiName: string;
  /** Whether objects of this kind can be sent on their own. */
  readonly isKind: boolean;
  /** Whether its JSON has `apiVersion` and `kind`, which are not among the fields, as protobuf does not carry them. */
  readonly hasTypeMeta: boolean;
  /** Whether its JSON is the value of one of its fields instead of an object with them: the three `JSONSchemaPropsOr…`. */
  readonly isUnion: boolean;
  /** The declaration of the type itself for server-side apply. */
  readonly mergeType: MergeType | undefined;
  /** In the order of Go's struct, which is that of its JSON. */
  readonly fields: readonly MessageField[];
  /** The fields that the JSON has, by name; those of inline messages are among them. */
  readonly byName: ReadonlyMap<string, MessageField>;
  readonly byNumber: ReadonlyMap<number, MessageField>;
}
