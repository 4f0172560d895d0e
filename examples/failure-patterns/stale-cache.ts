import { controller } from 'listwatch';
import type { DatabaseOperator } from './database.ts';

/**
 * Stale cache: after a restart, an API server that lags fills the cache. The cache shows a database that is being deleted; the server has
 * deleted it already, and another database of the same name exists.
 *
 * Both operators delete the secret of a database before the database is deleted. Invariant: the secret of a database is never deleted while
 * the database exists and is not being deleted.
 */

/** Wrong: it deletes a secret by its name, and the name belongs to another secret by now. */
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
 * Right: it deletes exactly the secret that it has seen, by uid and resourceVersion. The server refuses (409) for any other, and the run is
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
