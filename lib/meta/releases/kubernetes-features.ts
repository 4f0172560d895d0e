import { NEWEST_MINOR, type KubernetesMinor } from './kubernetes-releases.ts';

/**
 * The first minor version of what a server did not do before: feature gates that became default, and rules that changed. A rule asks
 * `isSince`, and no rule compares versions itself.
 */
const SINCE = {
  /** The streams of a list are compressed for a client that accepts gzip: the gate WatchListCompression. */
  compressedStreams: 37,
  /** Tokens for webhooks: their requests are checked, and refused while the gate APIServerWebhookAuthenticationToken is off. */
  webhookBoundTokens: 37,
  /** Resource slices can be selected by their pools. */
  slicesByPool: 37,
  /** The causes of declared rules follow those of the other ones. */
  declaredRulesLast: 37,
  /** A cause is named once, however many rules find it. */
  distinctCauses: 37,
  /** `maxUnavailable` of a stateful set: the gate MaxUnavailableStatefulSet. */
  statefulSetMaxUnavailable: 37,
  /** A changed field of a stateful set is named, where the whole spec was. */
  statefulSetFieldsNamed: 37,
  /** An autoscaler may scale to nothing: the gate HPAScaleToZero. */
  scaleToZero: 37,
  /** An update of a job does not look at its generated selector again. */
  jobSelectorAtCreation: 37,
  /** The wrong end of a range of ports is shown, where its begin was. */
  wrongPortEndShown: 37,
  /** `seLinuxChangePolicy: MountOption`: the gate SELinuxMount. */
  seLinuxMount: 37,
  /** A resize that leaves the resources of the pod out keeps them. */
  resizeKeepsPodResources: 37,
  /** The users of running containers have 32 bits, where they had 31. */
  linuxUsersOf32Bits: 37,
  /** A definition with a set of objects or lists is warned of. */
  warnsOfSetsOfObjects: 37,
  /** The table of definitions has columns of its own. */
  definitionColumns: 37,
  /** A list of storage classes marks the one default that is used, where each row marked its own annotation. */
  oneDefaultClass: 37,
  /** No webhook sees the reviews of users and rights: the gate ExcludeAdmissionWebhookVirtualResources. */
  reviewsWithoutWebhooks: 37,
  /** The resources of a whole pod get their defaults at its creation alone: the gate PodLevelResourcesFixDefaulting. */
  podResourcesAtCreation: 37,
  /** An object that cannot be read may be deleted: the gate AllowUnsafeMalformedObjectDeletion. */
  unsafeObjectDeletion: 37,
  /** Templates of pods need the reference of an image volume. */
  templateImageReference: 37,
  /** Messages show and name pods in the form of the API; before, some fields of the spec were in the security context. */
  podsOfOneForm: 37,
  /** Bundles of certificates, and certificates of pods, in projected volumes. */
  certificateProjections: 37,
  /** `preventPodSchedulingIfMissing` of a CSI driver: the gate VolumeLimitScaling. */
  volumeLimitScaling: 37,
  /** A repeated item is shown whole, as JSON, where its key was. */
  repeatedItemsShown: 37,
  /** The longest message of a volume error is named, where the largest metadata was. */
  volumeErrorLimitNamed: 37,
  /** A wrong extended resource name of a device class has a cause for each problem. */
  extendedResourceProblems: 37,
  /** The values that an attribute of a device has too many of are named. */
  attributeValuesNamed: 37,
  /** The parts of a priority level are checked though its type is unknown. */
  levelPartsOfUnknownType: 37,
  /** A refused change of a node's `providerID` says whether it was modified or cleared. */
  providerIdChangesNamed: 37,
  /** A patch that is no JSON is refused before its object is read, and that of an apply is called a patch, where it was YAML. */
  patchesReadFirst: 37,
  /** `services/proxy` finds endpoints in EndpointSlices, where it looked for Endpoints. */
  proxiesToSlices: 37,
  /** Lists and watches of shards, where the gate ShardedListAndWatch is on. */
  shardedLists: 36,
  /** The rule of a container that restarts all of its pod: the gate RestartAllContainersOnContainerExits. */
  restartAllContainers: 36,
} as const;

export type KubernetesFeature = keyof typeof SINCE;

/** @param minor The version of the server; without it the newest one. */
export function isSince(minor: KubernetesMinor | undefined, feature: KubernetesFeature): boolean {
  return (minor ?? NEWEST_MINOR) >= SINCE[feature];
}
