import { expect } from 'chai';
import { Client } from '../../../../lib/client/rest/client.ts';
import type { ResourceClient } from '../../../../lib/client/rest/resource-client.ts';
import type {
  DeletedObject,
  WriteObserver,
} from '../../../../lib/client/rest/request/write-observer.ts';

import type { KubernetesObject, ObjectMeta } from '../../../../lib/meta/object.ts';
import { failureOf } from '../../support/failure-of.ts';
import { ScriptedTransport, type ScriptedAnswer } from '../../support/scripted-transport.ts';
import { statusOf } from '../../support/status-failures.ts';
import { lineLogger } from '../../../support/line-logger.ts';

interface Deployment extends KubernetesObject {
  readonly spec?: { readonly replicas?: number };
}

const web = (metadata: ObjectMeta = {}): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', uid: 'u-1', resourceVersion: '5', ...metadata },
});

const SUCCESS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };

describe('an observer of writes', () => {
  let seen: (KubernetesObject | DeletedObject)[];
  let observer: WriteObserver<Deployment>;

  beforeEach(() => {
    seen = [];
    observer = {
      written: (object) => void seen.push(object),
      deleted: (object) => void seen.push(object),
    };
  });

  const deployments = (answer: ScriptedAnswer): ResourceClient<Deployment> => {
    const client = new Client({ transport: new ScriptedTransport(() => answer) });
    return client.resource<Deployment>('apps/v1', 'deployments', {
      namespace: 'shop',
      writes: observer,
    });
  };

  it('is shown what the server stored, before the caller is', async () => {
    const api = deployments({ body: web() });
    await api.create(web());
    await api.update(web());
    await api.updateStatus(web());
    await api.patch('web', {});
    const answer = await api.patch('web', [], { subresource: 'status' });
    expect(seen).to.deep.equal(Array.from({ length: 5 }, () => web()));
    expect(seen[4]).to.equal(answer);
  });

  it('is notified whether an answer has own changes only, if it knows the state before', async () => {
    const notified: unknown[] = [];
    const keys: string[] = [];
    const labels = { app: 'web' };
    const known = (key: string): Deployment => {
      keys.push(key);
      return web({ resourceVersion: '4' });
    };
    const written = (_: unknown, isOwn?: boolean): void => void notified.push(isOwn);
    for (const knows of [true, false]) {
      observer = { written, deleted: () => {}, ...(knows && { known }) };
      const api = deployments({ body: web({ labels }) });
      await api.patch('web', { metadata: { labels } });
      await api.patch('web', { spec: { replicas: 2 } });
      await api.create(web({ labels }));
    }
    expect(notified).to.deep.equal([true, false, true, true, true, true]);
    expect(keys).to.deep.equal(['shop/web', 'shop/web']);
  });

  it('is not shown reads, dry runs and refused writes', async () => {
    const api = deployments({ body: web() });
    await api.get('web');
    await api.create(web(), { dryRun: true });
    await api.update(web(), { dryRun: true });
    await api.patch('web', {}, { dryRun: true });
    await api.delete('web', { dryRun: true });
    const refusing = deployments({ status: 409, body: statusOf('Conflict', 409) });
    for (const write of [
      () => refusing.create(web()),
      () => refusing.update(web()),
      () => refusing.updateStatus(web()),
      () => refusing.patch('web', {}),
      () => refusing.delete('web'),
    ]) {
      expect((await failureOf(write())).code).to.equal('CONFLICT');
    }
    expect(seen).to.deep.equal([]);
  });

  it('is shown the answer of a subresource only if it is of the same kind', async () => {
    const scale = { ...web(), apiVersion: 'autoscaling/v1', kind: 'Scale' };
    await deployments({ body: scale }).patch('web', {}, { subresource: 'scale' });
    await deployments({ body: SUCCESS }).patch('web', {}, { subresource: 'rollback' });
    expect(seen).to.deep.equal([]);
    await deployments({ body: web() }).patch('web', {}, { subresource: 'resize' });
    expect(seen).to.deep.equal([web()]);
  });

  it('gets the object that a deletion removed, as far as the answer has it', async () => {
    const details = { name: 'web', group: 'apps', kind: 'deployments', uid: 'u-1' };
    await deployments({ body: { ...SUCCESS, details } }).delete('web');
    await deployments({ body: SUCCESS }).delete('web', { namespace: 'other' });
    await deployments({ body: SUCCESS }).delete('web', { namespace: '' });
    await deployments({ body: web({ resourceVersion: '9' }) }).delete('web');
    expect(seen).to.deep.equal([
      { key: 'shop/web', uid: 'u-1' },
      { key: 'other/web', uid: undefined },
      { key: 'web', uid: undefined },
      { key: 'shop/web', uid: 'u-1', resourceVersion: '9' },
    ]);
  });

  it('gets an object that still exists because of its finalizers or its grace period', async () => {
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    const waiting = web({ deletionTimestamp, finalizers: ['example.com/hold'] });
    const graceful = web({ deletionTimestamp, deletionGracePeriodSeconds: 30 });
    const forced = web({ deletionTimestamp, deletionGracePeriodSeconds: 0, finalizers: [] });
    const namespace = { ...web({ deletionTimestamp }), kind: 'Namespace' };
    const emptying = { ...namespace, spec: { finalizers: ['kubernetes'] } };
    for (const body of [waiting, graceful, emptying, forced]) {
      await deployments({ body }).delete('web');
    }
    expect(seen).to.deep.equal([
      waiting,
      graceful,
      emptying,
      { key: 'shop/web', uid: 'u-1', resourceVersion: '5' },
    ]);
  });

  it('gets the object that is removed with its last finalizer', async () => {
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    const held = web({ deletionTimestamp, finalizers: ['example.com/hold'] });
    const gone = web({ deletionTimestamp, resourceVersion: '9' });
    await deployments({ body: held }).patch('web', {});
    await deployments({ body: gone }).update(gone);
    expect(seen).to.deep.equal([held, { key: 'shop/web', uid: 'u-1', resourceVersion: '9' }]);
  });

  it('does not make a write fail that has happened', async () => {
    const errors: unknown[] = [];
    const transport = new ScriptedTransport(() => ({ body: web() }));
    const logger = lineLogger((line) => errors.push(line));
    const client = new Client({ transport, logger });
    const fail = (): never => {
      throw new Error('boom');
    };
    const later = (): Promise<never> => Promise.reject(new Error('later'));
    const api = client.resource<Deployment>('apps/v1', 'deployments', {
      namespace: 'shop',
      writes: {
        written: fail,
        deleted: () => later() as unknown as undefined,
      },
    });
    expect(await api.create(web())).to.deep.equal(web());
    await api.delete('web');
    await new Promise((resolve) => setImmediate(resolve));
    expect(errors).to.deep.equal([
      'hook threw: boom (hook="write observer")',
      'hook threw: later (hook="write observer")',
    ]);
  });
});
