import type { Dice } from '../../../soak/dice.ts';
import { branchesOf, treeOf, type JsonTree } from './json-tree.ts';

const KEYS = [
  'type',
  'object',
  'kind',
  'apiVersion',
  'metadata',
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'managedFields',
  'items',
  'continue',
  '__proto__',
  'constructor',
  'toString',
  'Metadata',
  'metadat',
  'metadata2',
  'n\u00e4me',
  '',
];

const SCALARS = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '1E5',
  '-1.5e-3',
  '1e999',
  '9007199254740993',
  '1'.repeat(400),
  '"ADDED"',
  '"MODIFIED"',
  '"DELETED"',
  '"BOOKMARK"',
  '"ERROR"',
  '"PodList"',
  '"JobList"',
  '"Pod"',
  '"v1"',
  '"\\ud800"',
  '"\\u0000\\/\\b"',
  '"\\"metadata\\":{\\"name\\":\\"x\\"}"',
];

/** Texts that are almost JSON. */
const NEARLY = [
  '01',
  '-01',
  '00',
  '-',
  '+1',
  '1.',
  '.5',
  '1.e5',
  '1e',
  '1e+',
  '0x1',
  '1 2',
  'nul',
  'nulll',
  'True',
  'NaN',
  '-Infinity',
  "'a'",
  '"\\x"',
  '"\\u12g4"',
  '"\\u123"',
  '"\t"',
  '"\u001f"',
  '[1,]',
  '{"a":1,}',
  '{a:1}',
  '{"a"}',
  '[}',
  '/**/1',
];

/** Changes a tree in one place, as a rule in a way that leaves it JSON. */
export function mutateTree(tree: JsonTree, dice: Dice): void {
  const branch = dice.pick([...branchesOf(tree)]);
  if ('items' in branch) mutateItems(branch.items, dice);
  else if ('fields' in branch) mutateFields(branch, dice);
}

function mutateItems(items: JsonTree[], dice: Dice): void {
  const at = dice.int(0, items.length);
  if (dice.chance(0.5)) items.splice(at, 0, oddValue(dice));
  else items.splice(at, dice.int(1, 2));
}

function mutateFields(branch: Extract<JsonTree, { fields: unknown }>, dice: Dice): void {
  const { fields } = branch;
  const place = dice.int(0, fields.length);
  if (fields.length === 0 || dice.chance(0.2)) {
    fields.splice(place, 0, { key: dice.pick(KEYS), value: oddValue(dice) });
    return;
  }
  const field = dice.pick(fields);
  const change = dice.int(0, 6);
  if (change === 0) fields.splice(place, 0, { ...field });
  else if (change === 1) fields.splice(place, 0, { key: field.key, value: oddValue(dice) });
  else if (change === 2) fields.push(...fields.splice(fields.indexOf(field), 1));
  else if (change === 3) fields.splice(0, fields.length, ...dice.shuffled(fields));
  else if (change === 4) fields.splice(fields.indexOf(field), 1);
  else if (change === 5) field.key = dice.pick(KEYS);
  else field.value = oddValue(dice);
}

function oddValue(dice: Dice): JsonTree {
  const depth = dice.int(1, 200);
  return dice.weighted<() => JsonTree>([
    [60, () => ({ raw: dice.pick(SCALARS) })],
    [6, () => ({ raw: dice.pick(NEARLY) })],
    [8, () => ({ text: 'é漢😀' })],
    [8, () => treeOf({})],
    [8, () => treeOf([])],
    [8, () => treeOf({ name: 'x', uid: 'y', items: [{ kind: 'Pod' }] })],
    [8, () => treeOf([{ metadata: { name: 'z' } }, null])],
    [4, () => ({ raw: '['.repeat(depth) + ']'.repeat(depth) })],
    [4, () => ({ raw: `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}` })],
    [2, () => ({ text: 'long '.repeat(dice.int(1, 2000)) })],
  ])();
}

/** Bytes that mean something, or must not occur. */
const BYTES: Buffer = Buffer.from(
  '"\\{}[]:,0-.eEtfnu \t\r\n\x00\x1f\x7f\x80\xc3\xe2\xf0\xff',
  'latin1',
);
const NOT_UTF8: readonly Buffer[] = [
  'c3',
  'e282',
  'eda080',
  'f09f98',
  'fffe',
  'efbbbf',
  'c080',
].map((hex) => Buffer.from(hex, 'hex'));

/** Changes bytes in one place; as a rule what comes out is no JSON. */
export function mutateBytes(bytes: Buffer, dice: Dice): Buffer {
  const at = dice.int(0, bytes.length);
  const until = Math.min(bytes.length, at + dice.int(1, 8));
  const replaced = (end: number, ...parts: readonly Buffer[]): Buffer =>
    Buffer.concat([bytes.subarray(0, at), ...parts, bytes.subarray(end)]);
  const one = Buffer.of(BYTES[dice.int(0, BYTES.length - 1)] ?? 0);
  return dice.weighted<() => Buffer>([
    [4, () => replaced(at + 1, one)],
    [3, () => replaced(at, one)],
    [3, () => replaced(at + 1)],
    [2, () => replaced(until)],
    [2, () => bytes.subarray(0, at)],
    [1, () => bytes.subarray(at)],
    [2, () => replaced(at, bytes.subarray(at, until))],
    [2, () => replaced(at, dice.pick(NOT_UTF8))],
    [1, () => replaced(at + 1, Buffer.of((bytes[at] ?? 0) ^ (1 << dice.int(0, 7))))],
    [1, () => Buffer.concat([bytes, dice.pick([one, Buffer.from('{}'), Buffer.from(' x')])])],
  ])();
}
