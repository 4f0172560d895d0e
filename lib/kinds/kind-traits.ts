import type { GroupVersionKind } from '../meta/resource.ts';
import type { StrategyOptions } from '../server/registry/contract/strategy.ts';
import { metadataRulesOf } from './metadata-traits.ts';
import { dnsLabel, pathSegment } from '../server/registry/rules/name-forms.ts';

const ADMISSION = 'admissionregistration.k8s.io';

/** Kinds whose generation counts changes of the spec. */
const WITH_GENERATION = namesOf(`
  pods podtemplates replicationcontrollers
  apps/daemonsets apps/deployments apps/replicasets apps/statefulsets
  batch/cronjobs batch/jobs
  networking.k8s.io/ingressclasses networking.k8s.io/ingresses networking.k8s.io/networkpolicies
  policy/poddisruptionbudgets
  discovery.k8s.io/endpointslices
  resource.k8s.io/deviceclasses resource.k8s.io/resourceslices
  flowcontrol.apiserver.k8s.io/flowschemas flowcontrol.apiserver.k8s.io/prioritylevelconfigurations
  ${ADMISSION}/mutatingadmissionpolicies ${ADMISSION}/mutatingadmissionpolicybindings
  ${ADMISSION}/mutatingwebhookconfigurations ${ADMISSION}/validatingwebhookconfigurations
  ${ADMISSION}/validatingadmissionpolicies ${ADMISSION}/validatingadmissionpolicybindings
  apiextensions.k8s.io/customresourcedefinitions`);

/** Kinds of which a PUT creates a missing object. */
const CREATED_BY_PUT = namesOf(`
  endpoints events limitranges services
  events.k8s.io/events
  coordination.k8s.io/leases
  node.k8s.io/runtimeclasses
  rbac.authorization.k8s.io/clusterrolebindings rbac.authorization.k8s.io/clusterroles
  rbac.authorization.k8s.io/rolebindings rbac.authorization.k8s.io/roles`);

/** Kinds whose updates need a resource version. */
const CONDITIONAL = namesOf(`
  coordination.k8s.io/leases
  node.k8s.io/runtimeclasses
  policy/poddisruptionbudgets
  storage.k8s.io/csidrivers storage.k8s.io/csinodes storage.k8s.io/csistoragecapacities
  storage.k8s.io/volumeattachments
  apiregistration.k8s.io/apiservices
  apiextensions.k8s.io/customresourcedefinitions
  ${ADMISSION}/mutatingadmissionpolicies ${ADMISSION}/mutatingadmissionpolicybindings
  ${ADMISSION}/mutatingwebhookconfigurations ${ADMISSION}/validatingwebhookconfigurations
  ${ADMISSION}/validatingadmissionpolicies ${ADMISSION}/validatingadmissionpolicybindings`);

/** Kinds whose names need only be a path segment. */
const FREE_NAMES = namesOf(`
  events
  apiregistration.k8s.io/apiservices
  certificates.k8s.io/certificatesigningrequests
  rbac.authorization.k8s.io/clusterrolebindings rbac.authorization.k8s.io/clusterroles
  rbac.authorization.k8s.io/rolebindings rbac.authorization.k8s.io/roles`);

/** Kinds of which a completed deletion returns the object. */
const RETURNED_WHEN_DELETED = namesOf(`
  namespaces persistentvolumeclaims persistentvolumes pods podtemplates resourcequotas serviceaccounts services
  resource.k8s.io/deviceclasses resource.k8s.io/resourceclaims resource.k8s.io/resourceclaimtemplates
  resource.k8s.io/resourceslices
  storage.k8s.io/csidrivers storage.k8s.io/csinodes storage.k8s.io/storageclasses
  storage.k8s.io/volumeattachments storage.k8s.io/volumeattributesclasses`);

/** Kinds whose names are labels. */
const LABEL_NAMES = namesOf(`namespaces services apps/statefulsets`);

/** The warning of each answer about a kind that has a successor. @see api core/v1/zz_generated.prerelease-lifecycle.go @ v0.36.3 */
export function deprecationOf({ group, kind }: GroupVersionKind): {
  readonly deprecation?: string;
} {
  if (group !== '' || kind !== 'Endpoints') return {};
  const deprecation = 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice';
  return { deprecation };
}

/**
 * Whether the answer to a completed deletion is the object.
 * @see kubernetes pkg/registry storage.go of each resource, ReturnDeletedObject @ 1.36.3
 */
export function returnsDeletedObject(group: string, resource: string): boolean {
  return RETURNED_WHEN_DELETED.has(nameOf(group, resource));
}

/**
 * Differences between kinds in short form; the rules of a kind are laid over it.
 * @see kubernetes pkg/registry strategy.go of each resource @ 1.36.3
 */
export function kindTraits(group: string, resource: string): StrategyOptions {
  const name = nameOf(group, resource);
  return {
    metadataRules: metadataRulesOf(group, resource),
    generation: WITH_GENERATION.has(name),
    allowCreateOnUpdate: CREATED_BY_PUT.has(name),
    allowUnconditionalUpdate: !CONDITIONAL.has(name),
    ...(FREE_NAMES.has(name) ? { nameProblems: pathSegment } : {}),
    ...(LABEL_NAMES.has(name) ? { nameProblems: dnsLabel } : {}),
  };
}

function nameOf(group: string, resource: string): string {
  return group === '' ? resource : `${group}/${resource}`;
}

function namesOf(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
