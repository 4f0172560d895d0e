import type { Stored } from '../../../lib/meta/stored.ts';
import type { Lease } from '../../../lib/types/index.ts';

export interface LeaseParts {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A Lease `default/program` as a server answers it. */
export function storedLease(spec: object, parts: LeaseParts = {}): Stored<Lease> {
  const { uid = 'u1', resourceVersion = '7', annotations = {} } = parts;
  const metadata = { name: 'program', namespace: 'default', uid, resourceVersion, annotations };
  return { metadata, spec } as unknown as Stored<Lease>;
}
