import type { Client } from '../../lib/client/rest/client.ts';
import type { ApiResource } from '../../lib/client/rest/discovery/api-resource.ts';
import { until } from '../support/until.ts';
import { CUSTOM_RESOURCE } from './fill.ts';
import { canonical } from '../compare/normalise.ts';

/** All objects that a server shows, in a canonical form, by `resource namespace/name`. */
export type Contents = ReadonlyMap<string, string>;

/** Objects that belong to the running server, or that only a kube-apiserver makes when it starts. */
const OF_SERVERS: readonly RegExp[] = [
  // Renewed all the time.
  /^leases\.coordination\.k8s\.io kube-system\//,
  // It has the port of the server.
  /^services default\/kubernetes$/,
  /^configmaps kube-system\/kube-apiserver-legacy-service-account-token-tracking$/,
  /^flowschemas\.\S+ \/(?!flowschemas-)/,
  /^prioritylevelconfigurations\.\S+ \/(?!prioritylevelconfigurations-)/,
];

/** Waits until the custom resource is served too, and reads every resource that can be listed, once, in the version that the server prefers. */
export async function contentsOf(client: Client): Promise<Contents> {
  const contents = new Map<string, string>();
  await until('the custom resource to be served', async () =>
    (await listedResources(client)).some(({ fullName }) => fullName === CUSTOM_RESOURCE),
  );
  for (const { apiVersion, resource, fullName } of await listedResources(client)) {
    const objects = client.resource(apiVersion, resource);
    for await (const object of objects.items()) {
      const { namespace = '', name } = object.metadata;
      const key = `${fullName} ${namespace}/${name}`;
      if (!OF_SERVERS.some((one) => one.test(key))) contents.set(key, canonical(object));
    }
  }
  return contents;
}

export async function listedResources(client: Client): Promise<readonly ApiResource[]> {
  const found = new Map<string, ApiResource>();
  for (const one of await client.discovery.resources()) {
    if (one.supports('list') && !found.has(one.fullName)) found.set(one.fullName, one);
  }
  return [...found.values()];
}

/** One line for each object that only one side has, or that differs. */
export function differencesOf(
  left: Contents,
  right: Contents,
  [leftName, rightName]: readonly [string, string],
): readonly string[] {
  const lines: string[] = [];
  for (const [key, text] of left) {
    const other = right.get(key);
    if (other === undefined) lines.push(`${key}: only ${leftName} has it`);
    else if (other !== text) lines.push(`${key}: ${firstDifference(text, other)}`);
  }
  for (const key of right.keys()) {
    if (!left.has(key)) lines.push(`${key}: only ${rightName} has it`);
  }
  return lines;
}

function firstDifference(left: string, right: string): string {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  const from = Math.max(0, at - 40);
  return `…${left.slice(from, at + 60)} | …${right.slice(from, at + 60)}`;
}
