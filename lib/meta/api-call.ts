import { plainText } from '../kernel/text/plain-text.ts';
import { apiVersionOf } from './resource.ts';

/** The verb of a call, in the words of Kubernetes' access rules. */
export type ApiVerb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection';

/** A call of an API server as its caller knows it. */
export interface ApiCall {
  readonly verb: ApiVerb;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Lower-case plural. Left out: the call asks what the server serves. */
  readonly resource?: string | undefined;
  readonly subresource?: string | undefined;
  readonly namespace?: string | undefined;
  /** The name of the object, also for a create. */
  readonly name?: string | undefined;
  /** The verbs that the caller needs together, for the access rule in a message. @defaultValue the verb */
  readonly needs?: readonly ApiVerb[] | undefined;
}

/** The request that an `ApiError` is about. It has no query, header or body. */
export interface FailedRequest extends Partial<Omit<ApiCall, 'needs'>> {
  readonly method: string;
  /** The server's address, without credentials. */
  readonly server: string;
  /** Without its query. */
  readonly path: string;
}

/** Names and paths in messages may be any text of a caller. */
const LONGEST_NAME = 253;
const LONGEST_PATH = 400;

/** E.g. `create deployments "web" in namespace "shop" (POST https://10.0.0.1:6443/apis/apps/v1/namespaces/shop/deployments)`. */
export function describeRequest(request: FailedRequest): string {
  const { verb, method, server, path, resource } = request;
  const url = `${method} ${server}${plainText(path, LONGEST_PATH)}`;
  return verb === undefined || resource === undefined ? url : `${describeCall(request)} (${url})`;
}

/** E.g. `list pods in namespace "shop"`. */
export function describeCall(call: Partial<ApiCall>): string {
  const { verb = 'request', resource = '', subresource, namespace, name } = call;
  const of = subresource === undefined ? resource : `${resource}/${subresource}`;
  const which = name === undefined || name === '' ? '' : ` ${quotedName(name)}`;
  const where =
    namespace === undefined || namespace === '' ? '' : ` in namespace ${quotedName(namespace)}`;
  return `${verb} ${of}${which}${where}`;
}

/** A name in a message: as JSON, without control characters, of bounded length. */
export function quotedName(name: string): string {
  return JSON.stringify(plainText(name, LONGEST_NAME));
}

/** `apps/v1` */
export function versionOfCall({ group = '', version = '' }: Partial<ApiCall>): string {
  return apiVersionOf({ group, version });
}
