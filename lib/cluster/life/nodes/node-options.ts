import { invalidOption, is, optionsOf } from '../../../kernel/options/options-schema.ts';
import { parseQuantity } from '../../../meta/quantity.ts';
import type { Taint } from '../../../types/built-in/core-v1-kinds.ts';

/** A node of a cluster. What is left out is as on every node. */
export interface NodeOptions {
  readonly name: string;
  /** Beside those of every node: its host name, its operating system and its architecture. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** The taints with which it registers. */
  readonly taints?: readonly Taint[] | undefined;
  /** Quantities by resource. @defaultValue cpu 8, memory 32Gi, ephemeral-storage 100Gi, pods 110; others are added */
  readonly capacity?: Readonly<Record<string, string | number>> | undefined;
  /** @defaultValue the capacity */
  readonly allocatable?: Readonly<Record<string, string | number>> | undefined;
}

/** A number of nodes with the names `node-1`, `node-2` …, or the nodes. */
export type NodeList = number | readonly NodeOptions[];

const CAPACITY = { cpu: '8', memory: '32Gi', 'ephemeral-storage': '100Gi', pods: '110' };
const MOST_NODES = 10_000;
/** The name is a label, too. */
const NAME = /^(?=.{1,63}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const NODE = optionsOf<NodeOptions>()('nodes', {
  name: is.text().required,
  labels: is.object(),
  annotations: is.object(),
  taints: is.anything(),
  capacity: is.object(),
  allocatable: is.object(),
});
const COUNT = is.integer({ min: 0, max: MOST_NODES });

export interface NodeModel extends NodeOptions {
  /** Its place in the list, from 0. */
  readonly index: number;
  readonly capacity: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
}

/** @throws {ListwatchError} code INVALID_OPTION. */
export function nodeModels(list: NodeList = 1): readonly NodeModel[] {
  if (typeof list === 'number') {
    COUNT.read('startCluster', 'nodes', list);
    return Array.from({ length: list }, (_, index) =>
      modelOf({ name: `node-${index + 1}` }, index),
    );
  }
  if (!Array.isArray(list)) throw invalidOption('nodes', 'give a number, or a list of nodes');
  COUNT.read('startCluster', 'nodes.length', list.length);
  const names = new Set<string>();
  return list.map((given: NodeOptions, index) => {
    const node = NODE.read(given);
    if (!NAME.test(node.name)) {
      const problem = `the name ${JSON.stringify(node.name)} is no name of a node: use lower-case letters, digits, "-" and "."`;
      throw invalidOption('nodes', problem);
    }
    if (names.has(node.name)) throw invalidOption('nodes', `two nodes are named ${node.name}`);
    names.add(node.name);
    return modelOf(node, index);
  });
}

function modelOf(options: NodeOptions, index: number): NodeModel {
  const quantities = (given: NonNullable<NodeOptions['capacity']>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(given).map(([name, value]) => {
        const text = String(value);
        if (isAmount(text)) return [name, text];
        const problem = `${name} of ${options.name} must be a quantity of at least 0, such as 2 or 8Gi`;
        throw invalidOption('nodes', `${problem}, not ${JSON.stringify(text)}`);
      }),
    );
  const capacity = quantities({ ...CAPACITY, ...options.capacity });
  return {
    ...options,
    index,
    capacity,
    allocatable: quantities({ ...capacity, ...options.allocatable }),
  };
}

function isAmount(text: string): boolean {
  try {
    return parseQuantity(text).nanos >= 0n;
  } catch {
    return false;
  }
}
