import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { optionsOf, type OptionsSchema } from '../../../kernel/options/options-schema.ts';
import { isNotFound } from '../../../meta/failure/failures.ts';
import { parseQuantity } from '../../../meta/quantity.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { ResourceRequests } from '../request/resource-requests.ts';
import { queryString } from '../request/query.ts';
import { ResourceCollection } from '../request/resource-collection.ts';
import { CALL, SELECTORS, type ListOptions } from '../request/resource-options.ts';

export type TopOptions = Pick<
  ListOptions,
  'namespace' | 'labelSelector' | 'fieldSelector' | 'signal'
>;

export const TOP: OptionsSchema<TopOptions> = optionsOf<TopOptions>()('top', {
  ...CALL,
  ...SELECTORS,
});

/** The use of processors and memory by a pod or a node, as the mean of a window of time. */
export interface ResourceUsage {
  readonly name: string;
  /** Processors, e.g. 0.25. */
  readonly cpu: number;
  /** Bytes. */
  readonly memory: number;
  /** Undefined for a node. */
  readonly namespace: string | undefined;
  /** Of a pod; the sum is that of the pod. */
  readonly containers: readonly Pick<ResourceUsage, 'name' | 'cpu' | 'memory'>[];
  /** The end of the window, RFC 3339. */
  readonly timestamp: string;
  /** E.g. `15s`. */
  readonly window: string;
}

type Usage = Pick<ResourceUsage, 'cpu' | 'memory'>;

/** `PodMetrics` and `NodeMetrics`; Go writes an empty slice or map as null. @see metrics pkg/apis/metrics/v1beta1/types.go @ v0.36.3 */
interface ObjectMetrics {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly timestamp: string;
  readonly window: string;
  readonly usage?: QuantityTexts | null;
  readonly containers?:
    | readonly { readonly name: string; readonly usage: QuantityTexts | null }[]
    | null;
}

interface QuantityTexts {
  readonly cpu?: string;
  readonly memory?: string;
}

const API_VERSION = 'metrics.k8s.io/v1beta1';
const NANO = 1_000_000_000n;

/** @throws {ListwatchError} code INVALID_OPTION for a resource without usage; NOT_FOUND when the cluster has no metrics server. */
export async function resourceUsage(
  { rest, collection, namespace: own }: ResourceRequests<KubernetesObject>,
  { namespace = own, labelSelector, fieldSelector, signal }: TopOptions,
): Promise<ResourceUsage[]> {
  const { apiVersion, resource } = collection;
  if (apiVersion !== 'v1' || (resource !== 'pods' && resource !== 'nodes')) {
    const text = `top: there is no usage of ${resource} (${apiVersion}); ask for that of v1 pods or v1 nodes`;
    throw new ListwatchError('INVALID_OPTION', text);
  }
  const metrics = new ResourceCollection(API_VERSION, resource);
  const path = metrics.path({ namespace }) + queryString({ labelSelector, fieldSelector });
  const call = metrics.call('list', { namespace });
  try {
    const { items } = await rest.json<{ readonly items: unknown }>({
      method: 'GET',
      path,
      call,
      signal,
    });
    return itemsOf(items)
      .map(usageOf)
      .toSorted((left, right) => right.cpu - left.cpu);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const text = `top: ${rest.server} serves no ${API_VERSION}; install the metrics server in the cluster`;
    throw new ListwatchError('NOT_FOUND', text, { cause: error });
  }
}

function itemsOf(items: unknown): readonly ObjectMetrics[] {
  if (items === null || items === undefined) return [];
  if (Array.isArray(items)) return items as readonly ObjectMetrics[];
  throw new ListwatchError('MALFORMED_RESPONSE', `top: the items of ${API_VERSION} are no array`);
}

function usageOf({ metadata, timestamp, window, usage, containers }: ObjectMetrics): ResourceUsage {
  const { name, namespace } = metadata;
  const parts = (containers ?? []).map((one) => ({ name: one.name, ...amountsOf(one.usage) }));
  const { cpu, memory } = usage === undefined || usage === null ? sumOf(parts) : amountsOf(usage);
  return { name, namespace, cpu, memory, containers: parts, timestamp, window };
}

function sumOf(parts: readonly Usage[]): Usage {
  const sum = (of: keyof Usage): number => parts.reduce((total, part) => total + part[of], 0);
  return { cpu: sum('cpu'), memory: sum('memory') };
}

function amountsOf(usage: QuantityTexts | null): Usage {
  const { cpu = '0', memory = '0' } = usage ?? {};
  return { cpu: amountOf(cpu), memory: amountOf(memory) };
}

function amountOf(text: string): number {
  try {
    const { nanos } = parseQuantity(text);
    // Above 4 GB a division of numbers would give parts of bytes.
    return nanos % NANO === 0n ? Number(nanos / NANO) : Number(nanos) / Number(NANO);
  } catch (error) {
    throw new ListwatchError('MALFORMED_RESPONSE', `top: ${JSON.stringify(text)} is no quantity`, {
      cause: error,
    });
  }
}
