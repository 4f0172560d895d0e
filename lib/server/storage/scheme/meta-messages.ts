/**
 * The messages that all API groups share, in the notation of `MessageTable`. The last four are values that JSON writes as one.
 * @see apimachinery pkg/apis/meta/v1/types.go @ eed236c
 */
export const META_MESSAGES: string = `
DeleteOptions: gracePeriodSeconds=1?:int64 preconditions=2?:Preconditions orphanDependents=3?:bool
  propagationPolicy=4? dryRun=5:string[] ignoreStoreReadErrorWithClusterBreakingPotential=6?:bool
Status: metadata=1!:ListMeta status=2 message=3 reason=4 details=5?:StatusDetails code=6:int32
Preconditions: uid=1? resourceVersion=2?
ListMeta: selfLink=1 resourceVersion=2 continue=3 remainingItemCount=4?:int64 shardInfo=5?:ShardInfo
StatusDetails: name=1 group=2 kind=3 uid=6 causes=4:StatusCause[] retryAfterSeconds=5:int32
ObjectMeta: name=1 generateName=2 namespace=3 selfLink=4 uid=5 resourceVersion=6 generation=7:int64
  creationTimestamp=8:Time deletionTimestamp=9?:Time deletionGracePeriodSeconds=10?:int64 labels=11:string{}
  annotations=12:string{} ownerReferences=13:OwnerReference[] finalizers=14:string[]
  managedFields=17:ManagedFieldsEntry[]
ShardInfo: selector=1!
StatusCause: reason=1 message=2 field=3
OwnerReference: apiVersion=5! kind=1! name=3! uid=4! controller=6?:bool blockOwnerDeletion=7?:bool
ManagedFieldsEntry: manager=1 operation=2 apiVersion=3 time=4?:Time fieldsType=6 fieldsV1=7?:RawJson subresource=8
Condition: type=1! status=2! observedGeneration=3:int64 lastTransitionTime=4!:Time reason=5! message=6!
LabelSelector: matchLabels=1:string{} matchExpressions=2:LabelSelectorRequirement[]
LabelSelectorRequirement: key=1! operator=2! values=3:string[]
Timestamp: seconds=1?:int64 nanos=2?:int32
QuantityText: string=1
IntOrStringParts: type=1:int64 intVal=2:int32 strVal=3
RawBytes: raw=1:raw
`;
