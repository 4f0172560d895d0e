import { sameContent } from '../../../meta/content/same-content.ts';
import type { Stored } from '../../../meta/stored.ts';
import type { Endpoint, EndpointSlice } from '../../../types/built-in/discovery-v1-kinds.ts';
import { endpointKey, isSameEndpoint, ownLabels } from './slice-object.ts';

/** As in kube-controller-manager (--max-endpoints-per-slice). */
export const MOST_ENDPOINTS = 100;

export interface SliceChanges {
  readonly create: readonly EndpointSlice[];
  /** By the present slices that they replace. */
  readonly update: ReadonlyMap<Stored<EndpointSlice>, EndpointSlice>;
  readonly remove: readonly Stored<EndpointSlice>[];
}

export interface PackingRequest {
  /** The slices of one address type and one set of ports. */
  readonly present: readonly Stored<EndpointSlice>[];
  /** By their keys. */
  readonly desired: ReadonlyMap<string, Endpoint>;
  /** Of a slice without endpoints. */
  readonly make: () => EndpointSlice;
  readonly labels: Readonly<Record<string, string>>;
  readonly max?: number | undefined;
}

/**
 * Distributes endpoints over slices with few writes: endpoints stay where they are, those that are new fill the slices that change anyway, the
 * fullest first, then one unchanged slice that they fit in, and then new slices. Slices are not joined.
 * @see endpointslice reconciler.go reconcileByPortMapping @ v0.37.2
 */
export function packedSlices({
  present,
  desired,
  make,
  labels,
  max = MOST_ENDPOINTS,
}: PackingRequest): SliceChanges {
  const left = new Map(desired);
  const changed = new Map<Stored<EndpointSlice>, Endpoint[]>();
  const unchanged: Stored<EndpointSlice>[] = [];
  const remove: Stored<EndpointSlice>[] = [];
  for (const slice of present) {
    const { kept, isChanged } = keptEndpoints(slice, left);
    const hasLabels = sameContent(
      { labels: ownLabels(slice.metadata.labels) },
      { labels: ownLabels(labels) },
    );
    if (isChanged && kept.length === 0) remove.push(slice);
    else if (isChanged || !hasLabels) changed.set(slice, kept);
    else unchanged.push(slice);
  }
  const waiting = [...left.values()];
  const fill = (endpoints: Endpoint[]): Endpoint[] => {
    endpoints.push(...waiting.splice(0, Math.max(0, max - endpoints.length)));
    return endpoints;
  };
  const fullestFirst = [...changed.values()].toSorted((a, b) => b.length - a.length);
  for (const endpoints of fullestFirst) fill(endpoints);
  const create: EndpointSlice[] = [];
  while (waiting.length > 0) {
    const fitting = waiting.length < max ? closest(unchanged, waiting.length, max) : undefined;
    if (fitting === undefined) create.push({ ...make(), endpoints: fill([]) });
    else changed.set(fitting, fill([...(fitting.endpoints ?? [])]));
  }
  const update = [...changed].map(([slice, endpoints]) => {
    const metadata = { ...slice.metadata, labels };
    return [slice, { ...slice, metadata, endpoints }] as const;
  });
  return { create, update: new Map(update), remove };
}

/** Takes the endpoints of a slice out of those that are left to distribute. */
function keptEndpoints(
  { endpoints }: EndpointSlice,
  left: Map<string, Endpoint>,
): { readonly kept: Endpoint[]; readonly isChanged: boolean } {
  const kept: Endpoint[] = [];
  let isChanged = false;
  // A server writes null for an empty list.
  for (const endpoint of endpoints ?? []) {
    const key = endpointKey(endpoint);
    const wanted = left.get(key);
    left.delete(key);
    if (wanted === undefined) {
      isChanged = true;
      continue;
    }
    isChanged ||= !isSameEndpoint(wanted, endpoint);
    kept.push(wanted);
  }
  return { kept, isChanged };
}

/** The slice that is the fullest with so many more endpoints. */
function closest(
  slices: readonly Stored<EndpointSlice>[],
  count: number,
  max: number,
): Stored<EndpointSlice> | undefined {
  let found: Stored<EndpointSlice> | undefined;
  let least = max;
  for (const slice of slices) {
    const room = max - count - (slice.endpoints ?? []).length;
    if (room < 0 || room >= least) continue;
    found = slice;
    least = room;
  }
  return found;
}
