/** The messages of one API group in one version. */
export interface GroupMessages {
  readonly apiVersion: string;
  /** The messages that are objects. */
  readonly kinds: readonly string[];
  /** In the notation of `MessageTable`. */
  readonly messages: string;
}

/**
 * The messages of the other API groups, which clients may send as protobuf.
 * @see api apps/v1/types.go and its neighbours @ 10b39a3
 */
export const GROUP_MESSAGES: readonly GroupMessages[] = [
  {
    apiVersion: 'apps/v1',
    kinds: ['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'ControllerRevision'],
    messages: `
Deployment: metadata=1!:ObjectMeta spec=2!:DeploymentSpec status=3!:DeploymentStatus
ReplicaSet: metadata=1!:ObjectMeta spec=2!:ReplicaSetSpec status=3!:ReplicaSetStatus
StatefulSet: metadata=1!:ObjectMeta spec=2!:StatefulSetSpec status=3!:StatefulSetStatus
DaemonSet: metadata=1!:ObjectMeta spec=2!:DaemonSetSpec status=3!:DaemonSetStatus
ControllerRevision: metadata=1!:ObjectMeta data=2!:RawJson revision=3!:int64
DeploymentSpec: replicas=1?:int32 selector=2!?:LabelSelector template=3!:PodTemplateSpec
  strategy=4!:DeploymentStrategy minReadySeconds=5:int32 revisionHistoryLimit=6?:int32 paused=7:bool
  progressDeadlineSeconds=9?:int32
DeploymentStatus: observedGeneration=1:int64 replicas=2:int32 updatedReplicas=3:int32 readyReplicas=7:int32
  availableReplicas=4:int32 unavailableReplicas=5:int32 terminatingReplicas=9?:int32
  conditions=6:DeploymentCondition[] collisionCount=8?:int32
ReplicaSetSpec: replicas=1?:int32 minReadySeconds=4:int32 selector=2!?:LabelSelector template=3!:PodTemplateSpec
ReplicaSetStatus: replicas=1!:int32 fullyLabeledReplicas=2:int32 readyReplicas=4:int32 availableReplicas=5:int32
  terminatingReplicas=7?:int32 observedGeneration=3:int64 conditions=6:ReplicaSetCondition[]
StatefulSetSpec: replicas=1?:int32 selector=2!?:LabelSelector template=3!:PodTemplateSpec
  volumeClaimTemplates=4:PersistentVolumeClaim[] serviceName=5! podManagementPolicy=6
  updateStrategy=7!:StatefulSetUpdateStrategy revisionHistoryLimit=8?:int32 minReadySeconds=9:int32
  persistentVolumeClaimRetentionPolicy=10?:StatefulSetPersistentVolumeClaimRetentionPolicy
  ordinals=11?:StatefulSetOrdinals
StatefulSetStatus: observedGeneration=1:int64 replicas=2!:int32 readyReplicas=3:int32 currentReplicas=4:int32
  updatedReplicas=5:int32 currentRevision=6 updateRevision=7 collisionCount=9?:int32
  conditions=10:StatefulSetCondition[] availableReplicas=11!:int32
DaemonSetSpec: selector=1!?:LabelSelector template=2!:PodTemplateSpec updateStrategy=3!:DaemonSetUpdateStrategy
  minReadySeconds=4:int32 revisionHistoryLimit=6?:int32
DaemonSetStatus: currentNumberScheduled=1!:int32 numberMisscheduled=2!:int32 desiredNumberScheduled=3!:int32
  numberReady=4!:int32 observedGeneration=5:int64 updatedNumberScheduled=6:int32 numberAvailable=7:int32
  numberUnavailable=8:int32 collisionCount=9?:int32 conditions=10:DaemonSetCondition[]
DeploymentStrategy: type=1 rollingUpdate=2?:RollingUpdateDeployment
DeploymentCondition: type=1! status=2! lastUpdateTime=6!:Time lastTransitionTime=7!:Time reason=4 message=5
ReplicaSetCondition: type=1! status=2! lastTransitionTime=3!:Time reason=4 message=5
StatefulSetUpdateStrategy: type=1 rollingUpdate=2?:RollingUpdateStatefulSetStrategy
StatefulSetPersistentVolumeClaimRetentionPolicy: whenDeleted=1 whenScaled=2
StatefulSetOrdinals: start=1!:int32
StatefulSetCondition: type=1! status=2! lastTransitionTime=3!:Time reason=4 message=5
DaemonSetUpdateStrategy: type=1 rollingUpdate=2?:RollingUpdateDaemonSet
DaemonSetCondition: type=1! status=2! lastTransitionTime=3!:Time reason=4 message=5
RollingUpdateDeployment: maxUnavailable=1?:IntOrString maxSurge=2?:IntOrString
RollingUpdateStatefulSetStrategy: partition=1?:int32 maxUnavailable=2?:IntOrString
RollingUpdateDaemonSet: maxUnavailable=1?:IntOrString maxSurge=2?:IntOrString
`,
  },
  {
    apiVersion: 'batch/v1',
    kinds: ['Job', 'CronJob'],
    messages: `
Job: metadata=1!:ObjectMeta spec=2!:JobSpec status=3!:JobStatus
CronJob: metadata=1!:ObjectMeta spec=2!:CronJobSpec status=3!:CronJobStatus
JobSpec: parallelism=1?:int32 completions=2?:int32 activeDeadlineSeconds=3?:int64
  podFailurePolicy=11?:PodFailurePolicy successPolicy=16?:SuccessPolicy backoffLimit=7?:int32
  backoffLimitPerIndex=12?:int32 maxFailedIndexes=13?:int32 selector=4?:LabelSelector manualSelector=5?:bool
  template=6!:PodTemplateSpec ttlSecondsAfterFinished=8?:int32 completionMode=9? suspend=10?:bool
  podReplacementPolicy=14? managedBy=15?
JobStatus: conditions=1:JobCondition[] startTime=2?:Time completionTime=3?:Time active=4:int32 succeeded=5:int32
  failed=6:int32 terminating=11?:int32 completedIndexes=7 failedIndexes=10?
  uncountedTerminatedPods=8?:UncountedTerminatedPods ready=9?:int32
CronJobSpec: schedule=1! timeZone=8? startingDeadlineSeconds=2?:int64 concurrencyPolicy=3 suspend=4?:bool
  jobTemplate=5!:JobTemplateSpec successfulJobsHistoryLimit=6?:int32 failedJobsHistoryLimit=7?:int32
CronJobStatus: active=1:ObjectReference[] lastScheduleTime=4?:Time lastSuccessfulTime=5?:Time
PodFailurePolicy: rules=1!:PodFailurePolicyRule[]
SuccessPolicy: rules=1!:SuccessPolicyRule[]
JobCondition: type=1! status=2! lastProbeTime=3!:Time lastTransitionTime=4!:Time reason=5 message=6
UncountedTerminatedPods: succeeded=1:string[] failed=2:string[]
JobTemplateSpec: metadata=1!:ObjectMeta spec=2!:JobSpec
PodFailurePolicyRule: action=1! onExitCodes=2?:PodFailurePolicyOnExitCodesRequirement
  onPodConditions=3:PodFailurePolicyOnPodConditionsPattern[]
SuccessPolicyRule: succeededIndexes=1? succeededCount=2?:int32
PodFailurePolicyOnExitCodesRequirement: containerName=1? operator=2! values=3!:int32[]
PodFailurePolicyOnPodConditionsPattern: type=1! status=2!
`,
  },
  {
    apiVersion: 'autoscaling/v1',
    kinds: ['Scale', 'HorizontalPodAutoscaler'],
    messages: `
Scale: metadata=1!:ObjectMeta spec=2!:ScaleSpec status=3!:ScaleStatus
HorizontalPodAutoscaler: metadata=1!:ObjectMeta spec=2!:HorizontalPodAutoscalerSpec
  status=3!:HorizontalPodAutoscalerStatus
ScaleSpec: replicas=1:int32
ScaleStatus: replicas=1!:int32 selector=2
HorizontalPodAutoscalerSpec: scaleTargetRef=1!:CrossVersionObjectReference minReplicas=2?:int32 maxReplicas=3!:int32
  targetCPUUtilizationPercentage=4?:int32
HorizontalPodAutoscalerStatus: observedGeneration=1?:int64 lastScaleTime=2?:Time currentReplicas=3!:int32
  desiredReplicas=4!:int32 currentCPUUtilizationPercentage=5?:int32
CrossVersionObjectReference: kind=1! name=2! apiVersion=3
`,
  },
  {
    apiVersion: 'coordination.k8s.io/v1',
    kinds: ['Lease'],
    messages: `
Lease: metadata=1!:ObjectMeta spec=2!:LeaseSpec
LeaseSpec: holderIdentity=1? leaseDurationSeconds=2?:int32 acquireTime=3?:MicroTime renewTime=4?:MicroTime
  leaseTransitions=5?:int32 strategy=6? preferredHolder=7?
`,
  },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kinds: ['EndpointSlice'],
    messages: `
EndpointSlice: metadata=1!:ObjectMeta addressType=4! endpoints=2!:Endpoint[] ports=3!:EndpointPort[]
Endpoint: addresses=1!:string[] conditions=2!:EndpointConditions hostname=3? targetRef=4?:ObjectReference
  deprecatedTopology=5:string{} nodeName=6? zone=7? hints=8?:EndpointHints
EndpointPort: name=1? protocol=2? port=3?:int32 appProtocol=4?
EndpointConditions: ready=1?:bool serving=2?:bool terminating=3?:bool
EndpointHints: forZones=1:ForZone[] forNodes=2:ForNode[]
ForZone: name=1!
ForNode: name=1!
`,
  },
  {
    apiVersion: 'events.k8s.io/v1',
    kinds: ['Event'],
    messages: `
Event: metadata=1!:ObjectMeta eventTime=2!:MicroTime series=3?:EventSeries reportingController=4 reportingInstance=5
  action=6 reason=7 regarding=8!:ObjectReference related=9?:ObjectReference note=10 type=11
  deprecatedSource=12!:EventSource deprecatedFirstTimestamp=13!:Time deprecatedLastTimestamp=14!:Time
  deprecatedCount=15:int32
EventSeries: count=1!:int32 lastObservedTime=2!:MicroTime
`,
  },
  {
    apiVersion: 'policy/v1',
    kinds: ['PodDisruptionBudget', 'Eviction'],
    messages: `
PodDisruptionBudget: metadata=1!:ObjectMeta spec=2!:PodDisruptionBudgetSpec status=3!:PodDisruptionBudgetStatus
Eviction: metadata=1!:ObjectMeta deleteOptions=2?:DeleteOptions
PodDisruptionBudgetSpec: minAvailable=1?:IntOrString selector=2?:LabelSelector maxUnavailable=3?:IntOrString
  unhealthyPodEvictionPolicy=4?
PodDisruptionBudgetStatus: observedGeneration=1:int64 disruptedPods=2:Time{} disruptionsAllowed=3!:int32
  currentHealthy=4!:int32 desiredHealthy=5!:int32 expectedPods=6!:int32 conditions=7:Condition[]
`,
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kinds: ['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding'],
    messages: `
Role: metadata=1!:ObjectMeta rules=2!:PolicyRule[]
ClusterRole: metadata=1!:ObjectMeta rules=2!:PolicyRule[] aggregationRule=3?:AggregationRule
RoleBinding: metadata=1!:ObjectMeta subjects=2:Subject[] roleRef=3!:RoleRef
ClusterRoleBinding: metadata=1!:ObjectMeta subjects=2:Subject[] roleRef=3!:RoleRef
PolicyRule: verbs=1!:string[] apiGroups=2:string[] resources=3:string[] resourceNames=4:string[]
  nonResourceURLs=5:string[]
AggregationRule: clusterRoleSelectors=1:LabelSelector[]
Subject: kind=1! apiGroup=2 name=3! namespace=4
RoleRef: apiGroup=1! kind=2! name=3!
`,
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kinds: ['Ingress', 'NetworkPolicy', 'IngressClass'],
    messages: `
Ingress: metadata=1!:ObjectMeta spec=2!:IngressSpec status=3!:IngressStatus
NetworkPolicy: metadata=1!:ObjectMeta spec=2!:NetworkPolicySpec
IngressClass: metadata=1!:ObjectMeta spec=2!:IngressClassSpec
IngressSpec: ingressClassName=4? defaultBackend=1?:IngressBackend tls=2:IngressTLS[] rules=3:IngressRule[]
IngressStatus: loadBalancer=1!:IngressLoadBalancerStatus
NetworkPolicySpec: podSelector=1!:LabelSelector ingress=2:NetworkPolicyIngressRule[]
  egress=3:NetworkPolicyEgressRule[] policyTypes=4:string[]
IngressClassSpec: controller=1 parameters=2?:IngressClassParametersReference
IngressBackend: service=4?:IngressServiceBackend resource=3?:TypedLocalObjectReference
IngressTLS: hosts=1:string[] secretName=2
IngressRule: host=1 ...=2:IngressRuleValue
IngressLoadBalancerStatus: ingress=1:IngressLoadBalancerIngress[]
NetworkPolicyIngressRule: ports=1:NetworkPolicyPort[] from=2:NetworkPolicyPeer[]
NetworkPolicyEgressRule: ports=1:NetworkPolicyPort[] to=2:NetworkPolicyPeer[]
IngressClassParametersReference: apiGroup=1? kind=2! name=3! scope=4!? namespace=5?
IngressServiceBackend: name=1! port=2!:ServiceBackendPort
IngressRuleValue: http=1?:HTTPIngressRuleValue
IngressLoadBalancerIngress: ip=1 hostname=2 ports=4:IngressPortStatus[]
NetworkPolicyPort: protocol=1? port=2?:IntOrString endPort=3?:int32
NetworkPolicyPeer: podSelector=1?:LabelSelector namespaceSelector=2?:LabelSelector ipBlock=3?:IPBlock
ServiceBackendPort: name=1 number=2:int32
HTTPIngressRuleValue: paths=1!:HTTPIngressPath[]
IngressPortStatus: port=1!:int32 protocol=2! error=3?
IPBlock: cidr=1! except=2:string[]
HTTPIngressPath: path=1 pathType=3!? backend=2!:IngressBackend
`,
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kinds: ['StorageClass', 'CSIDriver', 'CSINode', 'VolumeAttachment'],
    messages: `
StorageClass: metadata=1!:ObjectMeta provisioner=2! parameters=3:string{} reclaimPolicy=4? mountOptions=5:string[]
  allowVolumeExpansion=6?:bool volumeBindingMode=7? allowedTopologies=8:TopologySelectorTerm[]
CSIDriver: metadata=1!:ObjectMeta spec=2!:CSIDriverSpec
CSINode: metadata=1!:ObjectMeta spec=2!:CSINodeSpec status=3!:CSINodeStatus
VolumeAttachment: metadata=1!:ObjectMeta spec=2!:VolumeAttachmentSpec status=3!:VolumeAttachmentStatus
CSIDriverSpec: attachRequired=1?:bool podInfoOnMount=2?:bool volumeLifecycleModes=3:string[] storageCapacity=4?:bool
  fsGroupPolicy=5? tokenRequests=6:TokenRequest[] requiresRepublish=7?:bool seLinuxMount=8?:bool
  nodeAllocatableUpdatePeriodSeconds=9?:int64 serviceAccountTokenInSecrets=10?:bool
  preventPodSchedulingIfMissing=11?:bool
CSINodeSpec: drivers=1!:CSINodeDriver[]
VolumeAttachmentSpec: attacher=1! source=2!:VolumeAttachmentSource nodeName=3!
VolumeAttachmentStatus: attached=1!:bool attachmentMetadata=2:string{} attachError=3?:VolumeError
  detachError=4?:VolumeError
TokenRequest: audience=1! expirationSeconds=2?:int64
CSINodeDriver: name=1! nodeID=2! topologyKeys=3!:string[] allocatable=4?:VolumeNodeResources
VolumeAttachmentSource: persistentVolumeName=1? inlineVolumeSpec=2?:PersistentVolumeSpec
VolumeError: time=1!:Time message=2 errorCode=3?:int32
VolumeNodeResources: count=1?:int32
CSINodeStatus: storageHealth=1:StorageHealth[]
StorageHealth: name=1! healthConditions=2:StorageHealthCondition[]
StorageHealthCondition: status=1! reason=2! message=3 accessMode=4? volumeMode=5? lastTransitionTime=6!:Time
`,
  },
  {
    apiVersion: 'scheduling.k8s.io/v1',
    kinds: ['PriorityClass'],
    messages: `
PriorityClass: metadata=1!:ObjectMeta value=2!:int32 globalDefault=3:bool description=4 preemptionPolicy=5?
`,
  },
];
