import { ListwatchError } from '../../../kernel/failure/errors.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import { identityOf } from '../../../meta/object-view.ts';

const TABLE_VERSIONS: ReadonlySet<unknown> = new Set(['meta.k8s.io/v1', 'meta.k8s.io/v1beta1']);

/**
 * Refuses a Table in place of an object. A table has no name, so an object with a name is not decoded for this check.
 * @throws {ListwatchError} code TABLE_OBJECT.
 */
export function rejectTable(item: HasMetadata | null | undefined, description: string): void {
  if (item === undefined || item === null || identityOf(item).name !== undefined) return;
  const { object = item } = item as { readonly object?: unknown };
  if (typeof object !== 'object' || object === null) return;
  const { kind, apiVersion } = object as { readonly kind?: unknown; readonly apiVersion?: unknown };
  if (kind === 'Table' && TABLE_VERSIONS.has(apiVersion)) {
    throw new ListwatchError(
      'TABLE_OBJECT',
      `${description}: the server sent Table objects where plain objects were asked for`,
    );
  }
}
