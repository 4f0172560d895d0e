import { expect } from 'chai';
import type { ListerWatcherSource } from '../../../lib/cache/informer/factory/informer-request.ts';
import type { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import { SharedInformerFactory } from '../../../lib/cache/informer/factory/shared-informer-factory.ts';
import { Client } from '../../../lib/client/rest/client.ts';
import type { ResourceClient } from '../../../lib/client/rest/resource-client.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import type { KubernetesObject, UnstructuredObject } from '../../../lib/meta/object.ts';
import { failureOf, thrownBy } from '../support/failure-of.ts';
import { ScriptedTransport } from '../support/scripted-transport.ts';

interface Pod extends KubernetesObject {
  readonly spec: { readonly nodeName?: string };
}

describe('Client', () => {
  it('describes the collection of a lister-watcher', () => {
    const client: ListerWatcherSource = new Client({
      transport: new ScriptedTransport(() => ({})),
    });
    const deployments = { apiVersion: 'apps/v1', resource: 'deployments' };
    expect(client.listerWatcher(deployments).description).to.equal('deployments.apps');
    const options = { namespace: 'shop', labelSelector: 'a=b', fieldSelector: 'c=d' };
    expect(client.listerWatcher(deployments, options).description).to.equal(
      'deployments.apps in namespace shop with labels a=b with fields c=d',
    );
  });

  it('returns the version of the server', async () => {
    const body = { major: '1', minor: '36', gitVersion: 'v1.36.0' };
    const client = new Client({ transport: new ScriptedTransport(() => ({ body })) });
    expect(await client.version()).to.deep.equal(body);
  });

  it('refuses an answer over the size limit', async () => {
    const transport = new ScriptedTransport(() => ({ body: `{"a":"${'x'.repeat(100)}"}` }));
    const client = new Client({ transport, maxResponseBytes: 50 });
    expect((await failureOf(client.version())).code).to.equal('RESPONSE_TOO_LARGE');
    expect(transport.finished).to.equal(1);
  });

  it('hands every warning to the hook, and survives a hook that throws', async () => {
    const headers = { warning: '299 - "one", 299 - "two"' };
    const transport = new ScriptedTransport(() => ({ headers, body: {} }));
    const texts: string[] = [];
    const errors: unknown[] = [];
    const client = new Client({
      transport,
      logger: { ...silentLogger, error: (_, fields) => errors.push(fields?.['error']) },
      onWarning: ({ text }) => {
        texts.push(text);
        throw new Error('hook');
      },
    });
    await client.version();
    await client.version();
    expect(texts).to.deep.equal(['one', 'two', 'one', 'two']);
    expect(errors.map(String)).to.deep.equal(Array(4).fill('Error: hook'));
  });

  it('logs each warning once without a hook', async () => {
    const transport = new ScriptedTransport((_, index) => ({
      headers: { warning: `299 - "text ${index % 2}"` },
      body: {},
    }));
    const texts: unknown[] = [];
    const logger = { ...silentLogger, warn: (_: string, fields?: object) => texts.push(fields) };
    const client = new Client({ transport, logger });
    for (let count = 0; count < 6; count += 1) await client.version();
    expect(texts).to.have.length(2);
  });

  it('closes its transport, also by disposal', async () => {
    const transport = new ScriptedTransport(() => ({}));
    {
      await using client = new Client({ transport });
      expect(client.namespace).to.equal('default');
    }
    expect(transport.closed).to.equal(true);
  });

  it('refuses options it does not know', () => {
    const transport = new ScriptedTransport(() => ({}));
    const misspelt: { transport: ScriptedTransport } = Object.assign({ transport }, { onWarn: 1 });
    expect(thrownBy(() => new Client(misspelt)).message).to.contain('"onWarn"');
    const client = new Client({ transport });
    const wrong: object = { labels: 'a' };
    const pods = { apiVersion: 'v1', resource: 'pods' };
    expect(thrownBy(() => client.listerWatcher(pods, wrong)).message).to.contain('"labels"');
  });

  it('knows the types that were declared, here and in its informers, and takes others a call at a time', () => {
    interface Types {
      'v1/pods': Pod;
    }
    const transport = new ScriptedTransport(() => ({ body: {} }));
    const client = new Client<Types>({ transport });
    const declared: ResourceClient<Pod> = client.resource('v1', 'pods');
    const named: ResourceClient<Pod> = client.resource<Pod>('v1', 'podtemplates');
    const unknown: ResourceClient<UnstructuredObject> = client.resource(
      'example.com/v1',
      'secrets',
    );
    const informers = new SharedInformerFactory(client);
    const pods: SharedIndexInformer<Pod> = informers.for('v1', 'pods');
    const writing: ResourceClient<Pod> = client.resource('v1', 'pods', { writes: pods });
    // @ts-expect-error -- the types of the client are known to its informers
    const wrong: SharedIndexInformer<UnstructuredObject> = informers.for('v1', 'pods');
    const plain: Client = client;
    const typed: ListerWatcherSource<Types> = new Client({ transport });
    const everybody: SharedInformerFactory = informers;
    // @ts-expect-error -- the client declares something else
    const other: Client<{ 'v1/pods': { readonly metadata: { readonly x: number } } }> = client;
    const untyped = new SharedInformerFactory(plain).for('v1', 'pods').lister.list()[0]?.['spec'];
    expect([declared, named, unknown, pods, writing, wrong, typed, untyped]).to.have.length(8);
    expect(everybody).to.equal(informers);
    expect(other).to.equal(client);
  });
});
