import { AES_KEY_BYTES, type EncryptionKey } from '../encryption-provider.ts';
import { CACHED_DATA_KEYS } from '../data-key-cache.ts';
import { KEY_SERVICE_TIMEOUT_MS } from '../key-service.ts';
import { socketPathOf } from '../plugin-endpoint.ts';
import {
  EVERYTHING,
  overlapProblem,
  parseResourceRule,
  ruleProblem,
  ruleText,
  type GroupResource,
} from './resource-rules.ts';
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type Node,
} from 'yaml';
import { ListwatchError } from '../../../../kernel/failure/errors.ts';

interface ConfigFile {
  readonly name: string;
  readonly document: Document;
  readonly lines: LineCounter;
}

/** Larger files are refused. */
const LARGEST_FILE_BYTES = 1024 * 1024;
/** Maximum number of aliases; nested aliases could expand a small file to a huge one. */
const MOST_ALIASES = 100;
/** Messages show only names of this form: a secret may be in the place of a field name. */
const SHOWN_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,19}$/;

/**
 * A place in a YAML or JSON file with its path and line, so that an error can name it. Messages never show values, which may be
 * keys.
 */
class ConfigField {
  readonly #file: ConfigFile;
  readonly #path: string;
  readonly #node: Node | undefined;
  readonly #line: number;

  private constructor(file: ConfigFile, path: string, node: unknown, lineOfParent: number) {
    const resolved = isAlias(node)
      ? node.resolve(file.document)
      : (node as Node | null | undefined);
    this.#file = file;
    this.#path = path;
    this.#node =
      resolved == null || (isScalar(resolved) && resolved.value === null) ? undefined : resolved;
    const offset = (node as Node | null | undefined)?.range?.[0];
    this.#line = offset === undefined ? lineOfParent : file.lines.linePos(offset).line;
  }

  /** The root of a file. @throws {ListwatchError} CONFIG_INVALID with the line, if it is not YAML. */
  static parse(name: string, text: string): ConfigField {
    if (Buffer.byteLength(text) > LARGEST_FILE_BYTES) {
      throw invalid(name, `it is larger than ${LARGEST_FILE_BYTES} bytes`);
    }
    const lines = new LineCounter();
    // The `prettyErrors` of the parser quote the file, which may contain keys.
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      logLevel: 'error',
    });
    const [error] = document.errors;
    if (error !== undefined) {
      const place = `${name}:${lines.linePos(error.pos[0]).line}`;
      throw invalid(place, `it is not YAML: ${error.code.toLowerCase().replaceAll('_', ' ')}`);
    }
    let aliases = 0;
    visit(document, {
      Alias: () => {
        aliases += 1;
      },
    });
    if (aliases > MOST_ALIASES) throw invalid(name, `it has more than ${MOST_ALIASES} aliases`);
    return new ConfigField({ name, document, lines }, '', document.contents, 1);
  }

  /** Whether there is a value other than null. */
  get present(): boolean {
    return this.#node !== undefined;
  }

  /** The fields of a mapping, present or not. @throws {ListwatchError} CONFIG_INVALID for a field that is not in `known`. */
  fields<Name extends string>(known: readonly Name[]): Readonly<Record<Name, ConfigField>> {
    const values = new Map<string, unknown>();
    if (this.#node !== undefined) {
      if (!isMap(this.#node)) this.fail('expected a mapping of fields');
      for (const { key, value } of this.#node.items) {
        const name = isScalar(key) ? String(key.value) : '';
        if (!(known as readonly string[]).includes(name)) this.#failUnknown(key, name, known);
        values.set(name, value);
      }
    }
    const prefix = this.#path === '' ? '' : `${this.#path}.`;
    const fields = known.map((name): [Name, ConfigField] => [
      name,
      new ConfigField(this.#file, prefix + name, values.get(name), this.#line),
    ]);
    return Object.fromEntries(fields) as Readonly<Record<Name, ConfigField>>;
  }

  /** The entries of a list; an absent list has none. */
  items(): ConfigField[] {
    if (this.#node === undefined) return [];
    if (!isSeq(this.#node)) return this.fail('expected a list');
    return this.#node.items.map(
      (item, index) => new ConfigField(this.#file, `${this.#path}[${index}]`, item, this.#line),
    );
  }

  /** The entries of a list; an empty one is refused. */
  someItems(): ConfigField[] {
    const items = this.items();
    return items.length > 0 ? items : this.fail('at least one is needed');
  }

  /** A text; undefined if absent or empty. */
  optionalText(): string | undefined {
    const value = this.#scalar();
    if (value === undefined || value === '') return undefined;
    return typeof value === 'string' ? value : this.fail('expected a text; put it in quotes');
  }

  text(): string {
    return this.optionalText() ?? this.fail('it is missing');
  }

  /** A whole number; undefined if absent. */
  optionalInteger(): number | undefined {
    const value = this.#scalar();
    if (value === undefined || Number.isSafeInteger(value)) return value as number | undefined;
    return this.fail('expected a whole number');
  }

  /** @throws {ListwatchError} CONFIG_INVALID naming file, line and field. */
  fail(problem: string): never {
    const at = `${this.#file.name}:${this.#line}`;
    throw invalid(this.#path === '' ? at : `${at}: ${this.#path}`, problem);
  }

  #scalar(): unknown {
    if (this.#node === undefined) return undefined;
    return isScalar(this.#node) ? this.#node.value : this.fail('expected a single value');
  }

  #failUnknown(key: unknown, name: string, known: readonly string[]): never {
    const shown = SHOWN_NAME.test(name) ? `"${name}"` : 'there';
    const place = new ConfigField(this.#file, this.#path, key, this.#line);
    return place.fail(`unknown field ${shown}; known are ${known.join(', ')}`);
  }
}

function invalid(place: string, problem: string): ListwatchError {
  return new ListwatchError('CONFIG_INVALID', `${place}: ${problem}`);
}

/** A provider entry of an EncryptionConfiguration file. */
export type ProviderEntry =
  | { readonly type: 'identity' }
  | { readonly type: 'aesgcm' | 'aescbc' | 'secretbox'; readonly keys: readonly EncryptionKey[] }
  | KmsEntry;

export interface KmsEntry {
  readonly type: 'kms';
  readonly version: 'v1' | 'v2';
  readonly name: string;
  readonly timeoutMs: number;
  /** 0: no cache. */
  readonly cacheSize: number;
  /** The position of the name, for errors that are found later. */
  readonly nameField: ConfigField;
  /** `unix:///run/kms.sock`. */
  readonly endpoint: string;
}

export interface ResourceEntry {
  readonly resources: readonly GroupResource[];
  readonly providers: readonly ProviderEntry[];
}

const SECRETBOX_KEY_BYTES: readonly number[] = [32];

/**
 * Reads and checks an EncryptionConfiguration file as strictly as kube-apiserver does, and also refuses two keys of the same name.
 * @throws {ListwatchError} CONFIG_INVALID naming file, line and field, never a value.
 * @see apiserver pkg/apis/apiserver/validation/validation_encryption.go @ 24a394e
 */
export function parseEncryptionDocument(file: string, text: string): ResourceEntry[] {
  const root = ConfigField.parse(file, text);
  if (!root.present) root.fail('it is empty');
  const { apiVersion, kind, resources } = root.fields(['apiVersion', 'kind', 'resources']);
  const type = `${apiVersion.text()} ${kind.text()}`;
  // The second form was in the documentation of Kubernetes once.
  if (
    type !== 'apiserver.config.k8s.io/v1 EncryptionConfiguration' &&
    type !== 'v1 EncryptionConfig'
  ) {
    kind.fail('expected an EncryptionConfiguration of apiserver.config.k8s.io/v1');
  }
  const kmsNames = new Set<string>();
  const earlier = new Set<string>();
  return resources.someItems().map((entry) => {
    const fields = entry.fields(['resources', 'providers']);
    return {
      resources: readRules(fields.resources, earlier),
      providers: fields.providers.someItems().map((one) => readProvider(one, kmsNames)),
    };
  });
}

/** Reads the rules of one list. `earlier` has the rules of the lists before, and gets these too. */
function readRules(list: ConfigField, earlier: Set<string>): GroupResource[] {
  const fields = list.someItems();
  const rules = fields.map((field) => {
    const text = field.text();
    const problem = ruleProblem(text);
    if (problem !== undefined) field.fail(problem);
    const rule = parseResourceRule(text);
    for (const wider of [{ group: rule.group, resource: '*' }, EVERYTHING]) {
      if (earlier.has(ruleText(wider))) {
        field.fail(`it has no effect: "${ruleText(wider)}" of an earlier list covers it`);
      }
    }
    return rule;
  });
  const problem = overlapProblem(rules);
  if (problem !== undefined) list.fail(problem);
  for (const rule of rules) earlier.add(ruleText(rule));
  return rules;
}

const PROVIDER_TYPES = ['aesgcm', 'aescbc', 'secretbox', 'identity', 'kms'] as const;

function readProvider(entry: ConfigField, kmsNames: Set<string>): ProviderEntry {
  const fields = entry.fields(PROVIDER_TYPES);
  const present = PROVIDER_TYPES.filter((type) => fields[type].present);
  const [type] = present;
  if (type === undefined || present.length > 1) {
    return entry.fail(`expected exactly one of ${PROVIDER_TYPES.join(', ')}`);
  }
  const field = fields[type];
  switch (type) {
    case 'identity':
      field.fields([]);
      return { type };
    case 'kms':
      return readKms(field, kmsNames);
    case 'secretbox':
      return { type, keys: readKeys(field, SECRETBOX_KEY_BYTES) };
    case 'aesgcm':
    case 'aescbc':
      return { type, keys: readKeys(field, AES_KEY_BYTES) };
  }
}

function readKeys(provider: ConfigField, lengths: readonly number[]): EncryptionKey[] {
  const names = new Set<string>();
  return provider
    .fields(['keys'])
    .keys.someItems()
    .map((key) => {
      const fields = key.fields(['name', 'secret']);
      const name = fields.name.text();
      if (names.has(name)) fields.name.fail('another key of this provider has the same name');
      names.add(name);
      return { name, secret: readSecret(fields.secret, lengths) };
    });
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function readSecret(field: ConfigField, lengths: readonly number[]): Uint8Array {
  const text = field.text().replaceAll(/[\r\n]/g, '');
  if (!BASE64.test(text)) field.fail('it is not base64');
  const secret = Buffer.from(text, 'base64');
  if (!lengths.includes(secret.length)) {
    field.fail(`expected ${lengths.join(' or ')} bytes in base64, got ${secret.length}`);
  }
  return secret;
}

function readKms(kms: ConfigField, names: Set<string>): KmsEntry {
  const fields = kms.fields(['apiVersion', 'name', 'cachesize', 'endpoint', 'timeout']);
  const version = fields.apiVersion.optionalText() ?? 'v1';
  if (version !== 'v1' && version !== 'v2') {
    return fields.apiVersion.fail('only v1 and v2 are supported');
  }
  const name = fields.name.text();
  if (version === 'v2' && name.includes(':')) fields.name.fail('it must not contain a colon');
  if (names.has(name)) fields.name.fail('another kms provider has the same name');
  names.add(name);
  const endpoint = fields.endpoint.text();
  if (!/^unix:/i.test(endpoint)) {
    fields.endpoint.fail('only endpoints of the scheme unix are supported');
  }
  if (socketPathOf(endpoint) === undefined) {
    fields.endpoint.fail('expected the path of a socket, as in unix:///run/kms.sock');
  }
  const size = fields.cachesize.optionalInteger();
  if (size !== undefined && version === 'v2') fields.cachesize.fail('v2 does not have it');
  if (size === 0)
    fields.cachesize.fail('expected a positive number, or a negative one for no cache');
  const cacheSize = Math.max(0, size ?? CACHED_DATA_KEYS);
  const timeoutMs = readTimeout(fields.timeout);
  return { type: 'kms', version, name, timeoutMs, cacheSize, nameField: fields.name, endpoint };
}

/** The units of a Go duration in milliseconds. */
const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['µs', 1e-3],
  ['μs', 1e-3],
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);
const DURATION_PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gy;

function readTimeout(field: ConfigField): number {
  const text = field.optionalText();
  if (text === undefined) return KEY_SERVICE_TIMEOUT_MS;
  let timeoutMs = 0;
  let read = 0;
  for (const [part, amount, unit] of text.matchAll(DURATION_PART)) {
    timeoutMs += Number(amount) * (UNIT_MS.get(unit as string) as number);
    read += part.length;
  }
  if (read === text.length && timeoutMs > 0) return Math.max(1, timeoutMs);
  return field.fail('expected a positive duration like 3s or 1m30s');
}
