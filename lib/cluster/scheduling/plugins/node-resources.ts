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
    step: { filter: (node) => shortage(requests, node) },
  }),
};

function isShort(wanted: number, all: number, used: number): boolean {
  return wanted > 0 && wanted > all - used;
}

/** All that is missing on a node; undefined when it has room, which is found out without words: it is asked for each node. */
export function shortage(
  { cpu, memory, storage, others }: Amounts,
  { facts: { allocatable: all }, requested: used, pods }: NodeInfo,
): Rejection | undefined {
  const isFull = pods.size + 1 > all.pods;
  const isTooSmall =
    isShort(cpu, all.cpu, used.cpu) ||
    isShort(memory, all.memory, used.memory) ||
    isShort(storage, all.storage, used.storage);
  if (!isFull && !isTooSmall && others.size === 0) return undefined;
  const amounts: [name: string, wanted: number, all: number, used: number][] = [
    ['cpu', cpu, all.cpu, used.cpu],
    ['memory', memory, all.memory, used.memory],
    ['ephemeral-storage', storage, all.storage, used.storage],
  ];
  for (const [name, wanted] of others) {
    amounts.push([name, wanted, all.others.get(name) ?? 0, used.others.get(name) ?? 0]);
  }
  const missing = amounts.filter(([, ...amount]) => isShort(...amount));
  const words = missing.map(([name]) => `Insufficient ${name}`);
  const reasons = isFull ? ['Too many pods', ...words] : words;
  if (reasons.length === 0) return undefined;
  const resolvable = missing.every(([, wanted, most]) => wanted <= most);
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
