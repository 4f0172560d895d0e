import { bookmarkCases } from './storage-bookmark-cases.ts';
import { createGetDeleteCases } from './storage-create-get-delete-cases.ts';
import { deleteWithSuggestionCases } from './storage-suggestion-cases.ts';
import { listCases } from './storage-list-cases.ts';
import { pagingCases } from './storage-paging-cases.ts';
import { scopeCases } from './storage-scope-cases.ts';
import { sizeCases } from './storage-size-cases.ts';
import { unreadableCases } from './storage-unreadable-cases.ts';
import { updateCases } from './storage-update-cases.ts';
import { watchCases } from './storage-watch-cases.ts';
import { watchStartCases } from './storage-watch-start-cases.ts';
import {
  StorageUnderTest,
  type ConformanceCase,
  type StorageHarness,
} from './storage-under-test.ts';
import type { UpstreamStorageTest } from './upstream-storage-tests.ts';

/**
 * The functions of mocha, or of a similar test runner, that the suite needs.
 *
 * @experimental
 */
export interface SuiteRunner {
  describe(title: string, body: () => void): unknown;
  it(title: string, body: () => Promise<void>): unknown;
}

/** @experimental */
export interface StorageSuiteOptions extends SuiteRunner {
  /** Creates an empty storage; called once for each case. */
  readonly open: () => StorageHarness | Promise<StorageHarness>;
  /** Whether the storages have a watch cache. */
  readonly cached: boolean;
  /**
   * With false, the cases that need it are left out; see `StorageInterface.supportsProgress`.
   * @defaultValue true
   */
  readonly supportsProgress?: boolean | undefined;
  /** Called for each case that is left out because the backend does not support it. */
  readonly onLeftOut?: ((title: string, because: string) => void) | undefined;
}

/** All cases by topic, in the order in which they run. */
export const storageConformanceTopics: readonly (readonly [
  topic: string,
  cases: readonly ConformanceCase[],
])[] = [
  ['create, get and delete', createGetDeleteCases],
  ['deletion with a suggestion', deleteWithSuggestionCases],
  ['update', updateCases],
  ['list', listCases],
  ['paging', pagingCases],
  ['unreadable objects', unreadableCases],
  ['size', sizeCases],
  ['watch', watchCases],
  ['start of a watch', watchStartCases],
  ['bookmarks', bookmarkCases],
  ['scope and selection', scopeCases],
];

/**
 * The run-functions of kube-apiserver that have no case here, with the reason.
 *
 * @experimental
 */
export const storageTestsLeftOut: readonly {
  readonly name: UpstreamStorageTest;
  readonly because: string;
}[] = [
  {
    name: 'RunTestGetListWithoutErrorAggregation',
    because:
      'It tests the behaviour with the feature gate AllowUnsafeMalformedObjectDeletion off. There is no such switch here: a list always names all objects that cannot be read.',
  },
  {
    name: 'RunTestWatchInitializationSignal',
    because:
      'The signal frees the seat of a watch in API priority and fairness, which this server does not have; a watch has begun when the promise of `watch` resolves.',
  },
];

/**
 * Defines the tests that every implementation of `StorageInterface` must pass, one for each fact. Results are checked with
 * `node:assert`, so any assertion library may be used beside it.
 *
 * @experimental
 */
export function describeStorage(name: string, options: StorageSuiteOptions): void {
  options.describe(name, () => {
    for (const [topic, cases] of storageConformanceTopics) {
      options.describe(topic, () => {
        for (const { title, only, needs, check } of cases) {
          if (only !== undefined && (only === 'cached') !== options.cached) continue;
          if (needs === 'progress' && options.supportsProgress === false) {
            options.onLeftOut?.(title, 'the backend cannot report its progress');
            continue;
          }
          options.it(title, async () => runCase(await options.open(), check));
        }
      });
    }
  });
}

async function runCase(harness: StorageHarness, check: ConformanceCase['check']): Promise<void> {
  const storage = new StorageUnderTest(harness);
  try {
    await harness.run(async () => {
      await storage.whenReady();
      await check(storage);
    });
  } finally {
    await harness.close();
  }
}
