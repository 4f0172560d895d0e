import { isRecord } from '../normalise.ts';
import type { Step } from '../scenario.ts';
import type { SentRequest, Target } from './target.ts';

/**
 * Deletes what the steps of a scenario may have left: objects outside of namespaces that are called after the namespace, the
 * objects in the namespace and in those that are called after it, the namespaces. A server without a controller manager does not empty
 * a namespace by itself.
 */
export async function cleanUp(
  target: Target,
  steps: readonly Step[],
  namespace: string,
  hasNamespace: boolean,
): Promise<void> {
  const paths = steps.map(({ path }) =>
    (path.split('?', 1)[0] as string).replaceAll('{ns}', namespace),
  );
  if (hasNamespace) {
    const inside = new RegExp(`^(/.+/namespaces/${namespace}(?:-[a-z0-9]+)?/[a-z0-9.]+)`);
    const collections = paths.flatMap((path) => inside.exec(path)?.[1] ?? []);
    for (const collection of new Set(collections)) await empty(target, collection);
  }
  const outside = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/[a-z]+$/;
  const named = steps.flatMap(({ method, body }, index) => {
    const path = paths[index] as string;
    if (method === 'POST') return outside.test(path) ? namesIn(path, body, namespace) : [];
    const collection = path.slice(0, path.lastIndexOf('/'));
    return outside.test(collection) ? [path] : [];
  });
  const ours = new Set(named.filter((path) => path.includes(namespace)));
  if (hasNamespace) ours.add(`/api/v1/namespaces/${namespace}`);
  for (const path of ours) await remove(target, path);
}

function namesIn(collection: string, body: unknown, namespace: string): string[] {
  const metadata = isRecord(body) && isRecord(body['metadata']) ? body['metadata'] : {};
  const name = metadata['name'];
  return typeof name === 'string' ? [`${collection}/${name.replaceAll('{ns}', namespace)}`] : [];
}

async function empty(target: Target, collection: string): Promise<void> {
  const list = await sendJson(target, 'GET', collection);
  const items = isRecord(list.body) && Array.isArray(list.body['items']) ? list.body['items'] : [];
  for (const item of items as readonly unknown[]) {
    const metadata = isRecord(item) && isRecord(item['metadata']) ? item['metadata'] : {};
    await remove(target, `${collection}/${String(metadata['name'])}`);
  }
}

async function remove(target: Target, path: string): Promise<void> {
  const { body, status } = await sendJson(target, 'DELETE', path, {
    gracePeriodSeconds: 0,
    propagationPolicy: 'Background',
  });
  if (status === 404 || status === 405) return;
  if (path.startsWith('/api/v1/namespaces/') && path.split('/').length === 5) {
    const spec = { finalizers: [] };
    const metadata = { name: path.slice('/api/v1/namespaces/'.length) };
    const finalized = { apiVersion: 'v1', kind: 'Namespace', metadata, spec };
    await sendJson(target, 'PUT', `${path}/finalize`, finalized);
  }
  const metadata = isRecord(body) && isRecord(body['metadata']) ? body['metadata'] : {};
  // The server itself removes the finalizer of a definition, with its objects.
  if (metadata['finalizers'] === undefined || path.includes('/customresourcedefinitions/')) return;
  await sendJson(target, 'PATCH', path, { metadata: { finalizers: null } });
}

async function sendJson(
  target: Target,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const request: SentRequest = {
    method,
    path,
    headers: { 'content-type': type, accept: 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
    anonymous: false,
  };
  const { status, bytes } = await target.send(request);
  try {
    return { status, body: JSON.parse(bytes.toString()) as unknown };
  } catch {
    return { status, body: undefined };
  }
}
