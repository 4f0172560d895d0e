import { ListwatchError } from '../../kernel/failure/errors.ts';

/**
 * Which values of objects are not shown: `secrets`: those of `data` and `stringData` of Secrets; an array of paths, such as
 * `spec.containers.env.value`: these fields of all objects too; `nothing`: all values are shown. Paths go through arrays.
 */
export type MaskChoice = 'secrets' | 'nothing' | readonly string[];

/** In place of a text. */
const MASKED_TEXT = 'masked';
/** In place of a value of `data`, which is base64: `masked`. */
const MASKED_DATA = 'bWFza2Vk';
/** It holds the whole object, as it was applied. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** Field names separated by dots; no name is empty. */
const PATH = /^[^.]+(?:\.[^.]+)*$/;

type Fields = Record<string, unknown>;

/**
 * Replaces values of objects by others of the same type: texts by `masked`, numbers by 0, booleans by false.
 *
 * Guarantees: names of fields, the number of items, and all other values stay.
 */
export class ObjectMask {
  /** The choice, as data. */
  readonly choice: MaskChoice;
  readonly #paths: readonly (readonly string[])[];

  /** @throws {ListwatchError} code INVALID_OPTION, naming the owner. */
  constructor(owner: string, choice: MaskChoice = 'secrets') {
    if (choice !== 'secrets' && choice !== 'nothing' && !isPaths(choice)) {
      throw new ListwatchError(
        'INVALID_OPTION',
        `${owner}: option "mask" must be 'secrets', 'nothing', or an array of paths such as "spec.containers.env.value"`,
      );
    }
    this.choice = choice;
    this.#paths = typeof choice === 'string' ? [] : choice.map((path) => path.split('.'));
  }

  /** An object in JSON with masked values: the same bytes if nothing in it is masked. */
  apply(json: Buffer): Buffer {
    if (this.choice === 'nothing') return json;
    if (this.#paths.length === 0 && !maybeSecret(json)) return json;
    const object = JSON.parse(json.toString('utf8')) as unknown;
    if (!isFields(object)) return json;
    const secret = maskSecret(object);
    for (const path of this.#paths) maskPath(object, path);
    return secret || this.#paths.length > 0 ? Buffer.from(JSON.stringify(object)) : json;
  }
}

function isPaths(choice: unknown): choice is readonly string[] {
  return (
    Array.isArray(choice) && choice.every((path) => typeof path === 'string' && PATH.test(path))
  );
}

/** How servers begin an object; of other objects all bytes are searched. */
const HEAD = /^\{(?:"apiVersion":"[^"\\]*",)?"kind":"([^"\\]*)"/;
const HEAD_BYTES = 160;
/** The head of the last object that is no Secret: most objects begin as the one before. */
let knownHead: Buffer = Buffer.alloc(0);

/** Whether it is a Secret, or may be one. The name of the kind may be written with escapes. */
export function maybeSecret(json: Buffer): boolean {
  if (knownHead.length > 0 && beginsWith(json, knownHead)) return false;
  const head = HEAD.exec(json.toString('latin1', 0, HEAD_BYTES));
  if (head === null) return json.includes('"Secret"') || json.includes('\\u');
  if (head[1] === 'Secret') return true;
  knownHead = Buffer.from(head[0], 'latin1');
  return false;
}

/** A loop, because a call of a method of Buffer costs more than the few bytes. */
function beginsWith(bytes: Buffer, head: Buffer): boolean {
  if (bytes.length < head.length) return false;
  for (let index = 0; index < head.length; index += 1) {
    if (bytes[index] !== head[index]) return false;
  }
  return true;
}

function maskSecret(object: Fields): boolean {
  if (object['kind'] !== 'Secret') return false;
  const { data, stringData } = object;
  if (isFields(data)) setAll(data, MASKED_DATA);
  if (isFields(stringData)) setAll(stringData, MASKED_TEXT);
  const metadata = object['metadata'];
  const annotations = isFields(metadata) ? metadata['annotations'] : undefined;
  if (isFields(annotations) && Object.hasOwn(annotations, LAST_APPLIED)) {
    annotations[LAST_APPLIED] = MASKED_TEXT;
  }
  return true;
}

function setAll(fields: Fields, value: string): void {
  for (const name of Object.keys(fields)) fields[name] = value;
}

function maskPath(value: unknown, path: readonly string[]): void {
  if (Array.isArray(value)) {
    for (const item of value) maskPath(item, path);
    return;
  }
  const [name, ...rest] = path;
  if (!isFields(value) || name === undefined || !Object.hasOwn(value, name)) return;
  if (rest.length === 0) value[name] = masked(value[name]);
  else maskPath(value[name], rest);
}

function masked(value: unknown): unknown {
  if (typeof value === 'string') return MASKED_TEXT;
  if (typeof value === 'number') return 0;
  if (typeof value === 'boolean') return false;
  if (Array.isArray(value)) return value.map(masked);
  if (!isFields(value)) return value;
  for (const name of Object.keys(value)) value[name] = masked(value[name]);
  return value;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
