import type { UnstructuredObject } from '../../../meta/object.ts';
import type { ConnectAnswer, ConnectRequest, RequestContext } from './rest-storage.ts';

/** Where a proxy sends a request. */
export interface ProxyTarget {
  /** `http` or `https`. */
  readonly scheme: string;
  /** The address of the pod. */
  readonly address: string;
  readonly port: number;
  /** The path of the proxy, to which paths of the answer belong. */
  readonly prefix: string;
}

/** A request that a kubelet or a container would answer. The pod and the container exist. */
export interface ContainerRequest {
  readonly action: 'log' | 'exec' | 'attach' | 'portforward' | 'http';
  readonly pod: UnstructuredObject;
  /** Empty for `portforward`; for `http` the one that declares the port, or empty. */
  readonly container: string;
  /** Of `http`. */
  readonly target?: ProxyTarget | undefined;
  readonly request: ConnectRequest;
  readonly context: RequestContext;
}

/** Quantities as texts. */
export type UsageTexts = Readonly<Record<'cpu' | 'memory', string>>;

/** Answers for the nodes, of which this server has none of its own. */
export interface NodeConnector {
  /** Whether deleted pods are ended by nodes. Without them, the server does it. @defaultValue false */
  readonly endsPods?: boolean | undefined;
  /** Undefined: nothing answers for this pod, so the client gets what a cluster without that node answers. */
  connect(request: ContainerRequest): Promise<ConnectAnswer> | undefined;
  /** The usage of the running containers of a pod, by their names; none when no node runs it. @throws the error of a function that says it. */
  podUsage?(pod: UnstructuredObject): ReadonlyMap<string, UsageTexts>;
  /** The usage of a node; undefined when it does not run. @throws the error of a function that says it. */
  nodeUsage?(name: string): UsageTexts | undefined;
}

/** No node answers. */
export const noNodes: NodeConnector = { connect: () => undefined };
