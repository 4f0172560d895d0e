import { isDeepStrictEqual } from 'node:util';
import type { Client } from '../../../lib/index.ts';
import type { ResourceClient } from '../../../lib/client/rest/resource-client.ts';
import type { ConfigMap } from '../../../lib/types/built-in/core-v1-kinds.ts';
import { ApiError } from '../../../lib/meta/failure/api-error.ts';
import type { WorkloadStep } from '../../../lib/simulator/contract/world.ts';

export const NAMESPACE = 'default';
export const labels = { app: 'shop' };

export function maps(user: Client, namespace: string = NAMESPACE): ResourceClient<ConfigMap> {
  return user.resource('v1', 'configmaps', { namespace });
}

/** The status with which a call is refused; `done` if it is not. */
export async function statusOf(call: Promise<unknown>): Promise<number | 'done'> {
  try {
    await call;
    return 'done';
  } catch (error) {
    if (error instanceof ApiError) return error.status.code ?? 0;
    throw error;
  }
}

/** @throws {Error} the answer is not what a user of Kubernetes expects. */
export function same(what: string, found: unknown, expected: unknown): void {
  if (isDeepStrictEqual(found, expected)) return;
  throw new Error(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
}

export const namesOf = (
  items: readonly { readonly metadata: { readonly name: string } }[],
): string => items.map(({ metadata }) => metadata.name).join();

export function step(title: string, act: (user: Client) => Promise<unknown>): WorkloadStep {
  return { title, act: async (user) => void (await act(user)) };
}

/** A config map with a text, and the label of the shop. */
export function map(
  name: string,
  text: string,
  more: Readonly<Record<string, string>> = {},
): ConfigMap & { readonly metadata: { readonly name: string } } {
  return { metadata: { name, labels: { ...labels, ...more } }, data: { text } };
}
