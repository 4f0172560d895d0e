import { plainText } from '../kernel/text/plain-text.ts';
import { quotedName, type ApiVerb } from './api-call.ts';

/** A refusal in the words of the API server's authorizer: who may not do what to which resource, and where. */
export interface AccessRefusal {
  /** Undefined if the words are others. */
  readonly user?: string | undefined;
  readonly verb?: string | undefined;
  /** With its subresource, e.g. `deployments/scale`. */
  readonly resource?: string | undefined;
  readonly group?: string | undefined;
  readonly namespace?: string | undefined;
  /** The path of a URL that is no resource. */
  readonly path?: string | undefined;
  readonly clusterScope: boolean;
  /** The addition of the authorizer, e.g. a role that does not exist. */
  readonly addition?: string | undefined;
}

const USER = String.raw`User "((?:[^"\\]|\\.)+)" cannot `;
const RESOURCE = new RegExp(
  `${USER}(\\S+) resource "([^"]+)" in API group "([^"]*)"(?: in the namespace "([^"]+)"| at the cluster scope)?(?:: (.+))?`,
  's',
);
const PATH = new RegExp(`${USER}(\\S+) path "([^"]+)"`);

const LONGEST_ADDITION = 100;

/** Undefined for a refusal in other words, for example by an admission rule. */
export function parseRefusal(message: string): AccessRefusal | undefined {
  const resource = RESOURCE.exec(message);
  if (resource !== null) {
    const [words, user, verb, name, group, namespace, addition] = resource;
    return {
      user,
      verb,
      resource: name,
      group,
      namespace,
      clusterScope: words.includes('at the cluster scope'),
      addition: addition === undefined ? undefined : plainText(addition, LONGEST_ADDITION),
    };
  }
  const path = PATH.exec(message);
  if (path === null) return undefined;
  return { user: path[1], verb: path[2], path: path[3], clusterScope: true };
}

/**
 * The rule that a role has to get and where the role has to be, ready to be pasted, e.g.
 * `add {apiGroups: [""], resources: ["pods"], verbs: ["list"]} to a Role in namespace "shop"`.
 */
export function missingRule(
  refusal: AccessRefusal,
  verbs: readonly ApiVerb[],
  name?: string,
): string {
  const { resource = '', group = '', namespace, path, clusterScope, verb = '' } = refusal;
  if (path !== undefined) {
    return `add {nonResourceURLs: [${quotedName(path)}], verbs: [${quotedName(verb)}]} to a ClusterRole`;
  }
  const role =
    namespace !== undefined
      ? `Role in namespace ${quotedName(namespace)}`
      : clusterScope
        ? 'ClusterRole'
        : 'Role or ClusterRole';
  const names = name === undefined || name === '' ? '' : ` resourceNames: [${quotedName(name)}],`;
  const all = verbs.map((one) => `"${one}"`).join(',');
  return `add {apiGroups: [${quotedName(group)}], resources: [${quotedName(resource)}],${names} verbs: [${all}]} to a ${role}`;
}
