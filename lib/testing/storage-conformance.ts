import { createGetDeleteCases } from './storage-create-get-delete-cases.ts';
import { deleteWithSuggestionCases } from './storage-suggestion-cases.ts';
import { listCases } from './storage-list-cases.ts';
import { pagingCases } from './storage-paging-cases.ts';
import { updateCases } from './storage-update-cases.ts';
import { watchCases } from './storage-watch-cases.ts';
import { watchStartCases } from './storage-watch-start-cases.ts';
import {
  StorageUnderTest,
  type ConformanceCase,
  type StorageHarness,
} from './storage-under-test.ts';

/** The part of mocha, or of any test runner like it, that the suite needs. */
export interface SuiteRunner {
  describe(title: string, body: () => void): unknown;
  it(title: string, body: () => Promise<void>): unknown;
}

export interface StorageSuiteOptions extends SuiteRunner {
  /** Makes a fresh, empty storage; called once for each case. */
  readonly open: () => StorageHarness | Promise<StorageHarness>;
  /** Whether the storages it makes have a watch cache. */
  readonly cached: boolean;
}

const topics: readonly (readonly [string, readonly ConformanceCase[]])[] = [
  ['create, get and delete', createGetDeleteCases],
  ['deletion with a suggestion', deleteWithSuggestionCases],
  ['update', updateCases],
  ['list', listCases],
  ['paging', pagingCases],
  ['watch', watchCases],
  ['start of a watch', watchStartCases],
];

/**
 * Defines the tests every implementation of `StorageInterface` has to pass, one for each fact. Results are checked with
 * `node:assert`, so any assertion library may be used beside it.
 */
export function describeStorage(name: string, options: StorageSuiteOptions): void {
  options.describe(name, () => {
    for (const [topic, cases] of topics) {
      options.describe(topic, () => {
        for (const { title, only, check } of cases) {
          if (only !== undefined && (only === 'cached') !== options.cached) continue;
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
