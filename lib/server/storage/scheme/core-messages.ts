/**
 * The messages of the core group, in the notation of `MessageTable`.
 * @see api core/v1/types.go @ 10b39a3
 */
export const CORE_MESSAGES: string = `
Namespace: metadata=1!:ObjectMeta spec=2!:NamespaceSpec status=3!:NamespaceStatus
ConfigMap: metadata=1!:ObjectMeta immutable=4?:bool data=2:string{} binaryData=3:bytes{}
Secret: metadata=1!:ObjectMeta immutable=5?:bool data=2:bytes{} stringData=4:string{} type=3
ServiceAccount: metadata=1!:ObjectMeta secrets=2:ObjectReference[] imagePullSecrets=3:LocalObjectReference[]
  automountServiceAccountToken=4?:bool
Service: metadata=1!:ObjectMeta spec=2!:ServiceSpec status=3!:ServiceStatus
Node: metadata=1!:ObjectMeta spec=2!:NodeSpec status=3!:NodeStatus
Event: metadata=1!:ObjectMeta involvedObject=2!:ObjectReference reason=3 message=4 source=5!:EventSource
  firstTimestamp=6!:Time lastTimestamp=7!:Time count=8:int32 type=9 eventTime=10!:MicroTime series=11?:EventSeries
  action=12 related=13?:ObjectReference reportingComponent=14! reportingInstance=15!
Pod: metadata=1!:ObjectMeta spec=2!:PodSpec status=3!:PodStatus
PodTemplate: metadata=1!:ObjectMeta template=2!:PodTemplateSpec
ReplicationController: metadata=1!:ObjectMeta spec=2!:ReplicationControllerSpec
  status=3!:ReplicationControllerStatus
Endpoints: metadata=1!:ObjectMeta subsets=2:EndpointSubset[]
PersistentVolumeClaim: metadata=1!:ObjectMeta spec=2!:PersistentVolumeClaimSpec
  status=3!:PersistentVolumeClaimStatus
PersistentVolume: metadata=1!:ObjectMeta spec=2!:PersistentVolumeSpec status=3!:PersistentVolumeStatus
LimitRange: metadata=1!:ObjectMeta spec=2!:LimitRangeSpec
ResourceQuota: metadata=1!:ObjectMeta spec=2!:ResourceQuotaSpec status=3!:ResourceQuotaStatus
Binding: metadata=1!:ObjectMeta target=2!:ObjectReference
NamespaceSpec: finalizers=1:string[]
NamespaceStatus: phase=1 conditions=2:NamespaceCondition[]
ObjectReference: kind=1 namespace=2 name=3 uid=4 apiVersion=5 resourceVersion=6 fieldPath=7
LocalObjectReference: name=1
ServiceSpec: ports=1:ServicePort[] selector=2:string{} clusterIP=3 clusterIPs=18:string[] type=4
  externalIPs=5:string[] sessionAffinity=7 loadBalancerIP=8 loadBalancerSourceRanges=9:string[] externalName=10
  externalTrafficPolicy=11 healthCheckNodePort=12:int32 publishNotReadyAddresses=13:bool
  sessionAffinityConfig=14?:SessionAffinityConfig ipFamilies=19:string[] ipFamilyPolicy=17?
  allocateLoadBalancerNodePorts=20?:bool loadBalancerClass=21? internalTrafficPolicy=22? trafficDistribution=23?
ServiceStatus: loadBalancer=1!:LoadBalancerStatus conditions=2:Condition[]
NodeSpec: podCIDR=1 podCIDRs=7:string[] providerID=3 unschedulable=4:bool taints=5:Taint[]
  configSource=6?:NodeConfigSource externalID=2 podPreemptionPolicy=8?:NodePodPreemptionPolicy
NodeStatus: capacity=1:Quantity{} allocatable=2:Quantity{} phase=3 conditions=4:NodeCondition[]
  addresses=5:NodeAddress[] daemonEndpoints=6!:NodeDaemonEndpoints nodeInfo=7!:NodeSystemInfo
  images=8:ContainerImage[] volumesInUse=9:string[] volumesAttached=10:AttachedVolume[] config=11?:NodeConfigStatus
  runtimeHandlers=12:NodeRuntimeHandler[] features=13?:NodeFeatures declaredFeatures=14:string[]
EventSource: component=1 host=2
EventSeries: count=1:int32 lastObservedTime=2!:MicroTime
PodSpec: volumes=1:Volume[] initContainers=20:Container[] containers=2!:Container[]
  ephemeralContainers=34:EphemeralContainer[] restartPolicy=3 terminationGracePeriodSeconds=4?:int64
  activeDeadlineSeconds=5?:int64 dnsPolicy=6 nodeSelector=7:string{} serviceAccountName=8 serviceAccount=9
  automountServiceAccountToken=21?:bool nodeName=10 hostNetwork=11:bool hostPID=12:bool hostIPC=13:bool
  shareProcessNamespace=27?:bool securityContext=14?:PodSecurityContext imagePullSecrets=15:LocalObjectReference[]
  hostname=16 subdomain=17 affinity=18?:Affinity schedulerName=19 tolerations=22:Toleration[]
  hostAliases=23:HostAlias[] priorityClassName=24 priority=25?:int32 dnsConfig=26?:PodDNSConfig
  readinessGates=28:PodReadinessGate[] runtimeClassName=29? enableServiceLinks=30?:bool preemptionPolicy=31?
  overhead=32:Quantity{} topologySpreadConstraints=33:TopologySpreadConstraint[] setHostnameAsFQDN=35?:bool
  os=36?:PodOS hostUsers=37?:bool schedulingGates=38:PodSchedulingGate[] resourceClaims=39:PodResourceClaim[]
  resources=40?:ResourceRequirements hostnameOverride=41? schedulingGroup=43?:PodSchedulingGroup
  evictionResponders=44:EvictionResponder[]
PodStatus: observedGeneration=17:int64 phase=1 conditions=2:PodCondition[] message=3 reason=4 nominatedNodeName=11
  hostIP=5 hostIPs=16:HostIP[] podIP=6 podIPs=12:PodIP[] startTime=7?:Time
  initContainerStatuses=10:ContainerStatus[] containerStatuses=8:ContainerStatus[] qosClass=9
  ephemeralContainerStatuses=13:ContainerStatus[] resize=14 resourceClaimStatuses=15:PodResourceClaimStatus[]
  extendedResourceClaimStatus=18?:PodExtendedResourceClaimStatus allocatedResources=19:Quantity{}
  resources=20?:ResourceRequirements nodeAllocatableResourceClaimStatuses=21:NodeAllocatableResourceClaimStatus[]
  volumeHealth=22:PodVolumeHealth[]
PodTemplateSpec: metadata=1!:ObjectMeta spec=2!:PodSpec
ReplicationControllerSpec: replicas=1?:int32 minReadySeconds=4:int32 selector=2:string{} template=3?:PodTemplateSpec
ReplicationControllerStatus: replicas=1!:int32 fullyLabeledReplicas=2:int32 readyReplicas=4:int32
  availableReplicas=5:int32 observedGeneration=3:int64 conditions=6:ReplicationControllerCondition[]
EndpointSubset: addresses=1:EndpointAddress[] notReadyAddresses=2:EndpointAddress[] ports=3:EndpointPort[]
PersistentVolumeClaimSpec: accessModes=1:string[] selector=4?:LabelSelector resources=2!:VolumeResourceRequirements
  volumeName=3 storageClassName=5? volumeMode=6? dataSource=7?:TypedLocalObjectReference
  dataSourceRef=8?:TypedObjectReference volumeAttributesClassName=9?
PersistentVolumeClaimStatus: phase=1 accessModes=2:string[] capacity=3:Quantity{}
  conditions=4:PersistentVolumeClaimCondition[] allocatedResources=5:Quantity{} allocatedResourceStatuses=7:string{}
  currentVolumeAttributesClassName=8? modifyVolumeStatus=9?:ModifyVolumeStatus healthStatus=10?:VolumeHealthStatus
PersistentVolumeSpec: capacity=1:Quantity{} ...=2:PersistentVolumeSource accessModes=3:string[]
  claimRef=4?:ObjectReference persistentVolumeReclaimPolicy=5 storageClassName=6 mountOptions=7:string[]
  volumeMode=8? nodeAffinity=9?:VolumeNodeAffinity volumeAttributesClassName=10?
PersistentVolumeStatus: phase=1 message=2 reason=3 lastPhaseTransitionTime=4?:Time
LimitRangeSpec: limits=1!:LimitRangeItem[]
ResourceQuotaSpec: hard=1:Quantity{} scopes=2:string[] scopeSelector=3?:ScopeSelector
ResourceQuotaStatus: hard=1:Quantity{} used=2:Quantity{}
TopologySelectorTerm: matchLabelExpressions=1:TopologySelectorLabelRequirement[]
NamespaceCondition: type=1! status=2! lastTransitionTime=4!:Time reason=5 message=6
ServicePort: name=1 protocol=2 appProtocol=6? port=3!:int32 targetPort=4!:IntOrString nodePort=5:int32
SessionAffinityConfig: clientIP=1?:ClientIPConfig
LoadBalancerStatus: ingress=1:LoadBalancerIngress[]
Taint: key=1! value=2 effect=3! timeAdded=4?:Time
NodeConfigSource: configMap=2?:ConfigMapNodeConfigSource
NodePodPreemptionPolicy: disableResizePreemption=1:string[]
NodeCondition: type=1! status=2! lastHeartbeatTime=3!:Time lastTransitionTime=4!:Time reason=5 message=6
NodeAddress: type=1! address=2!
NodeDaemonEndpoints: kubeletEndpoint=1!:DaemonEndpoint
NodeSystemInfo: machineID=1! systemUUID=2! bootID=3! kernelVersion=4! osImage=5! containerRuntimeVersion=6!
  kubeletVersion=7! kubeProxyVersion=8! operatingSystem=9! architecture=10! swap=11?:NodeSwapStatus
ContainerImage: names=1!:string[] sizeBytes=2:int64
AttachedVolume: name=1! devicePath=2!
NodeConfigStatus: assigned=1?:NodeConfigSource active=2?:NodeConfigSource lastKnownGood=3?:NodeConfigSource error=4
NodeRuntimeHandler: name=1! features=2?:NodeRuntimeHandlerFeatures
NodeFeatures: supplementalGroupsPolicy=1?:bool
Volume: name=1! ...=2:VolumeSource
Container: name=1! image=2 command=3:string[] args=4:string[] workingDir=5 ports=6:ContainerPort[]
  envFrom=19:EnvFromSource[] env=7:EnvVar[] resources=8!:ResourceRequirements
  resizePolicy=23:ContainerResizePolicy[] restartPolicy=24? restartPolicyRules=25:ContainerRestartRule[]
  volumeMounts=9:VolumeMount[] volumeDevices=21:VolumeDevice[] livenessProbe=10?:Probe readinessProbe=11?:Probe
  startupProbe=22?:Probe lifecycle=12?:Lifecycle terminationMessagePath=13 terminationMessagePolicy=20
  imagePullPolicy=14 securityContext=15?:SecurityContext stdin=16:bool stdinOnce=17:bool tty=18:bool
EphemeralContainer: ...=1:EphemeralContainerCommon targetContainerName=2
PodSecurityContext: seLinuxOptions=1?:SELinuxOptions windowsOptions=8?:WindowsSecurityContextOptions
  runAsUser=2?:int64 runAsGroup=6?:int64 runAsNonRoot=3?:bool supplementalGroups=4:int64[]
  supplementalGroupsPolicy=12? fsGroup=5?:int64 sysctls=7:Sysctl[] fsGroupChangePolicy=9?
  seccompProfile=10?:SeccompProfile appArmorProfile=11?:AppArmorProfile seLinuxChangePolicy=13?
Affinity: nodeAffinity=1?:NodeAffinity podAffinity=2?:PodAffinity podAntiAffinity=3?:PodAntiAffinity
Toleration: key=1 operator=2 value=3 effect=4 tolerationSeconds=5?:int64
HostAlias: ip=1! hostnames=2:string[]
PodDNSConfig: nameservers=1:string[] searches=2:string[] options=3:PodDNSConfigOption[]
PodReadinessGate: conditionType=1!
TopologySpreadConstraint: maxSkew=1!:int32 topologyKey=2! whenUnsatisfiable=3! labelSelector=4?:LabelSelector
  minDomains=5?:int32 nodeAffinityPolicy=6? nodeTaintsPolicy=7? matchLabelKeys=8:string[]
PodOS: name=1!
PodSchedulingGate: name=1!
PodResourceClaim: name=1! resourceClaimName=3? resourceClaimTemplateName=4?
ResourceRequirements: limits=1:Quantity{} requests=2:Quantity{} claims=3:ResourceClaim[]
PodSchedulingGroup: podGroupName=1?
EvictionResponder: name=1! priority=2!?:int32
PodCondition: type=1! observedGeneration=7:int64 status=2! lastProbeTime=3!:Time lastTransitionTime=4!:Time reason=5
  message=6
HostIP: ip=1!
PodIP: ip=1!
ContainerStatus: name=1! state=2!:ContainerState lastState=3!:ContainerState ready=4!:bool restartCount=5!:int32
  image=6! imageID=7! containerID=8 started=9?:bool allocatedResources=10:Quantity{}
  resources=11?:ResourceRequirements volumeMounts=12:VolumeMountStatus[] user=13?:ContainerUser
  allocatedResourcesStatus=14:ResourceStatus[] stopSignal=15?
PodResourceClaimStatus: name=1! resourceClaimName=2?
PodExtendedResourceClaimStatus: requestMappings=1!:ContainerExtendedResourceRequest[] resourceClaimName=2!
NodeAllocatableResourceClaimStatus: resourceClaimName=1! containers=2:string[] resources=3:Quantity{}
  mapping=4:NodeAllocatableMappedResources[] overhead=5:NodeAllocatableOverheadResources[]
PodVolumeHealth: name=1! healthConditions=2:VolumeHealthCondition[] lastTransitionTime=3!:Time
ReplicationControllerCondition: type=1! status=2! lastTransitionTime=3!:Time reason=4 message=5
EndpointAddress: ip=1! hostname=3 nodeName=4? targetRef=2?:ObjectReference
EndpointPort: name=1 port=2!:int32 protocol=3 appProtocol=4?
VolumeResourceRequirements: limits=1:Quantity{} requests=2:Quantity{}
TypedLocalObjectReference: apiGroup=1!? kind=2! name=3!
TypedObjectReference: apiGroup=1!? kind=2! name=3! namespace=4?
PersistentVolumeClaimCondition: type=1! status=2! lastProbeTime=3!:Time lastTransitionTime=4!:Time reason=5
  message=6
ModifyVolumeStatus: targetVolumeAttributesClassName=1 status=2!
VolumeHealthStatus: healthConditions=1:VolumeHealthCondition[] lastTransitionTime=2!:Time
PersistentVolumeSource: gcePersistentDisk=1?:GCEPersistentDiskVolumeSource
  awsElasticBlockStore=2?:AWSElasticBlockStoreVolumeSource hostPath=3?:HostPathVolumeSource
  glusterfs=4?:GlusterfsPersistentVolumeSource nfs=5?:NFSVolumeSource rbd=6?:RBDPersistentVolumeSource
  iscsi=7?:ISCSIPersistentVolumeSource cinder=8?:CinderPersistentVolumeSource cephfs=9?:CephFSPersistentVolumeSource
  fc=10?:FCVolumeSource flocker=11?:FlockerVolumeSource flexVolume=12?:FlexPersistentVolumeSource
  azureFile=13?:AzureFilePersistentVolumeSource vsphereVolume=14?:VsphereVirtualDiskVolumeSource
  quobyte=15?:QuobyteVolumeSource azureDisk=16?:AzureDiskVolumeSource
  photonPersistentDisk=17?:PhotonPersistentDiskVolumeSource portworxVolume=18?:PortworxVolumeSource
  scaleIO=19?:ScaleIOPersistentVolumeSource local=20?:LocalVolumeSource
  storageos=21?:StorageOSPersistentVolumeSource csi=22?:CSIPersistentVolumeSource
VolumeNodeAffinity: required=1?:NodeSelector
LimitRangeItem: type=1! max=2:Quantity{} min=3:Quantity{} default=4:Quantity{} defaultRequest=5:Quantity{}
  maxLimitRequestRatio=6:Quantity{}
ScopeSelector: matchExpressions=1:ScopedResourceSelectorRequirement[]
TopologySelectorLabelRequirement: key=1! values=2!:string[]
ClientIPConfig: timeoutSeconds=1?:int32
LoadBalancerIngress: ip=1 hostname=2 ipMode=3? ports=4:PortStatus[]
ConfigMapNodeConfigSource: namespace=1! name=2! uid=3 resourceVersion=4 kubeletConfigKey=5!
DaemonEndpoint: Port=1!:int32
NodeSwapStatus: capacity=1?:int64
NodeRuntimeHandlerFeatures: recursiveReadOnlyMounts=1?:bool userNamespaces=2?:bool
VolumeSource: hostPath=1?:HostPathVolumeSource emptyDir=2?:EmptyDirVolumeSource
  gcePersistentDisk=3?:GCEPersistentDiskVolumeSource awsElasticBlockStore=4?:AWSElasticBlockStoreVolumeSource
  gitRepo=5?:GitRepoVolumeSource secret=6?:SecretVolumeSource nfs=7?:NFSVolumeSource iscsi=8?:ISCSIVolumeSource
  glusterfs=9?:GlusterfsVolumeSource persistentVolumeClaim=10?:PersistentVolumeClaimVolumeSource
  rbd=11?:RBDVolumeSource flexVolume=12?:FlexVolumeSource cinder=13?:CinderVolumeSource
  cephfs=14?:CephFSVolumeSource flocker=15?:FlockerVolumeSource downwardAPI=16?:DownwardAPIVolumeSource
  fc=17?:FCVolumeSource azureFile=18?:AzureFileVolumeSource configMap=19?:ConfigMapVolumeSource
  vsphereVolume=20?:VsphereVirtualDiskVolumeSource quobyte=21?:QuobyteVolumeSource
  azureDisk=22?:AzureDiskVolumeSource photonPersistentDisk=23?:PhotonPersistentDiskVolumeSource
  projected=26?:ProjectedVolumeSource portworxVolume=24?:PortworxVolumeSource scaleIO=25?:ScaleIOVolumeSource
  storageos=27?:StorageOSVolumeSource csi=28?:CSIVolumeSource ephemeral=29?:EphemeralVolumeSource
  image=30?:ImageVolumeSource
ContainerPort: name=1 hostPort=2:int32 containerPort=3!:int32 protocol=4 hostIP=5
EnvFromSource: prefix=1 configMapRef=2?:ConfigMapEnvSource secretRef=3?:SecretEnvSource
EnvVar: name=1! value=2 valueFrom=3?:EnvVarSource
ContainerResizePolicy: resourceName=1! restartPolicy=2!
ContainerRestartRule: action=1 exitCodes=2?:ContainerRestartRuleOnExitCodes
VolumeMount: name=1! readOnly=2:bool recursiveReadOnly=7? mountPath=3! subPath=4 mountPropagation=5? subPathExpr=6
  bindMountOptions=8:string[]
VolumeDevice: name=1! devicePath=2!
Probe: ...=1:ProbeHandler initialDelaySeconds=2:int32 timeoutSeconds=3:int32 periodSeconds=4:int32
  successThreshold=5:int32 failureThreshold=6:int32 terminationGracePeriodSeconds=7?:int64
Lifecycle: postStart=1?:LifecycleHandler preStop=2?:LifecycleHandler stopSignal=3?
SecurityContext: capabilities=1?:Capabilities privileged=2?:bool seLinuxOptions=3?:SELinuxOptions
  windowsOptions=10?:WindowsSecurityContextOptions runAsUser=4?:int64 runAsGroup=8?:int64 runAsNonRoot=5?:bool
  readOnlyRootFilesystem=6?:bool allowPrivilegeEscalation=7?:bool procMount=9? seccompProfile=11?:SeccompProfile
  appArmorProfile=12?:AppArmorProfile
EphemeralContainerCommon: name=1! image=2 command=3:string[] args=4:string[] workingDir=5 ports=6:ContainerPort[]
  envFrom=19:EnvFromSource[] env=7:EnvVar[] resources=8!:ResourceRequirements
  resizePolicy=23:ContainerResizePolicy[] restartPolicy=24? restartPolicyRules=25:ContainerRestartRule[]
  volumeMounts=9:VolumeMount[] volumeDevices=21:VolumeDevice[] livenessProbe=10?:Probe readinessProbe=11?:Probe
  startupProbe=22?:Probe lifecycle=12?:Lifecycle terminationMessagePath=13 terminationMessagePolicy=20
  imagePullPolicy=14 securityContext=15?:SecurityContext stdin=16:bool stdinOnce=17:bool tty=18:bool
SELinuxOptions: user=1 role=2 type=3 level=4
WindowsSecurityContextOptions: gmsaCredentialSpecName=1? gmsaCredentialSpec=2? runAsUserName=3? hostProcess=4?:bool
Sysctl: name=1! value=2!
SeccompProfile: type=1! localhostProfile=2?
AppArmorProfile: type=1! localhostProfile=2?
NodeAffinity: requiredDuringSchedulingIgnoredDuringExecution=1?:NodeSelector
  preferredDuringSchedulingIgnoredDuringExecution=2:PreferredSchedulingTerm[]
PodAffinity: requiredDuringSchedulingIgnoredDuringExecution=1:PodAffinityTerm[]
  preferredDuringSchedulingIgnoredDuringExecution=2:WeightedPodAffinityTerm[]
PodAntiAffinity: requiredDuringSchedulingIgnoredDuringExecution=1:PodAffinityTerm[]
  preferredDuringSchedulingIgnoredDuringExecution=2:WeightedPodAffinityTerm[]
PodDNSConfigOption: name=1 value=2?
ResourceClaim: name=1! request=2
ContainerState: waiting=1?:ContainerStateWaiting running=2?:ContainerStateRunning
  terminated=3?:ContainerStateTerminated
VolumeMountStatus: name=1! mountPath=2! readOnly=3:bool recursiveReadOnly=4? volumeStatus=5?:VolumeStatus
ContainerUser: linux=1?:LinuxContainerUser
ResourceStatus: name=1! resources=2:ResourceHealth[]
ContainerExtendedResourceRequest: containerName=1! resourceName=2! requestName=3!
NodeAllocatableMappedResources: name=1! quantity=2!?:Quantity
NodeAllocatableOverheadResources: name=1! perPod=2?:Quantity perContainer=3?:Quantity
VolumeHealthCondition: status=1! reason=2! message=3
GCEPersistentDiskVolumeSource: pdName=1! fsType=2 partition=3:int32 readOnly=4:bool
AWSElasticBlockStoreVolumeSource: volumeID=1! fsType=2 partition=3:int32 readOnly=4:bool
HostPathVolumeSource: path=1! type=2?
GlusterfsPersistentVolumeSource: endpoints=1! path=2! readOnly=3:bool endpointsNamespace=4?
NFSVolumeSource: server=1! path=2! readOnly=3:bool
RBDPersistentVolumeSource: monitors=1!:string[] image=2! fsType=3 pool=4 user=5 keyring=6
  secretRef=7?:SecretReference readOnly=8:bool
ISCSIPersistentVolumeSource: targetPortal=1! iqn=2! lun=3!:int32 iscsiInterface=4 fsType=5 readOnly=6:bool
  portals=7:string[] chapAuthDiscovery=8:bool chapAuthSession=11:bool secretRef=10?:SecretReference
  initiatorName=12?
CinderPersistentVolumeSource: volumeID=1! fsType=2 readOnly=3:bool secretRef=4?:SecretReference
CephFSPersistentVolumeSource: monitors=1!:string[] path=2 user=3 secretFile=4 secretRef=5?:SecretReference
  readOnly=6:bool
FCVolumeSource: targetWWNs=1:string[] lun=2?:int32 fsType=3 readOnly=4:bool wwids=5:string[]
FlockerVolumeSource: datasetName=1 datasetUUID=2
FlexPersistentVolumeSource: driver=1! fsType=2 secretRef=3?:SecretReference readOnly=4:bool options=5:string{}
AzureFilePersistentVolumeSource: secretName=1! shareName=2! readOnly=3:bool secretNamespace=4!?
VsphereVirtualDiskVolumeSource: volumePath=1! fsType=2 storagePolicyName=3 storagePolicyID=4
QuobyteVolumeSource: registry=1! volume=2! readOnly=3:bool user=4 group=5 tenant=6
AzureDiskVolumeSource: diskName=1! diskURI=2! cachingMode=3? fsType=4? readOnly=5?:bool kind=6?
PhotonPersistentDiskVolumeSource: pdID=1! fsType=2
PortworxVolumeSource: volumeID=1! fsType=2 readOnly=3:bool
ScaleIOPersistentVolumeSource: gateway=1! system=2! secretRef=3!?:SecretReference sslEnabled=4:bool
  protectionDomain=5 storagePool=6 storageMode=7 volumeName=8 fsType=9 readOnly=10:bool
LocalVolumeSource: path=1! fsType=2?
StorageOSPersistentVolumeSource: volumeName=1 volumeNamespace=2 fsType=3 readOnly=4:bool
  secretRef=5?:ObjectReference
CSIPersistentVolumeSource: driver=1! volumeHandle=2! readOnly=3:bool fsType=4 volumeAttributes=5:string{}
  controllerPublishSecretRef=6?:SecretReference nodeStageSecretRef=7?:SecretReference
  nodePublishSecretRef=8?:SecretReference controllerExpandSecretRef=9?:SecretReference
  nodeExpandSecretRef=10?:SecretReference
NodeSelector: nodeSelectorTerms=1!:NodeSelectorTerm[]
ScopedResourceSelectorRequirement: scopeName=1! operator=2! values=3:string[]
PortStatus: port=1!:int32 protocol=2! error=3?
EmptyDirVolumeSource: medium=1 sizeLimit=2?:Quantity mode=3?:int32
GitRepoVolumeSource: repository=1! revision=2 directory=3
SecretVolumeSource: secretName=1 items=2:KeyToPath[] defaultMode=3?:int32 optional=4?:bool defaultUser=5?:int64
ISCSIVolumeSource: targetPortal=1! iqn=2! lun=3!:int32 iscsiInterface=4 fsType=5 readOnly=6:bool portals=7:string[]
  chapAuthDiscovery=8:bool chapAuthSession=11:bool secretRef=10?:LocalObjectReference initiatorName=12?
GlusterfsVolumeSource: endpoints=1! path=2! readOnly=3:bool
PersistentVolumeClaimVolumeSource: claimName=1! readOnly=2:bool
RBDVolumeSource: monitors=1!:string[] image=2! fsType=3 pool=4 user=5 keyring=6 secretRef=7?:LocalObjectReference
  readOnly=8:bool
FlexVolumeSource: driver=1! fsType=2 secretRef=3?:LocalObjectReference readOnly=4:bool options=5:string{}
CinderVolumeSource: volumeID=1! fsType=2 readOnly=3:bool secretRef=4?:LocalObjectReference
CephFSVolumeSource: monitors=1!:string[] path=2 user=3 secretFile=4 secretRef=5?:LocalObjectReference
  readOnly=6:bool
DownwardAPIVolumeSource: items=1:DownwardAPIVolumeFile[] defaultMode=2?:int32 defaultUser=3?:int64
AzureFileVolumeSource: secretName=1! shareName=2! readOnly=3:bool
ConfigMapVolumeSource: ...=1:LocalObjectReference items=2:KeyToPath[] defaultMode=3?:int32 optional=4?:bool
  defaultUser=5?:int64
ProjectedVolumeSource: sources=1!:VolumeProjection[] defaultMode=2?:int32 defaultUser=3?:int64
ScaleIOVolumeSource: gateway=1! system=2! secretRef=3!?:LocalObjectReference sslEnabled=4:bool protectionDomain=5
  storagePool=6 storageMode=7 volumeName=8 fsType=9 readOnly=10:bool
StorageOSVolumeSource: volumeName=1 volumeNamespace=2 fsType=3 readOnly=4:bool secretRef=5?:LocalObjectReference
CSIVolumeSource: driver=1! readOnly=2?:bool fsType=3? volumeAttributes=4:string{}
  nodePublishSecretRef=5?:LocalObjectReference
EphemeralVolumeSource: volumeClaimTemplate=1?:PersistentVolumeClaimTemplate
ImageVolumeSource: reference=1 pullPolicy=2
ConfigMapEnvSource: ...=1:LocalObjectReference optional=2?:bool
SecretEnvSource: ...=1:LocalObjectReference optional=2?:bool
EnvVarSource: fieldRef=1?:ObjectFieldSelector resourceFieldRef=2?:ResourceFieldSelector
  configMapKeyRef=3?:ConfigMapKeySelector secretKeyRef=4?:SecretKeySelector fileKeyRef=5?:FileKeySelector
ContainerRestartRuleOnExitCodes: operator=1 values=2:int32[]
ProbeHandler: exec=1?:ExecAction httpGet=2?:HTTPGetAction tcpSocket=3?:TCPSocketAction grpc=4?:GRPCAction
LifecycleHandler: exec=1?:ExecAction httpGet=2?:HTTPGetAction tcpSocket=3?:TCPSocketAction sleep=4?:SleepAction
Capabilities: add=1:string[] drop=2:string[]
PreferredSchedulingTerm: weight=1!:int32 preference=2!:NodeSelectorTerm
PodAffinityTerm: labelSelector=1?:LabelSelector namespaces=2:string[] topologyKey=3!
  namespaceSelector=4?:LabelSelector matchLabelKeys=5:string[] mismatchLabelKeys=6:string[]
WeightedPodAffinityTerm: weight=1!:int32 podAffinityTerm=2!:PodAffinityTerm
ContainerStateWaiting: reason=1 message=2
ContainerStateRunning: startedAt=1!:Time
ContainerStateTerminated: exitCode=1!:int32 signal=2:int32 reason=3 message=4 startedAt=5!:Time finishedAt=6!:Time
  containerID=7
VolumeStatus: image=1?:ImageVolumeStatus
LinuxContainerUser: uid=1!:int64 gid=2!:int64 supplementalGroups=3:int64[]
ResourceHealth: resourceID=1! health=2 message=6?
SecretReference: name=1 namespace=2
NodeSelectorTerm: matchExpressions=1:NodeSelectorRequirement[] matchFields=2:NodeSelectorRequirement[]
KeyToPath: key=1! path=2! mode=3?:int32 user=4?:int64
DownwardAPIVolumeFile: path=1! fieldRef=2?:ObjectFieldSelector resourceFieldRef=3?:ResourceFieldSelector
  mode=4?:int32 user=5?:int64
VolumeProjection: secret=1?:SecretProjection downwardAPI=2?:DownwardAPIProjection configMap=3?:ConfigMapProjection
  serviceAccountToken=4?:ServiceAccountTokenProjection clusterTrustBundle=5?:ClusterTrustBundleProjection
  podCertificate=6?:PodCertificateProjection
PersistentVolumeClaimTemplate: metadata=1!:ObjectMeta spec=2!:PersistentVolumeClaimSpec
ObjectFieldSelector: apiVersion=1 fieldPath=2!
ResourceFieldSelector: containerName=1 resource=2! divisor=3!:Quantity
ConfigMapKeySelector: ...=1:LocalObjectReference key=2! optional=3?:bool
SecretKeySelector: ...=1:LocalObjectReference key=2! optional=3?:bool
FileKeySelector: volumeName=1! path=2! key=3! optional=4?:bool
ExecAction: command=1:string[]
HTTPGetAction: path=1 port=2!:IntOrString host=3 scheme=4 httpHeaders=5:HTTPHeader[] protocol=6?
TCPSocketAction: port=1!:IntOrString host=2
GRPCAction: port=1!:int32 service=2!? mode=3?
SleepAction: seconds=1!:int64
ImageVolumeStatus: imageRef=1
NodeSelectorRequirement: key=1! operator=2! values=3:string[]
SecretProjection: ...=1:LocalObjectReference items=2:KeyToPath[] optional=4?:bool
DownwardAPIProjection: items=1:DownwardAPIVolumeFile[]
ConfigMapProjection: ...=1:LocalObjectReference items=2:KeyToPath[] optional=4?:bool
ServiceAccountTokenProjection: audience=1 expirationSeconds=2?:int64 path=3! user=4?:int64
ClusterTrustBundleProjection: name=1? signerName=2? labelSelector=3?:LabelSelector optional=5?:bool path=4!
  user=6?:int64
PodCertificateProjection: signerName=1 keyType=2 maxExpirationSeconds=3?:int32 credentialBundlePath=4 keyPath=5
  certificateChainPath=6 userAnnotations=7:string{} user=8?:int64
HTTPHeader: name=1! value=2!
`;
