import { builtInKinds } from '../../kinds/built-in-kinds.ts';
import { notFound } from '../../meta/failure/failures.ts';
import { recordsAt, textAt } from '../../meta/json-value.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import { parseQuantity, quantityText } from '../../meta/quantity.ts';
import type { NodeConnector } from '../../server/registry/contract/node-connector.ts';
import type { BootstrapObjects, KindSet } from '../../server/registry/contract/kind-set.ts';
import type {
  ListOptions,
  RequestContext,
  ResourceDescription,
  RestStorage,
} from '../../server/registry/contract/rest-storage.ts';
import type {
  ServerParts,
  VirtualResource,
} from '../../server/registry/contract/subresource-parts.ts';
import { column, nameColumn, tableOf } from '../../server/registry/contract/table-columns.ts';
import { DerivedObject } from '../../server/registry/rules/derived-object.ts';
import { timestampOf } from '../../server/registry/rules/duration.ts';

const GROUP = 'metrics.k8s.io';
const VERSION = 'v1beta1';
/** The time over which metrics-server measures. */
const WINDOW = '15s';

/** A resource whose objects are measured when they are asked for. */
interface Measured {
  readonly kind: 'NodeMetrics' | 'PodMetrics';
  /** The resource of the same name in the core group. */
  readonly resource: 'nodes' | 'pods';
  /** The usage of an object; undefined while there is nothing. */
  readonly measure: (nodes: NodeConnector, object: UnstructuredObject) => object | undefined;
  readonly usage: (metrics: unknown, name: 'cpu' | 'memory') => string;
}

const NODES: Measured = {
  kind: 'NodeMetrics',
  resource: 'nodes',
  measure: (nodes, { metadata }) => {
    const usage = nodes.nodeUsage?.(metadata?.name ?? '');
    return usage && { usage };
  },
  usage: (metrics, name) => textAt(metrics, 'usage', name),
};

const PODS: Measured = {
  kind: 'PodMetrics',
  resource: 'pods',
  measure: (nodes, pod) => {
    const used = [...(nodes.podUsage?.(pod) ?? [])];
    const containers = used.map(([name, usage]) => ({ name, usage }));
    return containers.length === 0 ? undefined : { containers };
  },
  usage: (metrics, name) => {
    const all = recordsAt(metrics, 'containers').map((one) => textAt(one, 'usage', name));
    const [first = parseQuantity('0'), ...others] = all.map(parseQuantity);
    const nanos = others.reduce((sum, one) => sum + one.nanos, first.nanos);
    return quantityText({ ...first, nanos });
  },
};

/** The kinds of a server with these controllers: with the API of metrics-server, if nodes run here. Usage is computed when a request asks for it. */
export function clusterKinds(
  controllers: ReadonlySet<string>,
  kinds: KindSet = builtInKinds,
): KindSet {
  return controllers.has('kubelet') ? withMetrics(kinds) : kinds;
}

function withMetrics(kinds: KindSet): KindSet {
  return {
    ...kinds,
    ofMinor: (minor) => withMetrics(kinds.ofMinor(minor)),
    virtual: [...kinds.virtual, measured(NODES), measured(PODS)],
    bootstrapObjects: kinds.bootstrapObjects.map((one) =>
      one.resource === 'apiservices' ? { ...one, objects: withService(one.objects) } : one,
    ),
  };
}

/** The APIService of the group: a local one, as this server answers for it. */
function withService(objects: BootstrapObjects['objects']): BootstrapObjects['objects'] {
  return (now) => {
    const others = objects(now);
    const [like] = others;
    const metadata = { ...like?.metadata, name: `${VERSION}.${GROUP}` };
    const priorities = { groupPriorityMinimum: 100, versionPriority: 100 };
    const spec = { group: GROUP, version: VERSION, ...priorities };
    return [...others, { ...like, metadata, spec }];
  };
}

/** @see metrics-server pkg/api/pod.go, node.go @ 0.8 */
function measured(what: Measured): VirtualResource {
  const { kind, resource, usage } = what;
  const describe: ResourceDescription = {
    group: GROUP,
    version: VERSION,
    kind,
    resource,
    singular: '',
    listKind: `${kind}List`,
    namespaced: resource === 'pods',
    shortNames: [],
    categories: [],
  };
  const quantity = { format: 'quantity' };
  const table = tableOf([
    nameColumn,
    column('cpu', (metrics) => usage(metrics, 'cpu'), quantity),
    column('memory', (metrics) => usage(metrics, 'memory'), quantity),
    column('Window', (metrics) => textAt(metrics, 'window'), { format: 'duration' }),
  ]);
  return (parts) => ({ describe, table, ...reads(what, parts) });
}

function reads(
  { kind, resource, measure }: Measured,
  { storeOf, nodes, runtime }: ServerParts,
): Pick<RestStorage, 'get' | 'list'> {
  const metricsOf = ({ object }: { readonly object: UnstructuredObject }): DerivedObject[] => {
    const measures = measure(nodes, object);
    if (measures === undefined) return [];
    const { name, namespace, labels } = object.metadata ?? {};
    const timestamp = timestampOf(runtime.wallMs());
    const metadata = {
      name,
      ...(namespace ? { namespace } : {}),
      creationTimestamp: timestamp,
      ...(labels === undefined ? {} : { labels }),
    };
    const apiVersion = `${GROUP}/${VERSION}`;
    const metrics = { kind, apiVersion, metadata, timestamp, window: WINDOW, ...measures };
    return [new DerivedObject('', metrics)];
  };
  return {
    get: async (context: RequestContext, name: string) => {
      const found = await storeOf('', resource)?.get(context, name);
      const [metrics] = found === undefined ? [] : metricsOf(found);
      if (metrics !== undefined) return metrics;
      const subject = { group: GROUP, resource: kind.toLowerCase() };
      throw notFound(subject, resource === 'pods' ? `${context.namespace}/${name}` : name);
    },
    list: async (context: RequestContext, { labelSelector, fieldSelector }: ListOptions) => {
      const found = await storeOf('', resource)?.list(context, { labelSelector, fieldSelector });
      const items = [...(found?.items ?? [])].flatMap(metricsOf);
      return {
        items,
        resourceVersion: '',
        continueToken: undefined,
        remainingItemCount: undefined,
      };
    },
  };
}
