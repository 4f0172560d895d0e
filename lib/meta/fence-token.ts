/** The header of a write that carries the epoch of a lease: `NAMESPACE/NAME; uid=UID; epoch=NUMBER`. */
export const FENCE_HEADER = 'listwatch-fence';

/** The value of the same header in the answer to a write that was refused, because its epoch is not that of the lease. */
export const FENCE_REFUSED = 'refused';

/** The epoch of a lease. */
export interface FenceToken {
  readonly namespace: string;
  readonly name: string;
  /** Of the Lease: one that was deleted and created again begins to count anew. */
  readonly uid: string;
  /** Its `leaseTransitions`. */
  readonly epoch: number;
}

export function fenceHeader({ namespace, name, uid, epoch }: FenceToken): string {
  return `${namespace}/${name}; uid=${uid}; epoch=${epoch}`;
}

/** Undefined for a text that is no such header. */
export function parseFenceHeader(text: string): FenceToken | undefined {
  const form = /^([a-z0-9.-]{1,63})\/([a-z0-9.-]{1,253}); uid=([\w-]{1,64}); epoch=(\d{1,10})$/;
  const match = form.exec(text);
  if (match === null) return undefined;
  const [, namespace = '', name = '', uid = '', epoch = ''] = match;
  return { namespace, name, uid, epoch: Number(epoch) };
}
