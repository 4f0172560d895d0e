import {
  isMap,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  stringify,
  type ScalarTag,
  type Tags,
} from 'yaml';
import { errorMessage } from '../../../kernel/failure/errors.ts';
import { YAML_1_1_TAGS } from '../../../meta/manifests/yaml-1-1-tags.ts';
import {
  checkTree,
  decodeUtf8,
  DEEPEST_DOCUMENT,
  tooDeep,
  type DocumentLimits,
} from './json-document.ts';
import { MERGE, MergeKeys } from './merge-keys.ts';
import { isSchemeError, malformed, quoted } from './scheme-error.ts';

/** Limited, because the YAML parser takes more than linear time on some inputs. Clients with larger objects use JSON. */
export const LARGEST_YAML_BYTES: number = 64 * 1024;

/** An alias is a reference: a few hundred bytes of aliases can expand to gigabytes. */
const MOST_ALIASES = 100;
const LARGEST_EXPANSION = 3 * 1024 * 1024;

/** Turned off: comparing all keys with each other, and finding the place of every error, which take quadratic time. */
const OPTIONS = {
  schema: 'core',
  customTags: (tags: Tags): Tags => [...YAML_1_1_TAGS, MERGE, ...tags],
  resolveKnownTags: false,
  merge: false,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'error',
} as const;

/**
 * Parses a YAML document that has only values that JSON can express.
 * @throws {SchemeError} MALFORMED_OBJECT when it is malformed, larger than 64 KiB or nested too deeply, when it has too many
 * aliases or merges, or when it has keys that are not scalars, or numbers that are not finite.
 */
export function parseYamlDocument(
  bytes: Uint8Array,
  { deepestLevel = DEEPEST_DOCUMENT, strict = false, onRepeated }: DocumentLimits = {},
): unknown {
  if (bytes.byteLength > LARGEST_YAML_BYTES) {
    throw malformed(`YAML may have ${LARGEST_YAML_BYTES} bytes; this has ${bytes.byteLength}`);
  }
  const text = decodeUtf8(bytes);
  checkBrackets(text, deepestLevel);
  let value: unknown;
  try {
    const document = parseDocument(text, OPTIONS);
    // As Go's parser does: the first document counts, and the rest of the text is not read.
    const error = document.errors.find(({ code }) => code !== 'MULTIPLE_DOCS');
    if (error !== undefined) {
      const line = text.slice(0, error.pos[0]).split('\n').length;
      throw malformed(`the bytes are not valid YAML: ${error.message} (line ${line})`, error);
    }
    new MergeKeys(document).replaceAll();
    checkKeys(document.contents, strict, onRepeated);
    value = document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch (error) {
    if (isSchemeError(error)) throw error;
    throw malformed(`the bytes are not valid YAML: ${errorMessage(error)}`, error);
  }
  checkTree(value, deepestLevel);
  return unshared(value);
}

/** The members of an object by their names, as Go writes the JSON of a YAML document. */
function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries);
}

/** Copies the value: with aliases, one object occurs in several places, and a change of one would change all. */
function unshared(value: unknown): unknown {
  let json: string;
  try {
    json = JSON.stringify(value, inOrder);
  } catch (error) {
    throw malformed('the object contains itself', error);
  }
  if (json.length > LARGEST_EXPANSION) {
    throw malformed(`its aliases expand to more than ${LARGEST_EXPANSION} characters of JSON`);
  }
  return JSON.parse(json);
}

/** A day that exists, with or without zeros at the front. */
const DAY = [
  String.raw`\d{4}-(?:0?[13578]|1[02])-(?:0?[1-9]|[12]\d|3[01])`,
  String.raw`\d{4}-(?:0?[469]|11)-(?:0?[1-9]|[12]\d|30)`,
  String.raw`\d{4}-0?2-(?:0?[1-9]|1\d|2[0-8])`,
  String.raw`(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-0?2-29`,
].join('|');
const HOURS = String.raw`(?:[01]?\d|2[0-3]):[0-5]?\d:[0-5]?\d(?:[.,]\d+)?`;
const ZONE = String.raw`(?:Z|[-+](?:[01]\d|2[0-4]):[0-5]\d)`;

/** Readers of YAML 1.1 take such text for a time, so that it is written in quotes; it is read as text. */
const TIME: ScalarTag = {
  tag: 'tag:yaml.org,2002:timestamp',
  default: true,
  identify: () => false,
  test: new RegExp(`^(?:${DAY})(?:[Tt]${HOURS}${ZONE}| +${HOURS})?$`),
  resolve: (text) => text,
};

/** YAML 1.1 reads such text, `22:30`, as a number of base 60. @see go-yaml 2 encode.go isBase60Float */
const BASE_60: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: () => false,
  test: /^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$/,
  resolve: (text) => text,
};

/** In the form of kube-apiserver: names in order, strings quoted that YAML 1.1 would read as another type. */
export function stringifyYaml(value: unknown): string {
  return stringify(value, {
    ...OPTIONS,
    customTags: (tags) => [TIME, BASE_60, ...OPTIONS.customTags(tags)],
    aliasDuplicateObjects: false,
    sortMapEntries: true,
    indentSeq: false,
  });
}

/** Matches more nested block indicators on one line than this; the parser's cost grows much faster than the depth. */
const DEEP_BLOCK = /^(?:[ \t]*[-?:][ \t]){65}|^[ \t]{2000}/m;

/**
 * Refuses nesting that is too deep for the parser. Without parsing, it cannot distinguish brackets in plain text from others. A
 * document whose text opens many more brackets than it closes is therefore refused too; send it as JSON.
 */
function checkBrackets(text: string, deepestLevel: number): void {
  if (DEEP_BLOCK.test(text)) throw tooDeep(deepestLevel);
  let depth = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    if (depth > deepestLevel) throw tooDeep(deepestLevel);
  }
}

/** Checks that the names of fields are scalars and not null. Iterative. */
function checkKeys(root: unknown, strict: boolean, onRepeated: DocumentLimits['onRepeated']): void {
  const nodes: unknown[] = [root];
  while (nodes.length > 0) {
    const node = nodes.pop();
    if (isSeq(node)) {
      for (const item of node.items) nodes.push(item);
    } else if (isMap(node)) {
      const names = new Set<string>();
      for (const { key, value } of node.items.filter(isPair)) {
        if (!isScalar(key) || typeof key.value === 'object') {
          throw malformed('a field of the object has a name that is not a string');
        }
        const name = typeof key.value === 'string' ? key.value : JSON.stringify(key.value);
        if (strict && names.has(name)) {
          throw malformed(`the field ${quoted(name)} occurs twice in an object`);
        }
        if (names.has(name)) onRepeated?.(name, key.range?.[0] ?? 0);
        names.add(name);
        nodes.push(value);
      }
    }
  }
}
