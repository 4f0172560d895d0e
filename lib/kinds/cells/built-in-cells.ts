import { isSince } from '../../meta/releases/kubernetes-features.ts';
import type { KubernetesMinor } from '../../meta/releases/kubernetes-releases.ts';
import { definitionCells } from './definition-cells.ts';
import type { ListCells, RowCells } from '../../server/registry/contract/kind-rules.ts';
import {
  certificateSigningRequestCells,
  clusterTrustBundleCells,
  mutatingPolicyCells,
  podCertificateRequestCells,
  policyBindingCells,
  roleBindingCells,
  validatingPolicyCells,
  webhookConfigurationCells,
} from './access-cells.ts';
import {
  horizontalPodAutoscalerCells,
  deviceTaintRuleCells,
  resourceClaimCells,
  resourceSliceCells,
  controllerRevisionCells,
  cronJobCells,
  daemonSetCells,
  deploymentCells,
  jobCells,
  podDisruptionBudgetCells,
  podTemplateCells,
  replicaSetCells,
  replicationControllerCells,
  statefulSetCells,
} from './workload-cells.ts';
import {
  apiServiceCells,
  componentStatusCells,
  configMapCells,
  eventCells,
  flowSchemaCells,
  leaseCells,
  nameAgeCells,
  namespaceCells,
  nodeCells,
  plainCells,
  priorityClassCells,
  priorityLevelCells,
  resourceQuotaCells,
  runtimeClassCells,
  secretCells,
  storageVersionMigrationCells,
} from './configuration-cells.ts';
import {
  endpointsCells,
  endpointSliceCells,
  ingressCells,
  ingressClassCells,
  ipAddressCells,
  networkPolicyCells,
  serviceCells,
  serviceCidrCells,
} from './network-cells.ts';
import { podCells } from './pod-cells.ts';
import {
  annotatedClassCells,
  csiDriverCells,
  csiNodeCells,
  persistentVolumeCells,
  persistentVolumeClaimCells,
  storageClassCells,
  storageClassListCells,
  volumeAttachmentCells,
  volumeAttributesClassCells,
} from './storage-cells.ts';

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';
const STORAGE_CLASSES = 'storageclasses.storage.k8s.io';

/** By `RESOURCE` or `RESOURCE.GROUP`. @see pkg/printers/internalversion/printers.go @ v1.36.3 */
const CELLS: Readonly<Record<string, RowCells>> = {
  componentstatuses: componentStatusCells,
  configmaps: configMapCells,
  endpoints: endpointsCells,
  events: eventCells,
  namespaces: namespaceCells,
  nodes: nodeCells,
  persistentvolumeclaims: persistentVolumeClaimCells,
  persistentvolumes: persistentVolumeCells,
  pods: podCells,
  podtemplates: podTemplateCells,
  replicationcontrollers: replicationControllerCells,
  resourcequotas: resourceQuotaCells,
  secrets: secretCells,
  serviceaccounts: nameAgeCells,
  services: serviceCells,
  'mutatingadmissionpolicies.admissionregistration.k8s.io': mutatingPolicyCells,
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': policyBindingCells,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhookConfigurationCells,
  'validatingadmissionpolicies.admissionregistration.k8s.io': validatingPolicyCells,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': policyBindingCells,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhookConfigurationCells,
  'apiservices.apiregistration.k8s.io': apiServiceCells,
  'controllerrevisions.apps': controllerRevisionCells,
  'daemonsets.apps': daemonSetCells,
  'deployments.apps': deploymentCells,
  'replicasets.apps': replicaSetCells,
  'statefulsets.apps': statefulSetCells,
  'horizontalpodautoscalers.autoscaling': horizontalPodAutoscalerCells,
  'cronjobs.batch': cronJobCells,
  'jobs.batch': jobCells,
  'certificatesigningrequests.certificates.k8s.io': certificateSigningRequestCells,
  'clustertrustbundles.certificates.k8s.io': clusterTrustBundleCells,
  'podcertificaterequests.certificates.k8s.io': podCertificateRequestCells,
  'leases.coordination.k8s.io': leaseCells,
  'endpointslices.discovery.k8s.io': endpointSliceCells,
  'events.events.k8s.io': eventCells,
  'flowschemas.flowcontrol.apiserver.k8s.io': flowSchemaCells,
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': priorityLevelCells,
  'ingressclasses.networking.k8s.io': ingressClassCells,
  'ingresses.networking.k8s.io': ingressCells,
  'ipaddresses.networking.k8s.io': ipAddressCells,
  'networkpolicies.networking.k8s.io': networkPolicyCells,
  'servicecidrs.networking.k8s.io': serviceCidrCells,
  'runtimeclasses.node.k8s.io': runtimeClassCells,
  'poddisruptionbudgets.policy': podDisruptionBudgetCells,
  'clusterrolebindings.rbac.authorization.k8s.io': roleBindingCells,
  'rolebindings.rbac.authorization.k8s.io': roleBindingCells,
  'deviceclasses.resource.k8s.io': nameAgeCells,
  'devicetaintrules.resource.k8s.io': deviceTaintRuleCells,
  'resourceclaims.resource.k8s.io': resourceClaimCells,
  'resourceclaimtemplates.resource.k8s.io': nameAgeCells,
  'resourceslices.resource.k8s.io': resourceSliceCells,
  'priorityclasses.scheduling.k8s.io': priorityClassCells,
  'csidrivers.storage.k8s.io': csiDriverCells,
  'csinodes.storage.k8s.io': csiNodeCells,
  [STORAGE_CLASSES]: storageClassCells,
  'volumeattachments.storage.k8s.io': volumeAttachmentCells,
  'volumeattributesclasses.storage.k8s.io': volumeAttributesClassCells,
  'storageversionmigrations.storagemigration.k8s.io': storageVersionMigrationCells,
  [DEFINITIONS]: definitionCells,
};

interface KindName {
  readonly group: string;
  readonly resource: string;
}

/** The function that makes the cells of a row of a kind; name and creation time for kinds without their own columns. */
export function cellsOf(kind: KindName, minor?: KubernetesMinor): RowCells {
  const name = nameOf(kind);
  if (name === DEFINITIONS && !isSince(minor, 'definitionColumns')) return plainCells;
  if (name === STORAGE_CLASSES && !isSince(minor, 'oneDefaultClass')) return annotatedClassCells;
  return Object.hasOwn(CELLS, name) ? (CELLS[name] as RowCells) : plainCells;
}

/** The cells of the rows of a list, for the kind whose rows depend on the others. */
export function listCellsOf(kind: KindName, minor?: KubernetesMinor): ListCells | undefined {
  const isMarked = nameOf(kind) === STORAGE_CLASSES && isSince(minor, 'oneDefaultClass');
  return isMarked ? storageClassListCells : undefined;
}

function nameOf({ group, resource }: KindName): string {
  return group === '' ? resource : `${resource}.${group}`;
}
