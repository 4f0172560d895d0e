const SINCE_14 = 'deprecated since v1.14; use';
const SINCE_17 = 'deprecated since v1.17; use';

/** Warnings for labels that nodes had once. @see pkg/api/node/util.go @ v1.36.3 */
const MESSAGES: ReadonlyMap<string, string> = new Map([
  ['beta.kubernetes.io/arch', `${SINCE_14} "kubernetes.io/arch" instead`],
  ['beta.kubernetes.io/os', `${SINCE_14} "kubernetes.io/os" instead`],
  [
    'failure-domain.beta.kubernetes.io/region',
    `${SINCE_17} "topology.kubernetes.io/region" instead`,
  ],
  ['failure-domain.beta.kubernetes.io/zone', `${SINCE_17} "topology.kubernetes.io/zone" instead`],
  ['beta.kubernetes.io/instance-type', `${SINCE_17} "node.kubernetes.io/instance-type" instead`],
  ['app.kubernetes.io/created-by', 'deprecated since v1.9'],
  [
    'scheduler.alpha.kubernetes.io/preferAvoidPods',
    'deprecated since v1.22; use Taints and Tolerations instead',
  ],
  ['node-role.kubernetes.io/master', 'use "node-role.kubernetes.io/control-plane" instead'],
]);

/** The warning for a deprecated label of nodes; undefined for others. */
export function deprecatedNodeLabel(key: unknown): string | undefined {
  return typeof key === 'string' ? MESSAGES.get(key) : undefined;
}
