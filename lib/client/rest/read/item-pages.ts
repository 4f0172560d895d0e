import type { ListerWatcher, ListPage } from '../../../cache/reflector/contract/lister-watcher.ts';
import type { ObjectView } from '../../../meta/object-view.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import { PackedItems } from './packed-items.ts';
import type { ItemPageSource, PageSource } from './pager.ts';

/** Reads pages whose objects are decoded while they arrive; the bytes of a page are released piece by piece. */
export function decodedPages<T extends KubernetesObject>(
  source: ListerWatcher<ObjectView<T>>,
): PageSource<ListPage<T>> {
  return async (request) => {
    const items: T[] = [];
    const take = (views: readonly ObjectView<T>[]): void => {
      for (const view of views) items.push(view.object);
    };
    const page = await source.list(request, take);
    take(page.items);
    return { ...page, items };
  };
}

/** Reads pages whose objects are decoded when their turn comes; a page that was released gives its memory to a later one. */
export function packedPages<T extends KubernetesObject>(
  source: ListerWatcher<ObjectView<T>>,
): ItemPageSource<T> {
  const free: PackedItems<T>[] = [];
  return async (request) => {
    const items = free.pop() ?? new PackedItems<T>();
    const release = (): void => {
      items.clear();
      free.push(items);
    };
    try {
      const page = await source.list(request, (views) => {
        items.add(views);
      });
      items.add(page.items);
      return { continueToken: page.continueToken, items, bytes: items.bytes, release };
    } catch (error) {
      release();
      throw error;
    }
  };
}
