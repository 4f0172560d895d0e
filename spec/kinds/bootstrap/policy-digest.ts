import { createHash } from 'node:crypto';
import type { UnstructuredObject } from '../../../lib/meta/object.ts';
import { canonical } from '../../compare/normalise.ts';

/** The content of a role or a binding, as a short text that differs where the content differs. */
export function digestOf({ metadata, ...object }: UnstructuredObject): string {
  const { labels, annotations } = metadata ?? {};
  const { apiVersion: _version, kind: _kind, ...said } = object;
  const text = canonical({ ...said, labels, annotations });
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
