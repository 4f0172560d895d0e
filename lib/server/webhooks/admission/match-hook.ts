import { forbidden, internalError, isNotFound } from '../../../meta/failure/failures.ts';
import type { Labels, LabelSelector } from '../../../meta/selectors/label-selector.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { isSince } from '../../../meta/releases/kubernetes-features.ts';
import type { KubernetesMinor } from '../../../meta/releases/kubernetes-releases.ts';
import type {
  AdmissionRequest,
  AdmissionScope,
  AdmittedVersion,
} from '../../registry/contract/admission.ts';
import type { Hook, HookRule } from './hook.ts';

/** How a webhook is called for a request: in the version that its rule names. */
export interface Invocation {
  readonly hook: Hook;
  readonly target: AdmittedVersion;
}

/** The labels of a namespace. @throws {ApiError} 404. */
export type NamespaceLabels = (namespace: string) => Promise<Labels>;

const ADMISSION_GROUP = 'admissionregistration.k8s.io';

/** Resources whose requests no webhook sees, so that a broken one can be removed. */
const EXEMPT: ReadonlySet<string> = new Set([
  'validatingwebhookconfigurations',
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
]);

/** Reviews, which are no objects; webhooks saw them in older versions. */
const REVIEWS: ReadonlySet<string> = new Set([
  'authentication.k8s.io/selfsubjectreviews',
  'authentication.k8s.io/tokenreviews',
  'authorization.k8s.io/localsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
  'authorization.k8s.io/subjectaccessreviews',
]);

export function isExempt(
  { group, resource }: Pick<AdmissionScope, 'group' | 'resource'>,
  minor: KubernetesMinor,
): boolean {
  if (group === ADMISSION_GROUP) return EXEMPT.has(resource);
  return REVIEWS.has(`${group}/${resource}`) && isSince(minor, 'reviewsWithoutWebhooks');
}

/**
 * How a webhook is called; undefined if the request is none of its business. `object` is that of the request after earlier webhooks.
 * @throws {ApiError} 403 for conditions that cannot be decided, 404, 500.
 * @see apiserver pkg/admission/plugin/webhook/generic/webhook.go ShouldCallHook @ v0.36.3
 */
export async function invocationOf(
  hook: Hook,
  request: AdmissionRequest,
  labelsOf: NamespaceLabels,
): Promise<Invocation | undefined> {
  const target = matchedVersion(hook, request);
  if (target === undefined) return undefined;
  if (!(await matchesNamespace(hook.namespaceSelector(), request, labelsOf))) return undefined;
  if (!matchesObject(hook.objectSelector(), request)) return undefined;
  if (!hook.hasConditions) return { hook, target };
  if (hook.failsOpen) return undefined;
  const reason = `the matchConditions of webhook ${JSON.stringify(hook.name)} cannot be evaluated, because this server has no CEL engine: remove them, or set its failurePolicy to Ignore`;
  throw forbidden(request.target, request.name, reason);
}

function matchedVersion(hook: Hook, request: AdmissionRequest): AdmittedVersion | undefined {
  const { target, subresource } = request;
  if (hook.rules.some((rule) => matchesRule(rule, request, target))) return target;
  if (!hook.matchesEquivalent || !hook.rules.some(({ operations }) => covers(operations, request)))
    return undefined;
  // The kind of most subresources belongs to no version of the resource.
  if (subresource !== '' && subresource !== 'status') return undefined;
  const others = request.versions.others();
  for (const rule of hook.rules) {
    const found = others.find((other) => matchesRule(rule, request, other));
    if (found !== undefined) return found;
  }
  return undefined;
}

function covers(operations: readonly string[], { operation }: AdmissionRequest): boolean {
  return operations.includes('*') || operations.includes(operation);
}

function matchesRule(
  rule: HookRule,
  request: AdmissionRequest,
  { group, version, resource }: AdmittedVersion,
): boolean {
  return (
    covers(rule.operations, request) &&
    (rule.groups.includes('*') || rule.groups.includes(group)) &&
    (rule.versions.includes('*') || rule.versions.includes(version)) &&
    rule.resources.some(
      ([name, sub]) =>
        (name === '*' || name === resource) && (sub === '*' || sub === request.subresource),
    ) &&
    matchesScope(rule.scope, request.namespace, isNamespaces({ group, resource }))
  );
}

/** Namespaces are cluster-scoped, although requests for them have one. */
function matchesScope(scope: string, namespace: string, isNamespace: boolean): boolean {
  if (scope === '*') return true;
  const isNamespaced = namespace !== '' && !isNamespace;
  return scope === (isNamespaced ? 'Namespaced' : 'Cluster');
}

function isNamespaces({ group, resource }: Pick<AdmittedVersion, 'group' | 'resource'>): boolean {
  return group === '' && resource === 'namespaces';
}

async function matchesNamespace(
  selector: LabelSelector,
  { target, namespace, operation, object, subresource }: AdmissionRequest,
  labelsOf: NamespaceLabels,
): Promise<boolean> {
  const isOfNamespaces = isNamespaces(target);
  if ((namespace === '' && !isOfNamespaces) || selector.empty) return true;
  const isWritten = operation === 'CREATE' || operation === 'UPDATE';
  if (isOfNamespaces && subresource === '' && isWritten) return selector.matches(labelsIn(object));
  try {
    return selector.matches(await labelsOf(namespace));
  } catch (error) {
    if (isNotFound(error)) throw error;
    throw internalError(String(error), error);
  }
}

function matchesObject(selector: LabelSelector, { object, oldObject }: AdmissionRequest): boolean {
  if (selector.empty) return true;
  return [object, oldObject].some((one) => one !== undefined && selector.matches(labelsIn(one)));
}

function labelsIn(object: UnstructuredObject | undefined): Labels {
  return object?.metadata?.labels ?? {};
}
