import assert from 'node:assert/strict';
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
import type { SuiteRunner } from './storage-conformance.ts';

export interface KeyValueSuiteOptions extends SuiteRunner {
  /** Makes a store without a key; called once for each case. */
  readonly open: () => KeyValueHarness | Promise<KeyValueHarness>;
  /**
   * Titles of facts that do not hold for these stores, and why: the test then passes as long as the fact fails, so that the
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
 * Defines the tests every implementation of `KeyValueStore` has to pass, one for each fact; all of them hold for a real etcd.
 * Results are checked with `node:assert`, so any assertion library may be used beside it.
 */
export function describeKeyValueStore(name: string, options: KeyValueSuiteOptions): void {
  options.describe(name, () => {
    for (const [topic, cases] of topics) {
      options.describe(topic, () => {
        for (const { title, check } of cases) {
          const run = async (): Promise<void> => runCase(await options.open(), check);
          const defect = options.defects?.[title];
          if (defect === undefined) options.it(title, run);
          else options.it(`${title}: not here, ${defect}`, () => expectDefect(run));
        }
      });
    }
  });
}

/** A defect may be a race that is won now and then. */
const DEFECT_ATTEMPTS = 20;

async function expectDefect(run: () => Promise<void>): Promise<void> {
  for (let attempt = 1; attempt <= DEFECT_ATTEMPTS; attempt += 1) {
    try {
      await run();
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
