import {
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Scalar,
  type Document,
  type Pair,
  type ScalarTag,
  type YAMLMap,
} from 'yaml';
import { malformed } from './scheme-error.ts';

const MERGE_TAG = 'tag:yaml.org,2002:merge';

/** The key stays in the tree, where `MergeKeys` finds it: the parser's own merges let the first of two equal keys count. */
export const MERGE: ScalarTag = {
  tag: MERGE_TAG,
  default: true,
  test: /^<<$/,
  resolve: (text) => text,
};

/** Nested merges double the work at every level. */
const MOST_MERGED_NODES = 20_000;
const DEEPEST_MERGE = 1000;

/**
 * Replaces the merge keys (`<<`) of a document by the fields that they stand for, in their place: of equal fields the last one counts,
 * as in Go's parser of YAML 1.1.
 * @throws {SchemeError} MALFORMED_OBJECT for a value that is no map or list of maps, a map that merges itself, and too many merges.
 */
export class MergeKeys {
  readonly #document: Document;
  readonly #done = new Set<YAMLMap>();
  readonly #open = new Set<YAMLMap>();
  #count = 0;

  constructor(document: Document) {
    this.#document = document;
  }

  /** In the order of the document, in which a map comes before its aliases. */
  replaceAll(): void {
    const nodes: unknown[] = [this.#document.contents];
    while (nodes.length > 0) {
      const node = nodes.pop();
      nodes.push(...childrenOf(node).toReversed());
      if (isMap(node)) this.#replaceIn(node);
    }
  }

  #replaceIn(map: YAMLMap): void {
    if (this.#done.has(map)) return;
    if (this.#open.has(map)) throw malformed('a map of the YAML merges itself');
    if (this.#open.size === DEEPEST_MERGE) throw malformed('merge keys (<<) are nested too deeply');
    if (map.items.some(isMerge)) {
      this.#open.add(map);
      const fieldsOf = (pair: Pair): Pair[] => (isMerge(pair) ? this.#merged(pair.value) : [pair]);
      map.items = map.items.flatMap(fieldsOf);
      this.#open.delete(map);
    }
    this.#done.add(map);
  }

  /** Those of an earlier map of a list come later, since they count. */
  #merged(value: unknown): Pair[] {
    const sources = isSeq(value) ? value.items.toReversed() : [value];
    return sources.flatMap((source) => {
      const map = isAlias(source) ? source.resolve(this.#document) : source;
      if (!isMap(map)) {
        throw malformed('yaml: map merge requires map or sequence of maps as the value');
      }
      this.#replaceIn(map);
      this.#count += sizeOf(map);
      if (this.#count > MOST_MERGED_NODES) {
        throw malformed(`its merge keys (<<) expand to more than ${MOST_MERGED_NODES} values`);
      }
      return map.items;
    });
  }
}

/** A quoted key is a name like any other. */
function isMerge({ key }: Pair): boolean {
  if (!isScalar(key) || key.value !== '<<') return false;
  return key.type === Scalar.PLAIN || key.tag === MERGE_TAG;
}

function childrenOf(node: unknown): readonly unknown[] {
  if (isPair(node)) return [node.value];
  return isSeq(node) || isMap(node) ? node.items : [];
}

/** The number of nodes in a tree; aliases count once. */
function sizeOf(root: unknown): number {
  const nodes: unknown[] = [root];
  let size = 0;
  while (nodes.length > 0) {
    nodes.push(...childrenOf(nodes.pop()));
    size += 1;
    if (size > MOST_MERGED_NODES) return size;
  }
  return size;
}
