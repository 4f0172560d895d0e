import { parseRequestInfo, pathSegments, type Verb } from '../../server/http/request-info.ts';
import { withoutUids } from '../record/uids.ts';
import { groupResource } from '../../meta/resource.ts';
import type { RequestPoint } from '../contract/fault.ts';

/** The facts of a request that faults, journal and oracles need. */
export interface RequestFacts {
  /** `other`: discovery and the like. */
  readonly verb: Verb | 'other';
  /** As in RBAC, with the subresource; empty for `other`. */
  readonly resource: string;
  /** `NAMESPACE/NAME`, `NAMESPACE/` of a collection, the name alone, or empty. A create has the name of its body. */
  readonly object: string;
  readonly isWrite: boolean;
}

const WRITES: ReadonlySet<string> = new Set([
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
]);
/** Renewals are no activity, and their number depends on time; addresses of services are drawn by the server. */
const BACKGROUND_RESOURCES: ReadonlySet<string> = new Set([
  'ipaddresses.networking.k8s.io',
  'leases.coordination.k8s.io',
  'events',
  'events.events.k8s.io',
]);

export function isBackgroundResource(resource: string): boolean {
  return BACKGROUND_RESOURCES.has(resource);
}

export function requestFacts(
  method: string,
  url: string,
  body: Uint8Array | undefined,
): RequestFacts {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = mark < 0 ? '' : url.slice(mark + 1);
  try {
    const segments = pathSegments(path);
    const [root] = segments;
    const isResource = root === 'api' ? segments.length > 2 : segments.length > 3;
    if (!isResource || (root !== 'api' && root !== 'apis')) return OTHER;
    const isWatch = /(?:^|&)watch=(?:true|1)/.test(query);
    const info = parseRequestInfo(method, segments, isWatch);
    const subresource = info.subresource === undefined ? '' : `/${info.subresource}`;
    const name = info.name ?? (info.verb === 'create' ? nameOf(body) : '');
    return {
      verb: info.verb,
      resource: groupResource(info) + subresource,
      object: info.namespace === '' ? name : `${info.namespace}/${name}`,
      isWrite: WRITES.has(info.verb),
    };
  } catch {
    // The server refuses this request itself.
    return OTHER;
  }
}

const OTHER: RequestFacts = { verb: 'other', resource: '', object: '', isWrite: false };
const decoder = new TextDecoder();
const NAME = /"metadata":\{[^{}]*?"name":"([^"]+)"/;

function nameOf(body: Uint8Array | undefined): string {
  return body === undefined ? '' : (NAME.exec(decoder.decode(body))?.[1] ?? '');
}

/** Whether a request is one that a point counts. Watches, leases and events are never. */
export function countsAt({ verb, resource, object }: RequestPoint, facts: RequestFacts): boolean {
  if (facts.verb === 'watch' || facts.verb === 'other') return false;
  if (resource === undefined && isBackgroundResource(facts.resource)) return false;
  if (resource !== undefined && resource !== facts.resource) return false;
  if (object !== undefined && object !== withoutUids(facts.object)) return false;
  if (verb === 'any') return true;
  return verb === 'write' ? facts.isWrite : verb === facts.verb;
}
