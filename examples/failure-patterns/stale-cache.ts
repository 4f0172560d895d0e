import { controller } from 'listwatch';
import type { DatabaseOperator } from './database.ts';

/**
 * Stale cache: after a restart, the cache is filled by an API server that lags. It shows a database whose deletion has begun, although that
 * one is gone, and another of the same name is at work.
 *
 * Both operators delete the secret of a database before the database goes. Invariant: the secret of a database that is there, and not
 * being deleted, is never deleted.
 */

/** Wrong: what the cache shows is deleted by its name, and the name belongs to another object by now. */
export const wrong: DatabaseOperator = (client, options) =>
  controller(client, 'example.com/v1', 'databases', options)
    .owns('v1', 'secrets')
    .finalizer('example.com/secret', async (_database, { resource, owned }) => {
      for (const { metadata } of owned('v1', 'secrets')) {
        await resource('v1', 'secrets').delete(metadata.name, { ignoreNotFound: true });
      }
    })
    .reconcile(async ({ metadata }, { resource, own }) => {
      await resource('v1', 'secrets').apply(own(secretOf(metadata.name)));
    });

/**
 * Right: the deletion names the object that was seen, not only its name. The server refuses it (409) for any other object, and the run is
 * repeated until the cache has caught up.
 */
export const right: DatabaseOperator = (client, options) =>
  controller(client, 'example.com/v1', 'databases', options)
    .owns('v1', 'secrets')
    .finalizer('example.com/secret', async (_database, { resource, owned }) => {
      for (const { metadata } of owned('v1', 'secrets')) {
        const { uid, resourceVersion } = metadata;
        const preconditions = { uid, resourceVersion };
        await resource('v1', 'secrets').delete(metadata.name, {
          preconditions,
          ignoreNotFound: true,
        });
      }
    })
    .reconcile(async ({ metadata }, { resource, own }) => {
      await resource('v1', 'secrets').apply(own(secretOf(metadata.name)));
    });

function secretOf(database: string) {
  const metadata = { name: `${database}-login` };
  return { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { user: database } } as const;
}
