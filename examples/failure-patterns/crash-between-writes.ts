import { randomBytes } from 'node:crypto';
import { controller } from 'listwatch';
import type { DatabaseOperator } from './database.ts';

/**
 * Crash between writes: the program dies after one write and before the next. The new process knows only what the first write left.
 *
 * Both operators give a database a password. Invariant: a database has one secret, and its status names it.
 */

/** Wrong: a crash after `create` loses the generated name, so the next run creates another secret. */
export const wrong: DatabaseOperator = (client, options) =>
  controller(client, 'example.com/v1', 'databases', options)
    .owns('v1', 'secrets')
    .reconcile(async ({ metadata, status }, { resource, own }) => {
      if (status?.secret !== undefined) return;
      const secret = own({
        metadata: { generateName: `${metadata.name}-` },
        stringData: password(),
      });
      const created = await resource('v1', 'secrets').create(secret);
      return { status: { secret: created.metadata.name } };
    });

/**
 * Right: the name follows from the database, so the server refuses a second secret. A run after a crash finds the first one in the cache;
 * one whose cache is behind fails with ALREADY_EXISTS, and is repeated.
 */
export const right: DatabaseOperator = (client, options) =>
  controller(client, 'example.com/v1', 'databases', options)
    .owns('v1', 'secrets')
    .reconcile(async ({ metadata }, { resource, own, owned }) => {
      const name = `${metadata.name}-password`;
      const secret = own({ metadata: { name }, stringData: password() });
      if (owned('v1', 'secrets').length === 0) await resource('v1', 'secrets').create(secret);
      return { status: { secret: name } };
    });

function password() {
  return { password: randomBytes(18).toString('base64url') };
}
