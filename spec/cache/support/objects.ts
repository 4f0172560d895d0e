import type { KubernetesObject, ObjectMeta } from '../../../lib/meta/object.ts';

export interface Pod extends KubernetesObject {
  readonly metadata: ObjectMeta;
  readonly spec?: { readonly nodeName?: string | undefined } | undefined;
}

/** A pod in namespace `shop` unless the name says otherwise: `other/name`. */
export function pod(name: string, fields: Partial<ObjectMeta> & { nodeName?: string } = {}): Pod {
  const { nodeName, ...metadata } = fields;
  const [namespace, plain] = name.includes('/') ? name.split('/') : ['shop', name];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name: plain, ...metadata },
    ...(nodeName === undefined ? {} : { spec: { nodeName } }),
  };
}

/** The code of what `call` throws, or undefined. */
export function codeOf(call: () => unknown): string | undefined {
  try {
    call();
  } catch (error) {
    return (error as { code?: string }).code;
  }
  return undefined;
}

/** The error that a promise rejects with; fails when it does not. */
export async function rejection(work: Promise<unknown>): Promise<Error & { code?: string }> {
  try {
    await work;
  } catch (error) {
    return error as Error & { code?: string };
  }
  throw new Error('expected a rejection');
}
