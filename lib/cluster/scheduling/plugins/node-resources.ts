import type { Amounts } from '../model/amounts.ts';
import type { NodeInfo } from '../model/node-info.ts';
import type { FilterPlugin, Rejection, ScorePlugin } from '../model/plugin.ts';

/**
 * A node has room for what a pod asks for.
 * @see pkg/scheduler/framework/plugins/noderesources/fit.go @ v1.37.2
 */
export const nodeResourcesFit: FilterPlugin = {
  name: 'NodeResourcesFit',
  prepare: ({ facts: { requests } }) => ({
    step: { filter: (node) => (hasRoom(requests, node) ? undefined : shortage(requests, node)) },
  }),
};

/** Without words: it is asked for each node. */
function hasRoom({ cpu, memory, storage, others }: Amounts, node: NodeInfo): boolean {
  const { requested } = node;
  const { allocatable } = node.facts;
  if (node.pods.size + 1 > allocatable.pods) return false;
  if (cpu > 0 && cpu > allocatable.cpu - requested.cpu) return false;
  if (memory > 0 && memory > allocatable.memory - requested.memory) return false;
  if (storage > 0 && storage > allocatable.storage - requested.storage) return false;
  // Without an iterator for most pods.
  return others.size === 0 || hasOthers(others, node);
}

function hasOthers(others: Amounts['others'], { facts, requested }: NodeInfo): boolean {
  for (const [name, amount] of others) {
    const free = (facts.allocatable.others.get(name) ?? 0) - (requested.others.get(name) ?? 0);
    if (amount > 0 && amount > free) return false;
  }
  return true;
}

/** All that is missing on a node that has no room. */
export function shortage(requests: Amounts, node: NodeInfo): Rejection {
  const { requested } = node;
  const { allocatable } = node.facts;
  const reasons: string[] = [];
  let resolvable = true;
  const check = (name: string, wanted: number, all: number, used: number): void => {
    if (wanted <= 0 || wanted <= all - used) return;
    reasons.push(`Insufficient ${name}`);
    if (wanted > all) resolvable = false;
  };
  if (node.pods.size + 1 > allocatable.pods) reasons.push('Too many pods');
  check('cpu', requests.cpu, allocatable.cpu, requested.cpu);
  check('memory', requests.memory, allocatable.memory, requested.memory);
  check('ephemeral-storage', requests.storage, allocatable.storage, requested.storage);
  for (const [name, amount] of requests.others) {
    const used = requested.others.get(name) ?? 0;
    check(name, amount, allocatable.others.get(name) ?? 0, used);
  }
  return { plugin: 'NodeResourcesFit', reasons, resolvable };
}

/** Prefers nodes of which little is used: the mean of what is free of processors and memory. */
export const leastAllocatedScore: ScorePlugin = {
  name: 'NodeResourcesFit',
  weight: 1,
  prepare: ({ facts: { scored: wanted } }) => ({
    score: ({ facts: { allocatable }, scored }) => {
      const { cpu, memory } = allocatable;
      const parts = (cpu > 0 ? 1 : 0) + (memory > 0 ? 1 : 0);
      if (parts === 0) return 0;
      const free = freeShare(scored.cpu + wanted.cpu, cpu);
      return Math.floor((free + freeShare(scored.memory + wanted.memory, memory)) / parts);
    },
  }),
};

function freeShare(used: number, all: number): number {
  return all === 0 || used > all ? 0 : Math.floor(((all - used) * 100) / all);
}

/**
 * Prefers nodes of which processors and memory are used in the same share afterwards.
 * @see pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go @ v1.37.2
 */
export const balancedAllocationScore: ScorePlugin = {
  name: 'NodeResourcesBalancedAllocation',
  weight: 1,
  prepare: ({ facts: { requests: wanted } }) => {
    if (wanted.cpu === 0 && wanted.memory === 0) return undefined;
    return {
      score: ({ facts: { allocatable }, requested: { cpu, memory } }) => {
        const after = balance(cpu + wanted.cpu, memory + wanted.memory, allocatable);
        const before = balance(cpu, memory, allocatable);
        return 50 + Math.trunc((50 + after - before) / 2);
      },
    };
  },
};

function balance(cpu: number, memory: number, all: Amounts): number {
  if (all.cpu === 0 || all.memory === 0) return 100;
  const gap = Math.abs(Math.min(1, cpu / all.cpu) - Math.min(1, memory / all.memory));
  return Math.trunc((1 - gap / 2) * 100);
}
