import { controller } from 'listwatch';
import { JOBS, type DatabaseOperator } from './database.ts';

/**
 * Unobserved change: an operator does not see every state. Several changes lead to one run, history is compacted while a watch is broken,
 * and a program that is down sees nothing.
 *
 * Both operators start a job for each version that a database moves up to. Invariants: each version up to the current one has its job; a
 * deleted database has no job left.
 */

/** Wrong: it handles only the versions and the deletions that it happens to see. */
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

/**
 * Right: it handles each version from the one in the status to the one in the spec, and a finalizer keeps the database until its jobs are
 * deleted.
 */
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
