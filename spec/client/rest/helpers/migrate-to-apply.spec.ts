import { expect } from 'chai';
import { migrateToApply } from '../../../../lib/client/rest/helpers/migrate-to-apply.ts';
import { realRuntime } from '../../../../lib/kernel/time/real-runtime.ts';
import type { KubernetesObject } from '../../../../lib/meta/object.ts';
import { conflict } from '../../../../lib/meta/failure/failures.ts';

const entry = (manager: string, operation: string, fields: object, more: object = {}): object => ({
  manager,
  operation,
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1: fields,
  ...more,
});

/** Migrates the entries of an object, and gives back the patch that was sent, if any. */
async function migrated(
  managedFields: unknown,
  from: readonly string[],
  conflicts: number = 0,
): Promise<unknown> {
  let sent: unknown;
  let failures = conflicts;
  let reads = 0;
  const resource = {
    get: (): Promise<KubernetesObject> => {
      reads += 1;
      const metadata = { name: 'a', resourceVersion: String(reads), managedFields };
      return Promise.resolve({ metadata });
    },
    patch: (_: string, patch: object): Promise<KubernetesObject> => {
      sent = patch;
      failures -= 1;
      if (failures >= 0) return Promise.reject(conflict({ group: '', resource: 'maps' }, 'a', 'x'));
      return Promise.resolve({});
    },
  };
  await migrateToApply(resource, 'a', { from }, { to: 'shop', runtime: realRuntime });
  return sent;
}

const patched = (value: unknown, version: string = '1'): unknown => [
  { op: 'replace', path: '/metadata/managedFields', value },
  { op: 'replace', path: '/metadata/resourceVersion', value: version },
];

describe('migrateToApply', () => {
  const a = { 'f:data': { 'f:a': {} } };
  const b = { 'f:data': { 'f:b': {} } };

  it('turns the entry of an update into one of an apply', async () => {
    const sent = await migrated([entry('old', 'Update', a), entry('else', 'Update', b)], ['old']);
    expect(sent).to.deep.equal(patched([entry('shop', 'Apply', a), entry('else', 'Update', b)]));
  });

  it('unites the fields of several managers with those of an apply', async () => {
    const all = [entry('shop', 'Apply', a), entry('old', 'Update', b), entry('older', 'Update', a)];
    const both = { 'f:data': { 'f:a': {}, 'f:b': {} } };
    expect(await migrated(all, ['old', 'older'])).to.deep.equal(
      patched([entry('shop', 'Apply', both)]),
    );
  });

  it('does not unite fields of another API version, and leaves subresources alone', async () => {
    const status = entry('old', 'Update', b, { subresource: 'status' });
    const other = entry('old', 'Update', b, { apiVersion: 'v2' });
    const all = [entry('shop', 'Apply', a), other, status];
    expect(await migrated(all, ['old'])).to.deep.equal(
      patched([entry('shop', 'Apply', a), status]),
    );
  });

  it('writes nothing when there is nothing to migrate', async () => {
    expect(await migrated([entry('shop', 'Apply', a)], ['old'])).to.equal(undefined);
    for (const none of [undefined, null, 'x', [null, 7]]) {
      expect(await migrated(none, ['old'])).to.equal(undefined);
    }
  });

  it('reads the object again when it has changed in between', async () => {
    const sent = await migrated([entry('old', 'Update', a)], ['old'], 2);
    expect(sent).to.deep.equal(patched([entry('shop', 'Apply', a)], '3'));
  });
});
