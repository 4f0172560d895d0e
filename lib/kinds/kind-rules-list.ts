import {
  mutatingAdmissionPolicies,
  validatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
  validatingAdmissionPolicyBindings,
} from './admissionregistration/admission-policies.ts';
import {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from './admissionregistration/webhook-configurations.ts';
import { apiServices } from './apiregistration/api-services.ts';
import { flowSchemas, priorityLevelConfigurations } from './flowcontrol/flow-schemas.ts';
import { clusterRoleBindings, roleBindings, clusterRoles, roles } from './rbac/roles.ts';
import { customResourceDefinitions } from '../server/custom/definition/definition-rules.ts';
import { controllerRevisions, statefulSets, daemonSets } from './apps/stateful-sets.ts';
import { deployments, replicaSets, replicationControllers } from './apps/deployments.ts';
import { horizontalPodAutoscalers } from './autoscaling/horizontal-pod-autoscalers.ts';
import { cronJobs, jobs } from './batch/jobs.ts';
import { certificateSigningRequests } from './certificates/certificate-signing-requests.ts';
import { clusterTrustBundles } from './certificates/cluster-trust-bundles.ts';
import { podCertificateRequests } from './certificates/pod-certificate-requests.ts';
import { deviceTaintRules } from './resource/device-taint-rules.ts';
import { storageVersionMigrations } from './storagemigration/storage-version-migrations.ts';
import type { KindRules } from '../server/registry/contract/kind-rules.ts';
import { leases } from './coordination/leases.ts';
import { configMaps } from './core/config-maps.ts';
import { secrets, serviceAccounts } from './core/secrets.ts';
import { limitRanges } from './core/limit-ranges.ts';
import { resourceQuotas } from './core/resource-quotas.ts';
import { events, groupEvents } from './core/events.ts';
import { namespaces } from '../server/registry/namespaces/namespace-rules.ts';
import { nodes } from './core/nodes.ts';
import { persistentVolumeClaims } from './core/persistent-volume-claims.ts';
import { persistentVolumes } from './core/persistent-volumes.ts';
import {
  deviceClasses,
  resourceClaims,
  resourceClaimTemplates,
} from './resource/resource-claims.ts';
import { resourceSlices } from './resource/resource-slices.ts';
import { services } from './services/services.ts';
import { endpoints } from './core/endpoints.ts';
import { ingressClasses, ingresses } from './networking/ingresses.ts';
import { ipAddresses, serviceCidrs } from './networking/service-cidrs.ts';
import { networkPolicies } from './networking/network-policies.ts';
import { endpointSlices } from './discovery/endpoint-slices.ts';
import { runtimeClasses } from './node/runtime-classes.ts';
import { csiDrivers, csiNodes, csiStorageCapacities } from './storage/csi-drivers.ts';
import { storageClasses, volumeAttributesClasses } from './storage/storage-classes.ts';
import { volumeAttachments } from './storage/volume-attachments.ts';
import { podTemplates, pods } from './pods/pods.ts';
import { podDisruptionBudgets } from './policy/pod-disruption-budgets.ts';
import { priorityClasses } from './scheduling/priority-classes.ts';

/** The rules of all kinds that have some, in any order. */
export const kindRulesList: readonly KindRules[] = [
  configMaps,
  events,
  limitRanges,
  resourceQuotas,
  groupEvents,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  podTemplates,
  secrets,
  serviceAccounts,
  services,
  endpoints,
  ingressClasses,
  ingresses,
  ipAddresses,
  networkPolicies,
  serviceCidrs,
  customResourceDefinitions,
  controllerRevisions,
  daemonSets,
  deployments,
  replicaSets,
  replicationControllers,
  statefulSets,
  horizontalPodAutoscalers,
  cronJobs,
  jobs,
  leases,
  podDisruptionBudgets,
  priorityClasses,
  endpointSlices,
  volumeAttributesClasses,
  certificateSigningRequests,
  clusterTrustBundles,
  podCertificateRequests,
  deviceTaintRules,
  storageVersionMigrations,
  resourceSlices,
  deviceClasses,
  resourceClaims,
  resourceClaimTemplates,
  mutatingAdmissionPolicies,
  validatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
  validatingAdmissionPolicyBindings,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
  runtimeClasses,
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  storageClasses,
  volumeAttachments,
  clusterRoleBindings,
  clusterRoles,
  roleBindings,
  roles,
  apiServices,
  flowSchemas,
  priorityLevelConfigurations,
];
