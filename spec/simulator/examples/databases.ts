import { controllerOf } from '../../../lib/meta/object.ts';
import type { Client } from '../../../lib/index.ts';
import type { SimulationOptions } from '../../../lib/simulator/contract/simulation-options.ts';
import type { ClusterState, Invariant } from '../../../lib/simulator/contract/world.ts';
import { right as crashBetweenWrites } from '../../../examples/failure-patterns/crash-between-writes.ts';
import {
  DEFINITION,
  JOBS,
  type Database,
  type DatabaseOperator,
  type DatabaseTypes,
} from '../../../examples/failure-patterns/database.ts';
import { right as staleCache } from '../../../examples/failure-patterns/stale-cache.ts';
import { right as unobservedChange } from '../../../examples/failure-patterns/unobserved-change.ts';

type Checked = Invariant<DatabaseTypes>;

const API = 'example.com/v1';

const databases = (user: Client<DatabaseTypes>) =>
  user.resource(API, 'databases', { namespace: 'default' });

const all = (state: ClusterState<DatabaseTypes>): readonly Database[] =>
  state.list(API, 'databases');

const create = async (user: Client<DatabaseTypes>): Promise<void> => {
  const metadata = { name: 'shop' };
  await databases(user).create({
    apiVersion: API,
    kind: 'Database',
    metadata,
    spec: { version: 1 },
  });
};

const oneSecret: Checked = {
  name: 'a database has one secret, and its status names it',
  eventually: (state) =>
    all(state).every(({ metadata, status }) => {
      const owned = state
        .list('v1', 'secrets')
        .filter((secret) => controllerOf(secret)?.uid === metadata?.uid);
      return owned.length === 1 && owned[0]?.metadata?.name === status?.secret;
    }),
};

const allJobs: Checked = {
  name: 'each version has its job, and no job is left of a database that is gone',
  eventually: (state) => {
    const wanted = all(state).flatMap(({ metadata, spec }) =>
      Array.from({ length: spec.version }, (_, index) => `migrate-${metadata?.uid}-${index + 1}`),
    );
    const names = state.list('batch/v1', 'jobs', JOBS).map(({ metadata }) => metadata?.name ?? '');
    return wanted.toSorted().join() === names.toSorted().join();
  },
};

function simulationOf(
  name: string,
  operator: DatabaseOperator,
  invariants: readonly Checked[],
): SimulationOptions<DatabaseTypes> {
  return {
    world: {
      objects: [DEFINITION, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: JOBS } }],
    },
    controllers: [
      {
        name,
        run: async ({ client, runtime, signal, logger }) => {
          await operator(client, { runtime, logger }).run({ signal });
        },
      },
    ],
    invariants,
    workload: [
      { title: 'create a database', act: create },
      {
        title: 'move it to version 3',
        act: async (user) => {
          await databases(user).patch('shop', { spec: { version: 3 } });
        },
      },
      {
        title: 'delete it',
        act: async (user) => {
          await databases(user).delete('shop');
        },
        until: (state) => all(state).length + state.list('v1', 'secrets').length === 0,
      },
      { title: 'create it again', act: create },
    ],
  };
}

/** The right operators of `examples/failure-patterns`. */
export const databaseSimulations: Readonly<Record<string, SimulationOptions<DatabaseTypes>>> = {
  'crash-between-writes': simulationOf('crash-between-writes', crashBetweenWrites, [oneSecret]),
  'stale-cache': simulationOf('stale-cache', staleCache, []),
  'unobserved-change': simulationOf('unobserved-change', unobservedChange, [allJobs]),
};
