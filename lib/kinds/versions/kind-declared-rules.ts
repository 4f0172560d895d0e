import { DeclaredRules } from '../../server/registry/rules/declared-rules.ts';

/**
 * By resource, as `DeclaredRules` reads them: the rules that are enforced, without fields of features that are off.
 * @see kubernetes pkg/apis GROUP/v1/zz_generated.validations.go @ v1.37.2
 */
const RULES = `
admissionregistration.k8s.io/validatingadmissionpolicybindings
  spec.policyName=r spec.validationActions=r
autoscaling/horizontalpodautoscalers
  spec.minReplicas=g spec.maxReplicas=rg
batch/cronjobs
  spec.schedule=r
certificates.k8s.io/certificatesigningrequests
  status.conditions=i
replicationcontrollers
  metadata.name=i spec.replicas=rg spec.minReadySeconds=g
discovery.k8s.io/endpointslices
  addressType=run endpoints[*].addresses=rm
flowcontrol.apiserver.k8s.io/prioritylevelconfigurations
  spec.exempt=f spec.limited=fr spec.type=r spec.limited.limitResponse.queuing=fr spec.limited.limitResponse.type=r
networking.k8s.io/ipaddresses
  spec.parentRef=ru spec.parentRef.resource=r spec.parentRef.name=r
networking.k8s.io/ingressclasses
  spec.parameters.kind=r spec.parameters.name=r
networking.k8s.io/networkpolicies
  spec.ingress[*].from[*].ipBlock.cidr=r spec.egress[*].to[*].ipBlock.cidr=r
node.k8s.io/runtimeclasses
  handler=uri
rbac.authorization.k8s.io/clusterroles
  rules[*].verbs=r
rbac.authorization.k8s.io/clusterrolebindings
  subjects[*].name=r roleRef.name=r
rbac.authorization.k8s.io/roles
  rules[*].verbs=r
rbac.authorization.k8s.io/rolebindings
  subjects[*].name=r roleRef.name=r
resource.k8s.io/deviceclasses
  metadata.name=i spec.selectors=m spec.config=m spec.config[*].opaque.driver=ril spec.extendedResourceName=i
resource.k8s.io/devicetaintrules
  spec.taint.effect=rn
resource.k8s.io/resourceclaims
  spec=u spec.devices.requests=md spec.devices.requests[*].exactly.selectors=m
  spec.devices.requests[*].exactly.allocationMode=n spec.devices.requests[*].exactly.tolerations[*].key=i
  spec.devices.requests[*].exactly.tolerations[*].operator=rn spec.devices.requests[*].exactly.tolerations[*].effect=n
  spec.devices.requests[*].firstAvailable=md spec.devices.requests[*].firstAvailable[*].deviceClassName=ri
  spec.devices.requests[*].firstAvailable[*].selectors=m spec.devices.requests[*].firstAvailable[*].allocationMode=n
  spec.devices.requests[*].firstAvailable[*].tolerations[*].key=i
  spec.devices.requests[*].firstAvailable[*].tolerations[*].operator=rn
  spec.devices.requests[*].firstAvailable[*].tolerations[*].effect=n spec.devices.constraints=m
  spec.devices.constraints[*].requests=md spec.devices.constraints[*].matchAttribute=i
  spec.devices.constraints[*].distinctAttribute=i spec.devices.config=m spec.devices.config[*].requests=md
  spec.devices.config[*].opaque.driver=ril status.allocation=i status.allocation.devices.results=m
  status.allocation.devices.results[*].driver=ril status.allocation.devices.results[*].pool=ri
  status.allocation.devices.results[*].tolerations[*].key=i
  status.allocation.devices.results[*].tolerations[*].operator=rn
  status.allocation.devices.results[*].tolerations[*].effect=n status.allocation.devices.results[*].bindingConditions=m
  status.allocation.devices.results[*].bindingFailureConditions=m status.allocation.devices.results[*].shareID=i
  status.allocation.devices.config=m status.allocation.devices.config[*].source=rn
  status.allocation.devices.config[*].requests=md status.allocation.devices.config[*].opaque.driver=ril
  status.reservedFor=md status.devices=d status.devices[*].shareID=i status.devices[*].networkData.interfaceName=l
  status.devices[*].networkData.ips=md status.devices[*].networkData.hardwareAddress=l
resource.k8s.io/resourceclaimtemplates
  spec.spec.devices.requests=md spec.spec.devices.requests[*].exactly.selectors=m
  spec.spec.devices.requests[*].exactly.allocationMode=n spec.spec.devices.requests[*].exactly.tolerations[*].key=i
  spec.spec.devices.requests[*].exactly.tolerations[*].operator=rn
  spec.spec.devices.requests[*].exactly.tolerations[*].effect=n spec.spec.devices.requests[*].firstAvailable=md
  spec.spec.devices.requests[*].firstAvailable[*].deviceClassName=ri
  spec.spec.devices.requests[*].firstAvailable[*].selectors=m
  spec.spec.devices.requests[*].firstAvailable[*].allocationMode=n
  spec.spec.devices.requests[*].firstAvailable[*].tolerations[*].key=i
  spec.spec.devices.requests[*].firstAvailable[*].tolerations[*].operator=rn
  spec.spec.devices.requests[*].firstAvailable[*].tolerations[*].effect=n spec.spec.devices.constraints=m
  spec.spec.devices.constraints[*].requests=md spec.spec.devices.constraints[*].matchAttribute=i
  spec.spec.devices.constraints[*].distinctAttribute=i spec.spec.devices.config=m spec.spec.devices.config[*].requests=md
  spec.spec.devices.config[*].opaque.driver=ril
resource.k8s.io/resourceslices
  spec.devices[*].attributes[*]=i spec.devices[*].consumesCounters=md spec.devices[*].consumesCounters[*].counterSet=ri
  spec.devices[*].consumesCounters[*].counters=r spec.devices[*].consumesCounters[*].counters[*]=i
  spec.devices[*].taints[*].effect=rn spec.devices[*].bindingConditions=m spec.devices[*].bindingFailureConditions=m
  spec.sharedCounters=md spec.sharedCounters[*].name=ri spec.sharedCounters[*].counters=r
  spec.sharedCounters[*].counters[*]=i
storage.k8s.io/storageclasses
  provisioner=ru parameters=u reclaimPolicy=u volumeBindingMode=u
storage.k8s.io/volumeattachments
  spec=u spec.attacher=ril
`;

/** The declared rules of a resource; undefined for one without any. */
export function declaredRulesOf(group: string, resource: string): DeclaredRules | undefined {
  const name = group === '' ? resource : `${group}/${resource}`;
  for (const entry of RULES.trim().split(/\n(?! )/)) {
    const [of, ...rules] = entry.split(/\s+/);
    if (of === name) return new DeclaredRules(rules.join(' '));
  }
  return undefined;
}
