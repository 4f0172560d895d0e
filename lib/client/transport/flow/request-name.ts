import type { TransportRequest } from '../contract/transport.ts';

/** The name of a request in metrics and traces: the same for all objects of a resource. */
export interface RequestName {
  /** Path with the names left out, e.g. `/api/v1/namespaces/{namespace}/pods/{name}`. */
  readonly template: string;
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete` or `deletecollection`; for other paths the method in lower case. */
  readonly verb: string;
  /** Plural with group and subresource, e.g. `pods`, `deployments.apps`, `pods/eviction`; for other paths the template. */
  readonly resource: string;
}

/** `/api/v1/namespaces/shop/status` is a subresource of a namespace, not a resource in it. */
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);

/** Names a request by its method and path. A few segments that are not known to be bounded are shown as `{path}`. */
export function requestName({ method, path, stream }: TransportRequest): RequestName {
  const end = path.indexOf('?');
  const query = end === -1 ? '' : path.slice(end + 1);
  const segments = (end === -1 ? path : path.slice(0, end)).split('/').filter((one) => one !== '');
  const base = segments[0] === 'api' ? 2 : segments[0] === 'apis' ? 3 : Infinity;
  if (segments.length <= base) return otherName(method, segments, base);

  const prefix = `/${segments.slice(0, base).join('/')}`;
  const group = base === 3 ? `.${segments[1] ?? ''}` : '';
  const namespaced =
    segments[base] === 'namespaces' &&
    segments.length >= base + 3 &&
    !(segments.length === base + 3 && NAMESPACE_SUBRESOURCES.has(segments[base + 2] ?? ''));
  const [resource = '', name, subresource, ...more] = segments.slice(base + (namespaced ? 2 : 0));
  const inner = subresource === undefined ? '' : `/${subresource}`;
  return {
    template:
      prefix +
      (namespaced ? '/namespaces/{namespace}' : '') +
      `/${resource}` +
      (name === undefined ? '' : '/{name}') +
      inner +
      (more.length === 0 ? '' : '/{path}'),
    verb: verbOf(method, name !== undefined, stream === true, query),
    resource: resource + group + inner,
  };
}

function otherName(
  method: TransportRequest['method'],
  segments: readonly string[],
  base: number,
): RequestName {
  const [first = '', ...more] = segments;
  // Discovery has few paths: one for each group and version.
  const rest =
    base === Infinity && more.length > 0 ? '/{path}' : more.map((one) => `/${one}`).join('');
  const template = `/${first}${rest}`;
  return { template, verb: method.toLowerCase(), resource: template };
}

function verbOf(
  method: TransportRequest['method'],
  named: boolean,
  stream: boolean,
  query: string,
): string {
  switch (method) {
    case 'GET':
      if (/(?:^|&)watch=(?:true|1)(?:&|$)/.test(query) || (stream && !named)) return 'watch';
      return named ? 'get' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return named ? 'delete' : 'deletecollection';
  }
}
