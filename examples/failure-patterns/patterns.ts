import { sleep } from 'listwatch/kernel';
import * as crash from './crash-between-writes.ts';
import type { DatabaseOperator } from './database.ts';
import { allJobs, keptSecrets, oneSecret, type Invariant } from './invariants.ts';
import * as stale from './stale-cache.ts';
import { Trial } from './trial.ts';
import * as unobserved from './unobserved-change.ts';

/** The actions of a user, and the faults between them. */
export type Plan = (trial: Trial) => Promise<void>;

export interface Pattern {
  readonly name: string;
  readonly wrong: DatabaseOperator;
  readonly right: DatabaseOperator;
  readonly invariant: Invariant;
  /** The shortest plan that breaks the wrong operator. */
  readonly plan: Plan;
  /** A plan with choices drawn from the seed. */
  readonly drawn: Plan;
}

export type Which = 'wrong' | 'right';

/** Runs an operator under the plan of its pattern. Returns the violations. */
export async function brokenByPlan(pattern: Pattern, which: Which): Promise<readonly string[]> {
  return await new Trial(pattern[which], {}).run(pattern.plan, pattern.invariant);
}

/** Runs an operator with choices drawn from a seed, which also orders tasks that are ready at the same time. Returns the violations. */
export async function brokenBySeed(
  pattern: Pattern,
  which: Which,
  seed: number,
): Promise<readonly string[]> {
  const trial = new Trial(pattern[which], { seed, order: 'random' });
  return await trial.run(pattern.drawn, pattern.invariant);
}

/** Runs an operator without faults. Returns the violations. */
export async function brokenInCalm(pattern: Pattern, which: Which): Promise<readonly string[]> {
  return await new Trial(pattern[which], {}).run(calm, pattern.invariant);
}

const database = {
  apiVersion: 'example.com/v1',
  kind: 'Database',
  metadata: { name: 'shop' },
  spec: { version: 1 },
};

const calm: Plan = async ({ databases, secrets, until, runtime }) => {
  for (let round = 1; round <= 2; round += 1) {
    await databases.create(database);
    await sleep(runtime, 5000);
    await databases.patch('shop', { spec: { version: 2 } });
    await sleep(runtime, 5000);
    if (round === 2) break;
    await databases.delete('shop');
    await until('the database is gone', async () => (await databases.list()).items.length === 0);
    // This server has no garbage collector.
    for (const { metadata } of (await secrets.list()).items) await secrets.delete(metadata.name);
  }
};

export const PATTERNS: readonly Pattern[] = [
  {
    name: 'crash between writes',
    wrong: crash.wrong,
    right: crash.right,
    invariant: oneSecret,
    plan: async ({ operator, databases, until }) => {
      operator.crashAt({ match: { verb: 'create', resource: 'secrets' } });
      await databases.create(database);
      await until(
        'the status names a secret',
        async () => (await databases.get('shop')).status?.secret !== undefined,
      );
    },
    drawn: async ({ operator, databases, runtime }) => {
      const [probability, handled] = [runtime.random(), runtime.random() < 0.5];
      const verb = ['create', 'patch'] as const;
      operator.crashAt({ match: { verb }, times: 3, probability, handled, seed: runtime.random() });
      await databases.create(database);
      await sleep(runtime, 10_000);
    },
  },
  {
    name: 'stale cache',
    wrong: stale.wrong,
    right: stale.right,
    invariant: keptSecrets,
    plan: async (trial) => {
      const { operator, databases, secrets, until, lagging, first, second, runtime } = trial;
      await trial.fillSecond();
      const isThere = async (): Promise<boolean> => (await secrets.list()).items.length > 0;
      await databases.create(database);
      await until('the secret is there', isThere);
      operator.crash();
      await databases.delete('shop');
      // The second server shows the deletion, and nothing that follows it.
      await sleep(runtime, 1000);
      lagging.hold();
      operator.start(first.handler);
      await until('the database is gone', async () => (await databases.list()).items.length === 0);
      await databases.create(database);
      await until('the secret of the next one is there', isThere);
      operator.crash();
      operator.start(second.handler);
      await sleep(runtime, 10_000);
    },
    drawn: async (trial) => {
      const { operator, databases, secrets, until, lagging, first, second, runtime } = trial;
      await trial.fillSecond();
      const isThere = async (): Promise<boolean> => (await secrets.list()).items.length > 0;
      await databases.create(database);
      await until('the secret is there', isThere);
      if (runtime.random() < 0.7) operator.crash();
      await databases.delete('shop');
      await sleep(runtime, runtime.random() * 100);
      lagging.hold();
      if (!operator.running) operator.start(first.handler);
      await until('the database is gone', async () => (await databases.list()).items.length === 0);
      await databases.create(database);
      await until('the secret of the next one is there', isThere);
      operator.crash();
      operator.start(runtime.random() < 0.7 ? second.handler : first.handler);
      await sleep(runtime, runtime.random() * 10_000);
    },
  },
  {
    name: 'unobserved change',
    wrong: unobserved.wrong,
    right: unobserved.right,
    invariant: allJobs,
    plan: async ({ operator, databases, jobs, until, first }) => {
      await databases.create(database);
      await databases.create({ ...database, metadata: { name: 'old' } });
      await until('both have their first job', async () => (await jobs.list()).items.length === 2);
      operator.crash();
      await databases.patch('shop', { spec: { version: 2 } });
      await databases.patch('shop', { spec: { version: 3 } });
      await databases.delete('old');
      await first.compact();
      operator.start();
    },
    drawn: async ({ operator, databases, first, runtime }) => {
      await databases.create(database);
      for (let version = 2; version <= 6; version += 1) {
        const dice = runtime.random();
        if (dice < 0.3) operator.crash();
        await databases.patch('shop', { spec: { version } });
        if (dice < 0.15) await first.compact();
        if (!operator.running && runtime.random() < 0.5) operator.start();
        await sleep(runtime, runtime.random() * 1000);
      }
      if (runtime.random() < 0.3) await databases.delete('shop');
    },
  },
];
