import type { ApiRequest } from '../../lib/server/api/http/api-request.ts';
import type { UnstructuredObject } from '../../lib/meta/object.ts';

const NEVER = new AbortController().signal;
/** Makes an object of about 1 KB. */
const TEXT = 'x'.repeat(800);

export function configMap(name: string): UnstructuredObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', labels: { app: 'bench' } },
    data: { text: TEXT },
  };
}

export function requestOf(
  method: string,
  url: string,
  body?: object,
  signal: AbortSignal = NEVER,
): ApiRequest {
  return {
    method,
    url,
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: body === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(body)),
    signal,
  };
}
