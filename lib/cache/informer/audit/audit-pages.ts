import { nextTask } from '../../../kernel/time/wait.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import type { ListPage, ListRequest } from '../../reflector/contract/lister-watcher.ts';
import { listPage, PageSequence, type ListPageOptions } from '../../reflector/list/list-page.ts';

/** The pages of a list. The first request has the version and the limit. @throws as `listPage` and `PageSequence.check` */
export async function* pagesOf<V extends HasMetadata>(
  options: ListPageOptions<V>,
  first: ListRequest,
  signal: AbortSignal,
): AsyncGenerator<ListPage<V>, void> {
  const pages = new PageSequence();
  for (let request = first; ; ) {
    const page = await listPage(options, request, signal);
    pages.check(request, page, options.name);
    yield page;
    const { continueToken = '' } = page;
    if (continueToken === '') return;
    request = { limit: first.limit, continueToken };
    // A source in this process may answer without letting other tasks run.
    await nextTask(options.runtime);
  }
}
