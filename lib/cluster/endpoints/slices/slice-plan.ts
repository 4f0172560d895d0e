import { sameContent } from '../../../meta/content/same-content.ts';
import type { Stored } from '../../../meta/stored.ts';
import type { Node, Pod, Service } from '../../../types/built-in/core-v1-kinds.ts';
import type {
  Endpoint,
  EndpointPort,
  EndpointSlice,
} from '../../../types/built-in/discovery-v1-kinds.ts';
import { hasNamedTargets, isEndpoint } from '../endpoint-pods.ts';
import { LAST_CHANGE } from '../endpoints-object.ts';
import { hintRuleOf, lacksHints, withHints } from './slice-hints.ts';
import {
  addressTypesOf,
  emptySlice,
  endpointKey,
  endpointOf,
  isSliceOf,
  portsKey,
  sliceLabels,
  slicePortsOf,
  type AddressType,
} from './slice-object.ts';
import { packedSlices } from './slice-packing.ts';
import type { SliceWrites } from './slice-writes.ts';

export interface SlicePlan extends SliceWrites {
  /** Pods that are left out because their node is not there. */
  readonly homeless: readonly Pod[];
}

export interface SlicePlanRequest {
  readonly service: Stored<Service>;
  readonly pods: readonly Pod[];
  readonly nodeOf: (pod: Pod) => Node | undefined;
  /** The slices of the service that the controller manages. */
  readonly present: readonly Stored<EndpointSlice>[];
  readonly lastChange: string | undefined;
}

interface EndpointGroup {
  readonly ports: EndpointPort[];
  readonly endpoints: Map<string, Endpoint>;
}

interface TypePlan {
  readonly create: EndpointSlice[];
  readonly update: EndpointSlice[];
  readonly remove: Stored<EndpointSlice>[];
}

/**
 * The writes that bring the slices of a service to its pods.
 * @see endpointslice reconciler.go Reconcile @ v0.37.2
 */
export function plannedSlices(request: SlicePlanRequest): SlicePlan {
  const { service, present, lastChange } = request;
  const types = addressTypesOf(service);
  const homeless = new Set<Pod>();
  const plans = types.map((type) => planOf(type, request, homeless));
  const unsupported = present.filter(
    ({ addressType }) => !types.some((one) => one === addressType),
  );
  const dated = (slice: EndpointSlice): EndpointSlice => withLastChange(slice, lastChange);
  return {
    // Nothing is made for a service that is going: the garbage collector is about to delete its slices.
    create: isGoing(service) ? [] : plans.flatMap(({ create }) => create.map(dated)),
    update: plans.flatMap(({ update }) => update.map(dated)),
    remove: [...plans.flatMap(({ remove }) => remove), ...unsupported],
    homeless: [...homeless],
  };
}

function isGoing({ metadata }: Service): boolean {
  return metadata?.deletionTimestamp !== undefined;
}

function planOf(addressType: AddressType, request: SlicePlanRequest, homeless: Set<Pod>): TypePlan {
  const { service } = request;
  const present = request.present.filter((slice) => slice.addressType === addressType);
  const foreign = present.filter((slice) => !isSliceOf(slice, service));
  const own = byPorts(present.filter((slice) => isSliceOf(slice, service)));
  const groups = endpointGroups(addressType, request, homeless);
  const create: EndpointSlice[] = [];
  const update = new Map<Stored<EndpointSlice>, EndpointSlice>();
  const remove: Stored<EndpointSlice>[] = [...foreign];
  for (const [key, { ports, endpoints }] of groups) {
    const changes = packedSlices({
      present: own.get(key) ?? [],
      desired: endpoints,
      make: () => emptySlice(service, addressType, ports),
      labels: sliceLabels(service),
    });
    create.push(...changes.create);
    for (const [slice, changed] of changes.update) update.set(slice, changed);
    remove.push(...changes.remove);
  }
  for (const [key, slices] of own) if (!groups.has(key)) remove.push(...slices);
  if (remove.length === present.length && create.length === 0) {
    keepOne(emptySlice(service, addressType, []), create, remove);
  }
  const hinted = withAllHints(service, present, { create, update, remove });
  return reused(service, hinted);
}

function byPorts(
  slices: readonly Stored<EndpointSlice>[],
): ReadonlyMap<string, Stored<EndpointSlice>[]> {
  const groups = new Map<string, Stored<EndpointSlice>[]>();
  for (const slice of slices) {
    const key = portsKey(slice.ports);
    groups.set(key, [...(groups.get(key) ?? []), slice]);
  }
  return groups;
}

/** The endpoints of the pods, by their ports. */
function endpointGroups(
  addressType: AddressType,
  { service, pods, nodeOf }: SlicePlanRequest,
  homeless: Set<Pod>,
): Map<string, EndpointGroup> {
  const groups = new Map<string, EndpointGroup>();
  const isCommon = !hasNamedTargets(service);
  let [ports, key] = [[] as EndpointPort[], ''];
  for (const pod of pods) {
    if (!isEndpoint(pod, true)) continue;
    if (groups.size === 0 || !isCommon) {
      ports = slicePortsOf(service, pod);
      key = portsKey(ports);
    }
    const group = groups.get(key) ?? { ports, endpoints: new Map<string, Endpoint>() };
    groups.set(key, group);
    const node = nodeOf(pod);
    if (node === undefined && service.spec?.publishNotReadyAddresses !== true) {
      homeless.add(pod);
      continue;
    }
    const endpoint = endpointOf(pod, node, service, addressType);
    if (endpoint.addresses.length > 0) group.endpoints.set(endpointKey(endpoint), endpoint);
  }
  return groups;
}

/** A service without endpoints has one slice, which stays as it is. */
function keepOne(
  placeholder: EndpointSlice,
  create: EndpointSlice[],
  remove: Stored<EndpointSlice>[],
): void {
  const [only] = remove;
  const seen = ({ metadata, endpoints, ports }: EndpointSlice): object => {
    return { labels: metadata?.labels, endpoints, ports };
  };
  if (only !== undefined && remove.length === 1 && sameContent(seen(only), seen(placeholder))) {
    remove.pop();
  } else create.push(placeholder);
}

interface ChangesOfType {
  readonly create: readonly EndpointSlice[];
  readonly update: Map<Stored<EndpointSlice>, EndpointSlice>;
  readonly remove: Stored<EndpointSlice>[];
}

/** Also slices that do not change otherwise are written when their hints should be others. */
function withAllHints(
  service: Service,
  present: readonly Stored<EndpointSlice>[],
  { create, update, remove }: ChangesOfType,
): TypePlan {
  const rule = hintRuleOf(service);
  for (const slice of present) {
    if (update.has(slice) || remove.includes(slice)) continue;
    if (lacksHints(slice.endpoints ?? [], rule)) update.set(slice, slice);
  }
  const hinted = (slice: EndpointSlice): EndpointSlice => ({
    ...slice,
    endpoints: (slice.endpoints ?? []).map((endpoint) => withHints(endpoint, rule)),
  });
  return { create: create.map(hinted), update: [...update.values()].map(hinted), remove };
}

/** A slice to create takes the place of one to delete, so that one write is enough. */
function reused(service: Stored<Service>, { create, update, remove }: TypePlan): TypePlan {
  const left: Stored<EndpointSlice>[] = [];
  for (const slice of remove) {
    // The address type of a slice is fixed, and one of an older service of the name is being collected.
    const made = isSliceOf(slice, service) ? create.pop() : undefined;
    if (made === undefined) left.push(slice);
    else {
      const metadata = { ...slice.metadata, ...made.metadata, annotations: {} };
      update.push({ ...slice, ...made, metadata });
    }
  }
  return { create, update, remove: left };
}

function withLastChange(slice: EndpointSlice, lastChange: string | undefined): EndpointSlice {
  const { [LAST_CHANGE]: _, ...others } = slice.metadata?.annotations ?? {};
  const time = lastChange === undefined ? {} : { [LAST_CHANGE]: lastChange };
  return { ...slice, metadata: { ...slice.metadata, annotations: { ...others, ...time } } };
}
