import { controller } from 'listwatch';
import { JOBS, type DatabaseOperator } from './database.ts';

/**
 * Unobserved change: states that lie between two looks are never seen. Changes are combined before a run, history is compacted while a watch
 * is broken, and nothing is seen while the program is down.
 *
 * Both operators start a job for each version that a database moves up to. Invariants: each version up to the present one has its job; no
 * job is left of a database that is gone.
 */

/** Wrong: it acts on the version, and on the deletion, that it happens to see. */
export const wrong: DatabaseOperator = (client, options) =>
  controller(client, 'example.com/v1', 'databases', options)
    .whenGone(async ({ uid = '' }, { resource }) => {
      const jobs = resource('batch/v1', 'jobs', { namespace: JOBS });
      await jobs.deleteCollection(jobsOf(uid));
    })
    .reconcile(async ({ metadata: { uid }, spec }, { resource }) => {
      const jobs = resource('batch/v1', 'jobs', { namespace: JOBS });
      await jobs.apply(migration(uid, spec.version));
    });

/** Right: it goes from the recorded version to the wanted one, and a finalizer holds the database until its jobs are deleted. */
export const right: DatabaseOperator = (client, options) =>
  controller(client, 'example.com/v1', 'databases', options)
    .finalizer('example.com/jobs', async ({ metadata: { uid } }, { resource }) => {
      const jobs = resource('batch/v1', 'jobs', { namespace: JOBS });
      await jobs.deleteCollection(jobsOf(uid));
    })
    .reconcile(async ({ metadata: { uid }, spec, status }, { resource }) => {
      const jobs = resource('batch/v1', 'jobs', { namespace: JOBS });
      for (let version = (status?.version ?? 0) + 1; version <= spec.version; version += 1) {
        await jobs.apply(migration(uid, version));
      }
      return { status: { version: spec.version } };
    });

function jobsOf(database: string) {
  return { labelSelector: `database=${database}`, propagationPolicy: 'Background' } as const;
}

function migration(database: string, version: number) {
  const containers = [{ name: 'migrate', image: `example.com/migrate:${version}` }];
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: `migrate-${database}-${version}`, labels: { database } },
    spec: { template: { spec: { restartPolicy: 'Never', containers } } },
  } as const;
}
