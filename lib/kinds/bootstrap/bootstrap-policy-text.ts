/**
 * The roles and bindings that kube-apiserver v1.35.4, v1.36.3, v1.37.2 creates at its start, as it answers them (recorded 2026-11-22).
 *
 * A role is a line with its name, then one line for each rule: verbs, groups and resources, resource names if there are any; or verbs
 * and paths. `>x` is the label aggregate-to-x, `<x` selects it. `-` is the core group, `R` and `W` are verbs that read and write,
 * and `!` is the rule for events. A binding is one line: its name, `=` and the role unless that has the same name, then
 * subjects: `namespace/account`, `@user`, or a group. `x *` binds `system:controller:x` to the account `kube-system/x`.
 */
export const BOOTSTRAP_POLICY = {
  /** Cluster roles. */
  clusterroles: `
admin <admin
cluster-admin
 * * *
 * *
edit >admin <edit
system:aggregate-to-admin >admin
 create authorization.k8s.io localsubjectaccessreviews
 create,delete,deletecollection,get,list,patch,update,watch rbac.authorization.k8s.io rolebindings,roles
system:aggregate-to-edit >edit
 R - pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy
 impersonate - serviceaccounts
 W - pods,pods/attach,pods/exec,pods/portforward,pods/proxy
 create - pods/eviction
 W - configmaps,persistentvolumeclaims,replicationcontrollers,replicationcontrollers/scale,secrets,serviceaccounts,services,services/proxy
 create - serviceaccounts/token
 W -,events.k8s.io events
 W apps daemonsets,deployments,deployments/rollback,deployments/scale,replicasets,replicasets/scale,statefulsets,statefulsets/scale
 W autoscaling horizontalpodautoscalers
 W batch cronjobs,jobs
 W extensions daemonsets,deployments,deployments/rollback,deployments/scale,ingresses,networkpolicies,replicasets,replicasets/scale,replicationcontrollers/scale
 W policy poddisruptionbudgets
 W networking.k8s.io ingresses,networkpolicies
 create,delete,deletecollection,get,list,patch,update,watch coordination.k8s.io leases
 W resource.k8s.io resourceclaims,resourceclaimtemplates
system:aggregate-to-view >view
 R - configmaps,endpoints,persistentvolumeclaims,persistentvolumeclaims/status,pods,replicationcontrollers,replicationcontrollers/scale,serviceaccounts,services,services/status
 R - bindings,limitranges,namespaces/status,pods/log,pods/status,replicationcontrollers/status,resourcequotas,resourcequotas/status
 R - namespaces
 R -,events.k8s.io events
 R discovery.k8s.io endpointslices
 R apps controllerrevisions,daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,replicasets,replicasets/scale,replicasets/status,statefulsets,statefulsets/scale,statefulsets/status
 R autoscaling horizontalpodautoscalers,horizontalpodautoscalers/status
 R batch cronjobs,cronjobs/status,jobs,jobs/status
 R extensions daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,ingresses,ingresses/status,networkpolicies,replicasets,replicasets/scale,replicasets/status,replicationcontrollers/scale
 R policy poddisruptionbudgets,poddisruptionbudgets/status
 R networking.k8s.io ingresses,ingresses/status,networkpolicies
 R resource.k8s.io resourceclaims,resourceclaims/status,resourceclaimtemplates
system:auth-delegator
 create authentication.k8s.io tokenreviews
 create authorization.k8s.io subjectaccessreviews
system:basic-user
 create authorization.k8s.io selfsubjectaccessreviews,selfsubjectrulesreviews
 create authentication.k8s.io selfsubjectreviews
system:certificates.k8s.io:certificatesigningrequests:nodeclient
 create certificates.k8s.io certificatesigningrequests/nodeclient
system:certificates.k8s.io:certificatesigningrequests:selfnodeclient
 create certificates.k8s.io certificatesigningrequests/selfnodeclient
system:certificates.k8s.io:kube-apiserver-client-approver
 approve certificates.k8s.io signers kubernetes.io/kube-apiserver-client
system:certificates.k8s.io:kube-apiserver-client-kubelet-approver
 approve certificates.k8s.io signers kubernetes.io/kube-apiserver-client-kubelet
system:certificates.k8s.io:kubelet-serving-approver
 approve certificates.k8s.io signers kubernetes.io/kubelet-serving
system:certificates.k8s.io:legacy-unknown-approver
 approve certificates.k8s.io signers kubernetes.io/legacy-unknown
[37..]system:cluster-trust-bundle-discovery
[37..] R certificates.k8s.io clustertrustbundles
system:controller:attachdetach-controller
 list,watch - persistentvolumeclaims,persistentvolumes
 R - nodes
 patch,update - nodes/status
 list,watch - pods
 !
 create,delete,get,list,watch storage.k8s.io volumeattachments
 R storage.k8s.io csidrivers
 R storage.k8s.io csinodes
system:controller:certificate-controller
 delete,get,list,watch certificates.k8s.io certificatesigningrequests
 update certificates.k8s.io certificatesigningrequests/approval,certificatesigningrequests/status
 approve certificates.k8s.io signers kubernetes.io/kube-apiserver-client-kubelet
 sign certificates.k8s.io signers kubernetes.io/kube-apiserver-client,kubernetes.io/kube-apiserver-client-kubelet,kubernetes.io/kubelet-serving,kubernetes.io/legacy-unknown
 create authorization.k8s.io subjectaccessreviews
 !
system:controller:clusterrole-aggregation-controller
 escalate,get,list,patch,update,watch rbac.authorization.k8s.io clusterroles
system:controller:cronjob-controller
 get,list,update,watch batch cronjobs
 create,delete,get,list,patch,update,watch batch jobs
 update batch cronjobs/status
 update batch cronjobs/finalizers
 delete,list,watch - pods
 !
system:controller:daemon-set-controller
 R apps,extensions daemonsets
 update apps,extensions daemonsets/status
 update apps,extensions daemonsets/finalizers
 list,watch - nodes
 create,delete,list,patch,watch - pods
 create - pods/binding
 create,delete,get,list,patch,update,watch apps controllerrevisions
 !
system:controller:deployment-controller
 get,list,update,watch apps,extensions deployments
 update apps,extensions deployments/status
 update apps,extensions deployments/finalizers
 create,delete,get,list,patch,update,watch apps,extensions replicasets
 get,list,update,watch - pods
 !
[36..]system:controller:device-taint-eviction-controller
[36..] delete,get,list,watch - pods
[36..] patch,update - pods/status
[36..] R resource.k8s.io resourceclaims
[36..] R resource.k8s.io resourceslices
[36..] R resource.k8s.io deviceclasses
[36..] !
[37..] patch,update resource.k8s.io devicetaintrules/status
[37..] R resource.k8s.io devicetaintrules
system:controller:disruption-controller
 R apps,extensions deployments
 R apps,extensions replicasets
 R - replicationcontrollers
 R policy poddisruptionbudgets
 R apps statefulsets
 update policy poddisruptionbudgets/status
 patch,update - pods/status
 get * */scale
 !
system:controller:endpoint-controller
 R - pods,services
 create,delete,get,list,update,watch - endpoints
 create - endpoints/restricted
 !
system:controller:endpointslice-controller
 R - nodes,pods,services
 update - services/finalizers
 create,delete,get,list,update,watch discovery.k8s.io endpointslices
 !
system:controller:endpointslicemirroring-controller
 R - endpoints,services
 update - services/finalizers
 update - endpoints/finalizers
 create,delete,get,list,update,watch discovery.k8s.io endpointslices
 !
system:controller:ephemeral-volume-controller
 R - pods
 update - pods/finalizers
 create,get,list,watch - persistentvolumeclaims
 !
system:controller:expand-controller
 get,list,patch,update,watch - persistentvolumes
 patch,update - persistentvolumeclaims/status
 R - persistentvolumeclaims
 !
[..35] get - services
system:controller:generic-garbage-collector
 delete,get,list,patch,update,watch * *
 !
system:controller:horizontal-pod-autoscaler
 R autoscaling horizontalpodautoscalers
 update autoscaling horizontalpodautoscalers/status
 get,update * */scale
 list,watch - pods
 list,watch metrics.k8s.io pods
 R custom.metrics.k8s.io *
 R external.metrics.k8s.io *
 !
system:controller:job-controller
 get,list,patch,update,watch batch jobs
 update batch jobs/status
 update batch jobs/finalizers
 create,delete,list,patch,watch - pods
 !
[37..]system:controller:kube-apiserver-serving-clustertrustbundle-publisher
[37..] attest certificates.k8s.io signers kubernetes.io/kube-apiserver-serving
[37..] create,delete,list,update,watch certificates.k8s.io clustertrustbundles
[37..] !
system:controller:legacy-service-account-token-cleaner
 get - configmaps kube-apiserver-legacy-service-account-token-tracking
 delete,patch - secrets
system:controller:namespace-controller
 delete,get,list,watch - namespaces
 update - namespaces/finalize,namespaces/status
 delete,deletecollection,get,list,watch * *
system:controller:node-controller
 delete,get,list,patch,update,watch - nodes
 patch,update - nodes/status
 patch,update - pods/status
 delete,get,list,watch - pods
[37..] R coordination.k8s.io leases
 !
system:controller:persistent-volume-binder
 create,delete,get,list,update,watch - persistentvolumes
 update - persistentvolumes/status
 get,list,update,watch - persistentvolumeclaims
 update - persistentvolumeclaims/status
 create,delete,get,list,watch - pods
 R storage.k8s.io storageclasses
 list,watch - nodes
 !
 watch - events
[..35] get - services
system:controller:pod-garbage-collector
 delete,list,watch - pods
 R - nodes
 patch - pods/status
[37..]system:controller:podcertificaterequestcleaner
[37..] delete,get,list,watch certificates.k8s.io podcertificaterequests
system:controller:pv-protection-controller
 get,list,update,watch - persistentvolumes
 !
system:controller:pvc-protection-controller
 get,list,update,watch - persistentvolumeclaims
[36..] update - persistentvolumeclaims/status
 R - pods
 !
system:controller:replicaset-controller
 get,list,update,watch apps,extensions replicasets
 update apps,extensions replicasets/status
 update apps,extensions replicasets/finalizers
 create,delete,list,patch,watch - pods
 !
system:controller:replication-controller
 get,list,update,watch - replicationcontrollers
 update - replicationcontrollers/status
 update - replicationcontrollers/finalizers
 create,delete,list,patch,watch - pods
 !
system:controller:resource-claim-controller
 R - pods
 update - pods/finalizers
 create,delete,get,list,watch resource.k8s.io resourceclaims
 patch,update resource.k8s.io resourceclaims,resourceclaims/status
 patch,update - pods/status
 !
[36..] patch,update resource.k8s.io resourceclaims/binding
system:controller:resourcequota-controller
 list,watch * *
 update - resourcequotas/status
 !
system:controller:root-ca-cert-publisher
 create,update - configmaps
 !
system:controller:route-controller
 list,watch - nodes
 patch - nodes/status
 !
system:controller:selinux-warning-controller
 !
 R - persistentvolumes
 R - persistentvolumeclaims
 R - pods
 R storage.k8s.io csidrivers
system:controller:service-account-controller
 create - serviceaccounts
 !
system:controller:service-cidrs-controller
 get,list,patch,update,watch networking.k8s.io servicecidrs
 patch,update networking.k8s.io servicecidrs/finalizers
 patch,update networking.k8s.io servicecidrs/status
 R networking.k8s.io ipaddresses
 !
system:controller:service-controller
 R - services
 patch,update - services/status
 list,watch - nodes
 !
system:controller:statefulset-controller
 list,watch - pods
 R apps statefulsets
 update apps statefulsets/status
 update apps statefulsets/finalizers
 create,delete,get,patch,update - pods
 create,delete,get,list,patch,update,watch apps controllerrevisions
 create,get,list,watch - persistentvolumeclaims
 delete,update - persistentvolumeclaims
 update - pods/finalizers
 !
[37..]system:controller:storage-version-migrator-controller
[37..] list,patch * *
[37..] get apiextensions.k8s.io customresourcedefinitions
[37..] patch apiextensions.k8s.io customresourcedefinitions/status
[37..] update storagemigration.k8s.io storageversionmigrations/status
system:controller:ttl-after-finished-controller
 delete,get,list,watch batch jobs
 !
system:controller:ttl-controller
 list,patch,update,watch - nodes
 !
system:controller:validatingadmissionpolicy-status-controller
 R admissionregistration.k8s.io validatingadmissionpolicies
 get,patch,update admissionregistration.k8s.io validatingadmissionpolicies/status
 !
system:controller:volumeattributesclass-protection-controller
 R - persistentvolumeclaims
 R - persistentvolumes
 get,list,update,watch storage.k8s.io volumeattributesclasses
 !
system:discovery
 get /api,/api/*,/apis,/apis/*,/healthz,/livez,/openapi,/openapi/*,/readyz,/version,/version/
system:heapster
 R - events,namespaces,nodes,pods
 R extensions deployments
system:kube-aggregator
 R - endpoints,services
system:kube-controller-manager
 !
 create coordination.k8s.io leases
 get,update coordination.k8s.io leases kube-controller-manager
 create - secrets,serviceaccounts
 delete - secrets
 get - configmaps,namespaces,secrets,serviceaccounts
 update - secrets,serviceaccounts
 create authentication.k8s.io tokenreviews
 create authorization.k8s.io subjectaccessreviews
 list,watch * *
 create - serviceaccounts/token
system:kube-dns
 list,watch - endpoints,services
system:kube-scheduler
 !
 create coordination.k8s.io leases
 get,list,update,watch coordination.k8s.io leases kube-scheduler
 create,delete,deletecollection,get,list,patch,update,watch coordination.k8s.io leasecandidates
 R - nodes
 delete,get,list,watch - pods
 create - bindings,pods/binding
 patch,update - pods/status
 R - replicationcontrollers,services
 R apps,extensions replicasets
 R apps statefulsets
 R policy poddisruptionbudgets
 R - persistentvolumeclaims,persistentvolumes
 create authentication.k8s.io tokenreviews
 create authorization.k8s.io subjectaccessreviews
 R storage.k8s.io csinodes
 R storage.k8s.io volumeattachments
 R - namespaces
 R storage.k8s.io csidrivers
 R storage.k8s.io csistoragecapacities
 R resource.k8s.io deviceclasses
 get,list,patch,update,watch resource.k8s.io resourceclaims
 get,list,patch,update,watch resource.k8s.io resourceclaims/status
 update - pods/finalizers
 R resource.k8s.io resourceslices
[36..] create,delete resource.k8s.io resourceclaims
[37..] R resource.k8s.io devicetaintrules
[36..] patch,update resource.k8s.io resourceclaims/binding
system:kubelet-api-admin
 R - nodes
 proxy - nodes
 * - nodes/log,nodes/metrics,nodes/proxy,nodes/stats
 * - nodes/configz,nodes/healthz,nodes/pods
system:monitoring
[36..] get /flagz,/healthz,/healthz/*,/livez,/livez/*,/metrics,/metrics/slis,/readyz,/readyz/*,/statusz
[..35] get /healthz,/healthz/*,/livez,/livez/*,/metrics,/metrics/slis,/readyz,/readyz/*
 get - nodes/metrics
system:node
 create authentication.k8s.io tokenreviews
 create authorization.k8s.io localsubjectaccessreviews,subjectaccessreviews
 R - services
 create,get,list,watch - nodes
 patch,update - nodes/status
 patch,update - nodes
 !
 R - pods
 create,delete - pods
 patch,update - pods/status
 create - pods/eviction
 R - configmaps,secrets
 get - persistentvolumeclaims,persistentvolumes
 get - endpoints
 create,get,list,watch certificates.k8s.io certificatesigningrequests
 create,delete,get,patch,update coordination.k8s.io leases
 get storage.k8s.io volumeattachments
 create - serviceaccounts/token
 get,patch,update - persistentvolumeclaims/status
 R storage.k8s.io csidrivers
 create,delete,get,patch,update storage.k8s.io csinodes
 R node.k8s.io runtimeclasses
 get resource.k8s.io resourceclaims
 deletecollection resource.k8s.io resourceslices
[37..] R certificates.k8s.io clustertrustbundles
 get - serviceaccounts
[37..] create,get,list,watch certificates.k8s.io podcertificaterequests
system:node-bootstrapper
 create,get,list,watch certificates.k8s.io certificatesigningrequests
system:node-problem-detector
 get - nodes
 patch - nodes/status
 !
system:node-proxier
 list,watch - endpoints,services
 R - nodes
 !
 list,watch networking.k8s.io servicecidrs
 list,watch discovery.k8s.io endpointslices
system:persistent-volume-provisioner
 create,delete,get,list,watch - persistentvolumes
 get,list,update,watch - persistentvolumeclaims
 R storage.k8s.io storageclasses
 watch - events
 !
system:public-info-viewer
 get /healthz,/livez,/readyz,/version,/version/
system:service-account-issuer-discovery
 get /.well-known/openid-configuration,/.well-known/openid-configuration/,/openid/v1/jwks,/openid/v1/jwks/
system:volume-scheduler
 get,list,patch,update,watch - persistentvolumes
 R storage.k8s.io storageclasses
 get,list,patch,update,watch - persistentvolumeclaims
view >edit <view`,
  /** Roles, `namespace/name`. */
  roles: `
kube-public/system:controller:bootstrap-signer
 R - configmaps
 update - configmaps cluster-info
 !
kube-system/extension-apiserver-authentication-reader
 R - configmaps extension-apiserver-authentication
kube-system/system::leader-locking-kube-controller-manager
 create,get,list,update,watch coordination.k8s.io leases
 create,get,list,update,watch coordination.k8s.io leasecandidates
kube-system/system::leader-locking-kube-scheduler
 create,get,list,update,watch coordination.k8s.io leases
 create,get,list,update,watch coordination.k8s.io leasecandidates
kube-system/system:controller:bootstrap-signer
 R - secrets
kube-system/system:controller:cloud-provider
 create,get,list,watch - configmaps
kube-system/system:controller:token-cleaner
 delete,get,list,watch - secrets
 !`,
  /** Cluster role bindings. */
  clusterrolebindings: `
cluster-admin system:masters
system:basic-user system:authenticated
[37..]system:cluster-trust-bundle-discovery system:serviceaccounts
attachdetach-controller *
certificate-controller *
clusterrole-aggregation-controller *
cronjob-controller *
daemon-set-controller *
deployment-controller *
[36..]device-taint-eviction-controller *
disruption-controller *
endpoint-controller *
endpointslice-controller *
endpointslicemirroring-controller *
ephemeral-volume-controller *
expand-controller *
generic-garbage-collector *
horizontal-pod-autoscaler *
job-controller *
[37..]kube-apiserver-serving-clustertrustbundle-publisher *
legacy-service-account-token-cleaner *
namespace-controller *
node-controller *
persistent-volume-binder *
pod-garbage-collector *
[37..]podcertificaterequestcleaner *
pv-protection-controller *
pvc-protection-controller *
replicaset-controller *
replication-controller *
resource-claim-controller *
resourcequota-controller *
root-ca-cert-publisher *
route-controller *
selinux-warning-controller *
service-account-controller *
service-cidrs-controller *
service-controller *
statefulset-controller *
[37..]storage-version-migrator-controller *
ttl-after-finished-controller *
ttl-controller *
validatingadmissionpolicy-status-controller *
volumeattributesclass-protection-controller *
system:discovery system:authenticated
system:kube-controller-manager @system:kube-controller-manager
system:kube-dns kube-system/kube-dns
system:kube-scheduler @system:kube-scheduler
system:monitoring system:monitoring
system:node
system:node-proxier @system:kube-proxy
system:public-info-viewer system:authenticated system:unauthenticated
system:service-account-issuer-discovery system:serviceaccounts
system:volume-scheduler @system:kube-scheduler`,
  /** Role bindings, `namespace/name`. */
  rolebindings: `
kube-public/system:controller:bootstrap-signer kube-system/bootstrap-signer
kube-system/system::extension-apiserver-authentication-reader=extension-apiserver-authentication-reader @system:kube-controller-manager @system:kube-scheduler
kube-system/system::leader-locking-kube-controller-manager @system:kube-controller-manager kube-system/kube-controller-manager kube-system/leader-election-controller
kube-system/system::leader-locking-kube-scheduler @system:kube-scheduler kube-system/kube-scheduler
kube-system/system:controller:bootstrap-signer kube-system/bootstrap-signer
kube-system/system:controller:cloud-provider kube-system/cloud-provider
kube-system/system:controller:token-cleaner kube-system/token-cleaner`,
} as const;
