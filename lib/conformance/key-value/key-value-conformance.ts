import assert from 'node:assert/strict';
import { sleep } from '../../kernel/time/wait.ts';
import { keyValueCompactionCases } from './key-value-compaction-cases.ts';
import { keyValueLeaseCases } from './key-value-lease-cases.ts';
import { keyValueRangeCases } from './key-value-range-cases.ts';
import { keyValueTxnCases } from './key-value-txn-cases.ts';
import { keyValueTxnRefusalCases } from './key-value-txn-refusal-cases.ts';
import {
  KeyValueUnderTest,
  type KeyValueCase,
  type KeyValueHarness,
} from './key-value-under-test.ts';
import { keyValueWatchCases } from './key-value-watch-cases.ts';
import { keyValueWatchHistoryCases } from './key-value-watch-history-cases.ts';
import type { SuiteRunner } from '../storage/storage-conformance.ts';

/** @experimental */
export interface KeyValueSuiteOptions extends SuiteRunner {
  /** Creates a store without keys; called once for each case. */
  readonly open: () => KeyValueHarness | Promise<KeyValueHarness>;
  /**
   * Titles of facts that do not hold for these stores, and the reason. Such a test passes only while the fact fails, so that the
   * list cannot outlive the defect. @defaultValue none
   */
  readonly defects?: Readonly<Record<string, string>> | undefined;
}

const topics: readonly (readonly [string, readonly KeyValueCase[]])[] = [
  ['range', keyValueRangeCases],
  ['transaction', keyValueTxnCases],
  ['transaction that is refused', keyValueTxnRefusalCases],
  ['compaction', keyValueCompactionCases],
  ['watch', keyValueWatchCases],
  ['watch of the past', keyValueWatchHistoryCases],
  ['lease', keyValueLeaseCases],
];

/**
 * Defines the tests that every implementation of `KeyValueStore` must pass, one for each fact; all of them hold for a real etcd.
 * Results are checked with `node:assert`, so any assertion library may be used beside it.
 *
 * @experimental
 */
export function describeKeyValueStore(name: string, options: KeyValueSuiteOptions): void {
  options.describe(name, () => {
    for (const [topic, cases] of topics) {
      options.describe(topic, () => {
        for (const { title, check } of cases) {
          const defect = options.defects?.[title];
          if (defect === undefined) {
            options.it(title, async () => runCase(await options.open(), check));
          } else {
            options.it(`${title}: not here, ${defect}`, () => expectDefect(options.open, check));
          }
        }
      });
    }
  });
}

/** A defect may be a race that occurs only now and then, or only after a while when the member is busy. */
const DEFECT_ATTEMPTS = 30;
const DEFECT_PAUSE_MS = 100;

async function expectDefect(
  open: KeyValueSuiteOptions['open'],
  check: KeyValueCase['check'],
): Promise<void> {
  for (let attempt = 1; attempt <= DEFECT_ATTEMPTS; attempt += 1) {
    const checkAndPause: KeyValueCase['check'] = async (under) => {
      await check(under);
      await sleep(under.runtime, DEFECT_PAUSE_MS);
    };
    try {
      await runCase(await open(), checkAndPause);
    } catch {
      return;
    }
  }
  assert.fail(`the fact holds, ${DEFECT_ATTEMPTS} times in a row: the defect is gone`);
}

async function runCase(harness: KeyValueHarness, check: KeyValueCase['check']): Promise<void> {
  try {
    await harness.run(async () => {
      const { revision } = await harness.store.status();
      await check(new KeyValueUnderTest(harness, revision));
    });
  } finally {
    await harness.close();
  }
}
