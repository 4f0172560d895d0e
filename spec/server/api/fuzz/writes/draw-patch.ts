import type { Draw } from '../../../../compare/draw.ts';
import { changeValue, ODD_VALUES } from '../change-value.ts';

type Tree = Record<string, unknown>;

/** A JSON patch for objects like this one: mostly of places that it has. */
export function drawJsonPatch(draw: Draw, like: object): unknown {
  const places = pointersOf(like);
  const pointer = (): unknown => drawPointer(draw, places);
  const operations = Array.from({ length: 1 + draw.below(5) }, () => {
    const op = draw.pick(['add', 'remove', 'replace', 'move', 'copy', 'test']);
    const operation: Tree = { op, path: pointer() };
    if (op === 'move' || op === 'copy') operation['from'] = pointer();
    else if (op !== 'remove') operation['value'] = drawAt(draw, like, places);
    if (draw.chance(0.05)) changeValue(draw, operation);
    return operation;
  });
  return draw.chance(0.02) ? drawOdd(draw) : operations;
}

/** A merge patch for objects like this one: some of its members, changed, removed or added. */
export function drawMergePatch(draw: Draw, like: object): Tree {
  const patch = thinned(draw, structuredClone(like) as Tree);
  for (let count = draw.below(3); count > 0; count -= 1) changeValue(draw, patch);
  return patch;
}

/** A strategic merge patch: a merge patch with directives within. */
export function drawStrategicPatch(draw: Draw, like: object): Tree {
  const patch = drawMergePatch(draw, like);
  for (let count = draw.below(4); count > 0; count -= 1) addDirective(draw, patch);
  return patch;
}

/** Removes members at random, or says that they are to be removed. */
function thinned(draw: Draw, tree: Tree): Tree {
  for (const [key, value] of Object.entries(tree)) {
    if (draw.chance(0.3)) Reflect.deleteProperty(tree, key);
    else if (draw.chance(0.08)) set(tree, key, null);
    else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      thinned(draw, value as Tree);
    }
  }
  return tree;
}

function addDirective(draw: Draw, root: Tree): void {
  const at = draw.pick(treesOf(root));
  const names = Object.keys(at);
  const name = names.length > 0 && draw.chance(0.8) ? draw.pick(names) : 'containers';
  const value = at[name];
  switch (draw.below(5)) {
    case 0:
      set(at, '$patch', draw.pick(['delete', 'replace', 'merge', '', 'x', 1, null]));
      break;
    case 1:
      set(at, '$retainKeys', draw.chance(0.8) ? [...names] : drawOdd(draw));
      break;
    case 2:
      set(at, `$setElementOrder/${name}`, draw.chance(0.7) ? orderOf(value) : drawOdd(draw));
      break;
    case 3:
      set(
        at,
        `$deleteFromPrimitiveList/${name}`,
        structuredClone(draw.pick<unknown>([['a'], ['example.com/a'], value])),
      );
      break;
    default:
      if (Array.isArray(value)) {
        const item: unknown = draw.chance(0.5) ? { $patch: 'delete' } : { $patch: 'replace' };
        const named = { ...(value[0] as object), $patch: draw.pick(['delete', 'merge', 'x']) };
        // An array may have got a member `constructor`, which `splice` would call.
        set(
          at,
          name,
          value.toSpliced(draw.below(value.length + 1), 0, draw.chance(0.5) ? item : named),
        );
      }
  }
}

/** The merge keys of a list of objects; a list of texts as it is. */
function orderOf(value: unknown): unknown {
  if (!Array.isArray(value)) return [];
  return Array.from(value, (item: unknown) => {
    if (typeof item !== 'object' || item === null) return item;
    const { name, port, type, uid } = item as Tree;
    const keys = { name, port, type, uid };
    return Object.fromEntries(Object.entries(keys).filter(([, key]) => key !== undefined));
  });
}

function treesOf(root: Tree): Tree[] {
  const trees: Tree[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value)) trees.push(value as Tree);
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(root);
  return trees;
}

function pointersOf(like: object): readonly string[] {
  const pointers: string[] = [];
  const visit = (value: unknown, pointer: string): void => {
    pointers.push(pointer);
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      visit(inner, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    }
  };
  visit(like, '');
  return pointers;
}

const ODD_POINTERS: readonly unknown[] = [
  '',
  '/',
  '/-',
  'spec',
  '/spec/-',
  '/~',
  '/~2',
  '/spec/01',
  '/spec/-1',
  '/spec/99999999999999999999',
  '/__proto__/x',
  '/metadata/constructor/prototype',
  '/metadata/managedFields/0',
  '/metadata/finalizers/-',
  '/status/conditions/0',
  null,
  1,
];

function drawPointer(draw: Draw, places: readonly string[]): unknown {
  if (draw.chance(0.1)) return draw.pick(ODD_POINTERS);
  const place = draw.pick(places);
  if (draw.chance(0.1)) return `${place}/-`;
  return draw.chance(0.1) ? `${place}/${draw.pick(['x', '0', '1', 'name'])}` : place;
}

/** A copy, since patches are changed as they are drawn. */
function drawOdd(draw: Draw): unknown {
  return structuredClone(draw.pick(ODD_VALUES));
}

/** A value from the object, or an odd one. */
function drawAt(draw: Draw, like: object, places: readonly string[]): unknown {
  if (draw.chance(0.3)) return drawOdd(draw);
  let value: unknown = like;
  for (const raw of draw.pick(places).split('/').slice(1)) {
    const key = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    value = (value as Tree)[key];
  }
  return structuredClone(value);
}

function set(at: Tree, key: string, value: unknown): void {
  Object.defineProperty(at, key, { value, enumerable: true, configurable: true, writable: true });
}
