import type { UnstructuredObject } from '../../../meta/object.ts';
import type { ConnectAnswer, ConnectRequest, RequestContext } from './rest-storage.ts';

/** A request about a container that a kubelet would answer. The pod and the container exist. */
export interface ContainerRequest {
  readonly action: 'log' | 'exec' | 'attach' | 'portforward';
  readonly pod: UnstructuredObject;
  /** Empty for `portforward`. */
  readonly container: string;
  readonly request: ConnectRequest;
  readonly context: RequestContext;
}

/** Answers for the nodes, of which this server has none of its own. */
export interface NodeConnector {
  /** Whether deleted pods are ended by nodes. Without them, the server does it. @defaultValue false */
  readonly endsPods?: boolean | undefined;
  /** Undefined: nothing answers for this pod, so the client gets what a cluster without that node answers. */
  connect(request: ContainerRequest): Promise<ConnectAnswer> | undefined;
}

/** No node answers. */
export const noNodes: NodeConnector = { connect: () => undefined };
