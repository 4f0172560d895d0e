import { stringifyYaml } from '../../../storage/scheme/yaml-document.ts';
import { encodeText } from '../../../http/responses/api-response.ts';
import { YAML_TYPE } from '../../../http/media/media-type.ts';
import type { Representation } from '../../../http/negotiation.ts';

type Piece = string | Uint8Array;
type Format = Pick<Representation, 'mediaType'>;

/** An object for people: YAML, or indented JSON. */
export function indentedObject(json: Uint8Array, { mediaType }: Format): Uint8Array {
  const document = parsed([json]);
  return encodeText(
    mediaType === YAML_TYPE ? stringifyYaml(document) : JSON.stringify(document, undefined, 2),
  );
}

/**
 * A list for people, item by item, so that memory and the length of a task do not depend on its size.
 * @param json the list as JSON in pieces: its head, each item with the comma before it, its end
 */
export function* indentedList(
  json: Iterator<readonly Piece[]>,
  format: Format,
): Generator<readonly Piece[]> {
  const { value: start = [] } = json.next() as { value?: readonly Piece[] };
  // The end of the head opens the list, which is its last member.
  const head = JSON.parse(`${textOf(start)}]}`) as Record<string, unknown>;
  const name = Object.keys(head).at(-1) as string;
  delete head[name];
  yield* format.mediaType === YAML_TYPE ? yamlList(head, name, json) : jsonList(head, name, json);
}

function* jsonList(
  head: object,
  name: string,
  json: Iterator<readonly Piece[]>,
): Generator<readonly Piece[]> {
  yield [`${JSON.stringify(head, undefined, 2).slice(0, -2)},\n  ${JSON.stringify(name)}: [`];
  let open = '\n    ';
  for (const item of items(json)) {
    yield [open + JSON.stringify(item, undefined, 2).replaceAll('\n', '\n    ')];
    open = ',\n    ';
  }
  yield [open.startsWith(',') ? '\n  ]\n}' : ']\n}'];
}

function* yamlList(
  head: Record<string, unknown>,
  name: string,
  json: Iterator<readonly Piece[]>,
): Generator<readonly Piece[]> {
  const members = Object.entries(head);
  const before = members.filter(([key]) => key < name);
  if (before.length > 0) yield [stringifyYaml(Object.fromEntries(before))];
  let open = `${name}:\n`;
  for (const item of items(json)) {
    yield [open + stringifyYaml([item])];
    open = '';
  }
  if (open !== '') yield [`${name}: []\n`];
  const after = members.filter(([key]) => key > name);
  if (after.length > 0) yield [stringifyYaml(Object.fromEntries(after))];
}

/** The items; what follows the last one is the end of the list. */
function* items(json: Iterator<readonly Piece[]>): Generator {
  for (let next = json.next(); next.done !== true; ) {
    const { value } = next;
    next = json.next();
    if (next.done !== true) yield parsed(value);
  }
}

function parsed(pieces: readonly Piece[]): unknown {
  const text = textOf(pieces);
  return JSON.parse(text.startsWith(',') ? text.slice(1) : text) as unknown;
}

function textOf(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) => (typeof piece === 'string' ? piece : new TextDecoder().decode(piece)))
    .join('');
}
