import { DeltaFIFO } from '../../../lib/cache/delta/delta-fifo.ts';
import { ThreadSafeStore } from '../../../lib/cache/store/thread-safe-store.ts';
import { StorageListerWatcher } from '../../../lib/server/cacher/storage-lister-watcher.ts';
import { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';
import { KeyValueStorage } from '../../../lib/server/storage/key-value-storage.ts';
import { metaNamespaceKeyFunc, splitMetaNamespaceKey } from '../../../lib/meta/key.ts';
import { labelSelectorFromSpec } from '../../../lib/meta/selectors/label-selector.ts';
import { compareResourceVersions } from '../../../lib/meta/versions/resource-version.ts';
import { pod, type Pod } from '../../cache/support/objects.ts';
import type { BadUseArea } from '../bad-use.ts';

const store = (): ThreadSafeStore<Pod> =>
  new ThreadSafeStore<Pod>({ indexers: { byNode: () => [] } });

const engine = new EmbeddedKeyValueStore();
const resourcePrefix = '/registry/pods/';
const collection = {
  storage: new KeyValueStorage({ store: engine, resourcePrefix }),
  resourcePrefix,
};

/** The error that a store reports for its index function. */
function reportedBy(indexFunc: unknown): unknown {
  let reported: unknown;
  const one = new ThreadSafeStore<Pod>({
    indexers: { byNode: indexFunc as () => string[] },
    onError: (error) => {
      reported ??= error;
    },
  });
  one.add('shop/a', pod('a'));
  return reported;
}

export const STORES: BadUseArea = {
  title: 'Stores, keys and selectors',
  cases: [
    {
      mistake: 'an index that does not exist',
      act: () => store().byIndex('byNod', 'node-1'),
      code: 'UNKNOWN_INDEX',
      message: 'there is no index "byNod"; known are: byNode',
    },
    {
      mistake: 'an index by a name that is taken',
      act: () => store().addIndexers({ byNode: () => [] }),
      code: 'INDEX_CONFLICT',
      message: 'an index "byNode" exists already; give the new one another name',
    },
    {
      mistake: 'an index function that throws',
      own: true,
      act: () =>
        reportedBy(() => {
          throw new TypeError("Cannot read properties of undefined (reading 'nodeName')");
        }),
      code: 'INDEX_FUNCTION',
      message:
        'index "byNode" has no values for object "shop/a": the function threw: Cannot read properties of undefined (reading \'nodeName\')',
    },
    {
      mistake: 'an index function that returns text',
      act: () => reportedBy(() => 'node-1'),
      code: 'INDEX_FUNCTION',
      message:
        'index "byNode" has no values for object "shop/a": expected an array of strings, got string',
    },
    {
      mistake: 'an object without a name',
      act: () => metaNamespaceKeyFunc({ metadata: {} }),
      code: 'KEY',
      message:
        'no key for the object: it has no metadata.name; give it a name, or use another keyFunc',
    },
    {
      mistake: 'an object without metadata',
      act: () => metaNamespaceKeyFunc({}),
      code: 'KEY',
      message: 'no key for the object: it has no metadata; give it a name, or use another keyFunc',
    },
    {
      mistake: 'a key with two slashes',
      act: () => splitMetaNamespaceKey('a/b/c'),
      code: 'KEY',
      message: 'no key for the object: expected name or namespace/name, found "a/b/c"',
    },
    {
      mistake: 'an unknown order of a queue of changes',
      act: () => new DeltaFIFO({ order: 'newest' } as never),
      code: 'INVALID_OPTION',
      message: `DeltaFIFO: option "order" must be 'arrival' or 'key', not "newest"`,
    },
    {
      mistake: 'a resource version that is no number',
      act: () => compareResourceVersions('abc', '1'),
      code: 'INVALID_RESOURCE_VERSION',
      message: '"abc" is not a resource version: expected a decimal number',
    },
    {
      mistake: 'an unknown operator of a selector',
      act: () =>
        labelSelectorFromSpec({
          matchExpressions: [{ key: 'app', operator: 'Equals', values: ['web'] }],
        }),
      code: 'INVALID_SELECTOR',
      message:
        'label selector: "app": has the unknown operator "Equals"; known are In, NotIn, Exists, DoesNotExist',
    },
    {
      mistake: 'a selector without values',
      act: () => labelSelectorFromSpec({ matchExpressions: [{ key: 'app', operator: 'In' }] }),
      code: 'INVALID_SELECTOR',
      message: 'label selector: "app": in needs values; give at least one',
    },
    {
      mistake: 'a label with a space',
      act: () => labelSelectorFromSpec({ matchLabels: { app: 'my web' } }),
      code: 'INVALID_SELECTOR',
      message:
        'label selector: "app": "my web" is not a label value; use up to 63 letters, digits, "-", "_" and "."',
    },
    {
      mistake: 'a storage without a store',
      act: () => new KeyValueStorage({ resourcePrefix: '/registry/pods/' } as never),
      code: 'INVALID_OPTION',
      message: 'KeyValueStorage: option "store" is required',
    },
    {
      mistake: 'a storage over something that is no store',
      act: () => new KeyValueStorage({ store: new Map(), resourcePrefix: '/pods/' } as never),
      code: 'INVALID_OPTION',
      message: 'KeyValueStorage: option "store" must be a KeyValueStore, not an object',
    },
    {
      mistake: 'a misspelled option of a storage',
      act: () => new KeyValueStorage({ store: engine, prefix: '/registry/pods/' } as never),
      code: 'INVALID_OPTION',
      message:
        'KeyValueStorage: unknown option "prefix"; known are store, resourcePrefix, codec, transformer, versioner, runtime',
    },
    {
      mistake: 'a storage without a prefix',
      act: () => new KeyValueStorage({ store: engine } as never),
      code: 'INVALID_OPTION',
      message: 'KeyValueStorage: option "resourcePrefix" is required',
    },
    {
      mistake: 'a misspelled option of a lister-watcher of a storage',
      act: () => new StorageListerWatcher({ ...collection, alwaysLates: true } as never),
      code: 'INVALID_OPTION',
      message: 'StorageListerWatcher: unknown option "alwaysLates"; did you mean "alwaysLatest"?',
    },
    {
      mistake: 'a lister-watcher of something that is no storage',
      act: () => new StorageListerWatcher({ ...collection, storage: engine } as never),
      code: 'INVALID_OPTION',
      message: 'StorageListerWatcher: option "storage" must be a storage, not an object',
    },
    {
      mistake: 'a namespace of a lister-watcher that is an array',
      act: () => new StorageListerWatcher({ ...collection, namespace: ['shop'] } as never),
      code: 'INVALID_OPTION',
      message: 'StorageListerWatcher: option "namespace" must be a string, not an array',
    },
  ],
};
