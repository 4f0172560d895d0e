import type { MetadataRules } from '../server/registry/rules/metadata-rules.ts';

const ADMISSION = 'admissionregistration.k8s.io';
const RBAC = 'rbac.authorization.k8s.io';

/** How the updates of a kind look at the metadata; all others look by the rules of updates. */
const UPDATE_LOOKS: Readonly<Record<string, MetadataRules['update']>> = {
  ...looks(
    'both',
    `configmaps endpoints namespaces nodes persistentvolumeclaims persistentvolumes pods secrets serviceaccounts
    apps/controllerrevisions batch/jobs
    certificates.k8s.io/certificatesigningrequests certificates.k8s.io/clustertrustbundles
    storagemigration.k8s.io/storageversionmigrations
    networking.k8s.io/ingressclasses networking.k8s.io/ingresses networking.k8s.io/ipaddresses node.k8s.io/runtimeclasses
    ${RBAC}/clusterrolebindings ${RBAC}/clusterroles ${RBAC}/rolebindings ${RBAC}/roles
    resource.k8s.io/deviceclasses resource.k8s.io/resourceclaims resource.k8s.io/resourceclaimtemplates
    storage.k8s.io/csistoragecapacities storage.k8s.io/storageclasses storage.k8s.io/volumeattributesclasses`,
  ),
  ...looks(
    'form',
    `limitranges discovery.k8s.io/endpointslices
    ${ADMISSION}/mutatingadmissionpolicies ${ADMISSION}/mutatingadmissionpolicybindings
    ${ADMISSION}/mutatingwebhookconfigurations ${ADMISSION}/validatingadmissionpolicies
    ${ADMISSION}/validatingadmissionpolicybindings ${ADMISSION}/validatingwebhookconfigurations
    flowcontrol.apiserver.k8s.io/flowschemas flowcontrol.apiserver.k8s.io/prioritylevelconfigurations
    storage.k8s.io/csinodes storage.k8s.io/volumeattachments`,
  ),
  ...looks('none', 'events policy/poddisruptionbudgets'),
};

/** The same of their `status`. */
const STATUS_LOOKS: Readonly<Record<string, MetadataRules['update']>> = {
  ...looks('both', 'certificates.k8s.io/certificatesigningrequests'),
  ...looks('none', 'batch/cronjobs policy/poddisruptionbudgets'),
};

/** Kinds whose finalizers need no slash, because they take the rules of apimachinery. */
const ANY_FINALIZERS =
  /^(?:events|node\.k8s\.io\/.*|coordination\.k8s\.io\/.*|policy\/.*|api(?:registration|extensions)\.k8s\.io\/.*|admissionregistration\.k8s\.io\/.*)$/;

function looks(
  update: MetadataRules['update'],
  names: string,
): Record<string, MetadataRules['update']> {
  return Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, update]),
  );
}

/**
 * How the rules of a kind look at the metadata of its objects.
 * @see kubernetes pkg/apis validation.go of each group @ v1.36.3
 */
export function metadataRulesOf(group: string, resource: string): MetadataRules {
  const name = group === '' ? resource : `${group}/${resource}`;
  return {
    create: UPDATE_LOOKS[name] !== 'none',
    update: UPDATE_LOOKS[name],
    kubeFinalizers: !ANY_FINALIZERS.test(name),
  };
}

/** The same for updates through its `status`. */
export function statusMetadataRulesOf(group: string, resource: string): MetadataRules {
  const name = group === '' ? resource : `${group}/${resource}`;
  return { update: STATUS_LOOKS[name], kubeFinalizers: !ANY_FINALIZERS.test(name) };
}
