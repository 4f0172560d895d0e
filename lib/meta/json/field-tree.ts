import { ListwatchError } from '../../kernel/failure/errors.ts';

/** The kept part of a value. */
export type FieldTree = 'all' | 'nothing' | FieldNode;

/** The kept part of an object, and of each object in an array. */
export interface FieldNode {
  /** By name. */
  readonly fields: ReadonlyMap<string, FieldTree>;
  /** The rule for fields that are not named. */
  readonly others: 'all' | 'nothing';
}

interface Growing {
  readonly fields: Map<string, FieldTree>;
  readonly others: 'nothing';
}

/** Managed fields are left out: they are half of the metadata of many objects. */
const METADATA: FieldNode = { fields: new Map([['managedFields', 'nothing']]), others: 'all' };
/** Field names separated by dots; no name is empty. */
const PATH = /^[^.]+(?:\.[^.]+)*$/;
const ALWAYS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * The kept part of an object: its type, its metadata without `managedFields`, and the fields at the paths.
 * @throws {ListwatchError} code INVALID_OPTION for a text that is not a path.
 */
export function fieldTree(paths: readonly string[]): FieldNode {
  const root: Growing = { fields: new Map(), others: 'nothing' };
  root.fields.set('apiVersion', 'all').set('kind', 'all').set('metadata', METADATA);
  for (const path of paths) {
    if (typeof path !== 'string' || !PATH.test(path)) {
      throw new ListwatchError(
        'INVALID_OPTION',
        `${JSON.stringify(path)} is not the path of a field, such as "spec.nodeName"`,
      );
    }
    const names = path.split('.');
    if (!ALWAYS.has(names[0] as string)) grow(root, names);
  }
  return root;
}

function grow(root: Growing, names: readonly string[]): void {
  let node = root;
  for (const [depth, name] of names.entries()) {
    const known = node.fields.get(name);
    if (known === 'all') return;
    if (depth === names.length - 1) {
      node.fields.set(name, 'all');
      return;
    }
    const next: Growing = (known as Growing | undefined) ?? {
      fields: new Map(),
      others: 'nothing',
    };
    node.fields.set(name, next);
    node = next;
  }
}
