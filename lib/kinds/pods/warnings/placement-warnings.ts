import { recordAt, recordsAt, textAt, textsAt, type JsonRecord } from '../../../meta/json-value.ts';
import { labelValue } from '../../../server/registry/validation/formats.ts';

/** Labels of nodes that have other names now. See pkg/api/node/util.go @ v1.36.3. */
const DEPRECATED: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region':
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone':
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type':
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods':
    'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
};

/** Why a label of nodes should not be used; undefined for others. */
export function nodeLabelWarning(label: string): string | undefined {
  return Object.hasOwn(DEPRECATED, label) ? DEPRECATED[label] : undefined;
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const NO_POD = 'a null labelSelector results in matching no pod';

/** Warnings of where pods run. @see pkg/api/pod/warnings.go @ v1.36.3 */
export function placementWarnings(spec: JsonRecord, path: string): string[] {
  const nodes = Object.keys(recordAt(spec, 'nodeSelector') ?? {}).toSorted();
  const affinity = `${path}.affinity.nodeAffinity`;
  const terms = recordsAt(spec, 'affinity', 'nodeAffinity', REQUIRED, 'nodeSelectorTerms');
  const preferred = recordsAt(spec, 'affinity', 'nodeAffinity', PREFERRED);
  return [
    ...nodes.flatMap((label) => {
      const warning = nodeLabelWarning(label);
      return warning === undefined ? [] : [`${path}.nodeSelector[${label}]: ${warning}`];
    }),
    ...terms.flatMap((term, index) =>
      termWarnings(term, `${affinity}.${REQUIRED}.nodeSelectorTerms[${index}]`, false),
    ),
    ...preferred.flatMap((one, index) =>
      termWarnings(one['preference'], `${affinity}.${PREFERRED}[${index}].preference`, true),
    ),
    ...recordsAt(spec, 'topologySpreadConstraints').flatMap((one, index) =>
      spreadWarnings(one, `${path}.topologySpreadConstraints[${index}]`),
    ),
  ];
}

function termWarnings(term: unknown, path: string, checksValues: boolean): string[] {
  return recordsAt(term, 'matchExpressions').flatMap((one, index) => {
    const at = `${path}.matchExpressions[${index}]`;
    const values = checksValues ? textsAt(one, 'values') : [];
    return [
      ...keyWarnings(textAt(one, 'key'), `${at}.key`),
      ...values.flatMap((value, place) =>
        labelValue(value).map((rule) => `${at}.values[${place}]: ${value} is invalid, ${rule}`),
      ),
    ];
  });
}

function keyWarnings(key: string, at: string): string[] {
  const warning = nodeLabelWarning(key);
  return warning === undefined ? [] : [`${at}: ${key} is ${warning}`];
}

function spreadWarnings(constraint: JsonRecord, at: string): string[] {
  const key = keyWarnings(textAt(constraint, 'topologyKey'), `${at}.topologyKey`);
  return constraint['labelSelector'] === undefined
    ? [...key, `${at}.labelSelector: ${NO_POD}`]
    : key;
}

/** Affinities to pods that select none. */
export function podAffinityWarnings(spec: JsonRecord, path: string): string[] {
  return ['podAffinity', 'podAntiAffinity'].flatMap((kind) => {
    const at = `${path}.affinity.${kind}`;
    const absent = (term: unknown, place: string): string[] =>
      recordAt(term, 'labelSelector') === undefined ? [`${place}.labelSelector: ${NO_POD}`] : [];
    return [
      ...recordsAt(spec, 'affinity', kind, REQUIRED).flatMap((term, index) =>
        absent(term, `${at}.${REQUIRED}[${index}]`),
      ),
      ...recordsAt(spec, 'affinity', kind, PREFERRED).flatMap((one, index) =>
        absent(one['podAffinityTerm'], `${at}.${PREFERRED}[${index}].podAffinityTerm`),
      ),
    ];
  });
}
