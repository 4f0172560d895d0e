import {
  mutatingAdmissionPolicies,
  validatingAdmissionPolicies,
} from './admissionregistration/admission-policies.ts';
import {
  mutatingAdmissionPolicyBindings,
  validatingAdmissionPolicyBindings,
} from './admissionregistration/policy-bindings.ts';
import {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from './admissionregistration/webhook-configurations.ts';
import { apiServices } from './apiregistration/api-services.ts';
import { flowSchemas } from './flowcontrol/flow-schemas.ts';
import { priorityLevelConfigurations } from './flowcontrol/priority-level-configurations.ts';
import { clusterRoleBindings, roleBindings } from './rbac/role-bindings.ts';
import { clusterRoles, roles } from './rbac/roles.ts';
import { customResourceDefinitions } from '../server/custom/definition/definition-rules.ts';
import { controllerRevisions } from './apps/controller-revisions.ts';
import { daemonSets } from './apps/daemon-sets.ts';
import { deployments } from './apps/deployments.ts';
import { replicaSets } from './apps/replica-sets.ts';
import { statefulSets } from './apps/stateful-sets.ts';
import { replicationControllers } from './apps/replication-controllers.ts';
import { horizontalPodAutoscalers } from './autoscaling/horizontal-pod-autoscalers.ts';
import { cronJobs } from './batch/cron-jobs.ts';
import { jobs } from './batch/jobs.ts';
import { certificateSigningRequests } from './certificates/certificate-signing-requests.ts';
import type { KindRules } from '../server/registry/contract/kind-rules.ts';
import { leases } from './coordination/leases.ts';
import { configMaps } from './core/config-maps.ts';
import { secrets } from './core/secrets.ts';
import { serviceAccounts } from './core/service-accounts.ts';
import { limitRanges } from './core/limit-ranges.ts';
import { resourceQuotas } from './core/resource-quotas.ts';
import { events, groupEvents } from './core/events.ts';
import { namespaces } from '../server/registry/namespaces/namespace-rules.ts';
import { nodes } from './core/nodes.ts';
import { persistentVolumeClaims } from './core/persistent-volume-claims.ts';
import { persistentVolumes } from './core/persistent-volumes.ts';
import { deviceClasses } from './resource/device-classes.ts';
import { resourceClaims, resourceClaimTemplates } from './resource/resource-claims.ts';
import { resourceSlices } from './resource/resource-slices.ts';
import { services } from './services/services.ts';
import { endpoints } from './core/endpoints.ts';
import { ingressClasses } from './networking/ingress-classes.ts';
import { ingresses } from './networking/ingresses.ts';
import { ipAddresses } from './networking/ip-addresses.ts';
import { networkPolicies } from './networking/network-policies.ts';
import { serviceCidrs } from './networking/service-cidrs.ts';
import { endpointSlices } from './discovery/endpoint-slices.ts';
import { runtimeClasses } from './node/runtime-classes.ts';
import { csiDrivers } from './storage/csi-drivers.ts';
import { csiNodes } from './storage/csi-nodes.ts';
import { csiStorageCapacities } from './storage/csi-storage-capacities.ts';
import { storageClasses } from './storage/storage-classes.ts';
import { volumeAttachments } from './storage/volume-attachments.ts';
import { podTemplates } from './pods/pod-templates.ts';
import { pods } from './pods/pods.ts';
import { podDisruptionBudgets } from './policy/pod-disruption-budgets.ts';
import { priorityClasses } from './scheduling/priority-classes.ts';
import { volumeAttributesClasses } from './storage/volume-attributes-classes.ts';

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
