import { type FilterPlugin, rejection } from '../model/plugin.ts';

const REJECTED = rejection(
  'NodePorts',
  "node(s) didn't have free ports for the requested pod ports",
  { resolvable: true },
);

/**
 * Two pods do not use one port of a node.
 * @see pkg/scheduler/framework/plugins/nodeports @ v1.37.2
 */
export const nodePorts: FilterPlugin = {
  name: 'NodePorts',
  prepare: ({ facts: { hostPorts } }) => {
    if (hostPorts.length === 0) return undefined;
    return {
      step: {
        filter: (node) => (hostPorts.some((one) => node.hasPort(one)) ? REJECTED : undefined),
      },
    };
  },
};
