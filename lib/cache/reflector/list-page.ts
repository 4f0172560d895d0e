import { deriveAbort } from '../../kernel/abort.ts';
import { ListwatchError } from '../../kernel/errors.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import { withDeadline } from '../../kernel/wait.ts';
import type { HasMetadata } from '../../meta/object.ts';
import type { ListerWatcher, ListPage, ListRequest } from './lister-watcher.ts';
import { rejectTable } from './table-object.ts';

export interface ListPageOptions<V extends HasMetadata> {
  readonly listerWatcher: ListerWatcher<V>;
  readonly runtime: Runtime;
  readonly listTimeoutMs: number;
  readonly name: string;
}

/**
 * Asks for one page; a source that does not answer in time is told to stop and left behind.
 * @throws {ListwatchError} code TIMEOUT, TABLE_OBJECT, or MALFORMED_RESPONSE for a page that names itself as the next one.
 */
export async function listPage<V extends HasMetadata>(
  { listerWatcher, runtime, listTimeoutMs, name }: ListPageOptions<V>,
  request: ListRequest,
  signal: AbortSignal,
): Promise<ListPage<V>> {
  const asking = deriveAbort(signal);
  try {
    const page = await withDeadline(
      runtime,
      (async (): Promise<ListPage<V>> =>
        await listerWatcher.list({ ...request, signal: asking.signal }))(),
      { timeoutMs: listTimeoutMs, signal, describe: () => `a page of the list of ${name}` },
    );
    rejectTable(page.items[0], name);
    if (page.continueToken !== undefined && page.continueToken === request.continueToken) {
      throw new ListwatchError(
        'MALFORMED_RESPONSE',
        `the list of ${name} goes round in a circle: a page names itself as the next one`,
      );
    }
    return page;
  } catch (error) {
    asking.abort(error);
    throw error;
  } finally {
    asking.dispose();
  }
}
