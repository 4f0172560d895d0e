import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '../../lib/client/rest/client.ts';
import type { KubernetesObject } from '../../lib/meta/object.ts';
import { CUSTOM_RESOURCE } from './fill.ts';
import { listedResources } from './contents.ts';

export const RECORD_FILE: string = join(import.meta.dirname, 'recorded.json');

/** One object: what etcd has, and what the server that stored it shows. */
export interface RecordedObject {
  readonly key: string;
  /** Base64. */
  readonly value: string;
  /** The path of a GET. */
  readonly path: string;
  readonly object: KubernetesObject;
}

export interface Recorded {
  /** Of the kube-apiserver. */
  readonly version: string;
  readonly objects: readonly RecordedObject[];
}

/** The objects that `fill` has made, and the definition of the custom one. */
export async function readRecorded(client: Client, etcd: string): Promise<Recorded> {
  const values = await storedValues(etcd);
  const objects: RecordedObject[] = [];
  for (const { apiVersion, resource } of await listedResources(client)) {
    const { items } = await client.resource(apiVersion, resource).listAll();
    for (const object of items) {
      const { name, namespace } = object.metadata;
      if (name !== CUSTOM_RESOURCE && !name.startsWith(`${resource}-`)) continue;
      const end = `${namespace === undefined ? '' : `/${namespace}`}/${name}`;
      const found = [...values].find(([key]) => key.endsWith(end));
      if (found === undefined) throw new Error(`etcd has no key for ${resource}${end}`);
      const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
      const place = namespace === undefined ? '' : `/namespaces/${namespace}`;
      const [key, value] = found;
      objects.push({ key, value, path: `${root}${place}/${resource}/${name}`, object });
    }
  }
  const { gitVersion } = await client.version();
  return { version: gitVersion, objects };
}

/** One object a line. */
export function recordedText({ version, objects }: Recorded): string {
  const lines = objects.map((one) => `    ${JSON.stringify(one)}`);
  return `{\n  "version": ${JSON.stringify(version)},\n  "objects": [\n${lines.join(',\n')}\n  ]\n}\n`;
}

export async function recordedObjects(): Promise<Recorded> {
  return JSON.parse(await readFile(RECORD_FILE, 'utf8')) as Recorded;
}

async function storedValues(etcd: string): Promise<ReadonlyMap<string, string>> {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const answer = await fetch(`${etcd}/v3/kv/range`, {
    method: 'POST',
    body: JSON.stringify({ key: base64('/registry/'), range_end: base64('/registry0') }),
  });
  const { kvs } = (await answer.json()) as {
    readonly kvs: readonly { readonly key: string; readonly value: string }[];
  };
  return new Map(kvs.map(({ key, value }) => [Buffer.from(key, 'base64').toString(), value]));
}
