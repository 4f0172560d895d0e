import { expect } from 'chai';
import {
  SharedInformerFactory,
  type SharedInformerFactoryOptions,
} from '../../../../lib/cache/informer/factory/shared-informer-factory.ts';
import { FactorySetup } from '../../support/factory-setup.ts';
import type { KubernetesObject } from '../../../../lib/meta/object.ts';
import { codeOf, rejection, type Pod } from '../../support/objects.ts';

describe('The defaults of a resource in a factory', () => {
  it('select what its informers read, and reduce what they keep', async () => {
    const { runtime, source } = new FactorySetup();
    const informers = new SharedInformerFactory(source, {
      runtime,
      namespace: 'other',
      kinds: {
        'v1/secrets': { metadataOnly: true },
        'v1/pods': { namespace: 'shop', labelSelector: 'app', fields: ['spec.nodeName'] },
      },
    });
    const secrets = informers.for('v1', 'secrets');
    const pods = informers.for('v1', 'pods');
    expect(informers.for('v1', 'pods', { namespace: 'shop' })).to.equal(pods);
    informers.for('v1', 'pods', { namespace: 'web', labelSelector: '' });
    expect([...source.collections.keys()]).to.deep.equal([
      'v1/secrets other metadata only',
      'v1/pods shop app',
      'v1/pods web ',
    ]);
    informers.start();
    await runtime.run(informers.whenSynced({ timeoutMs: 30_000 }));
    // Compiles only if the types follow the defaults.
    const names: (string | undefined)[] = secrets.lister.list().map((one) => one.metadata.name);
    expect(names).to.deep.equal(['a']);
    const kinds: 'PartialObjectMetadata'[] = secrets.lister.list().map(({ kind }) => kind);
    expect(kinds).to.deep.equal(['PartialObjectMetadata']);
    source.collection('v1/pods shop app').add({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'b', namespace: 'shop' },
      spec: { nodeName: 'n', other: 1 },
    } as KubernetesObject);
    await runtime.settle();
    expect(pods.indexer.get('shop/b')?.spec).to.deep.equal({ nodeName: 'n' });
    await runtime.run(informers.close());
  });

  it('may be several namespaces, which change for all that share the informer', async () => {
    const { runtime, source } = new FactorySetup();
    const informers = new SharedInformerFactory<{ 'v1/pods': Pod }>(source, {
      runtime,
      namespace: 'other',
    });
    const pods = informers.for('v1', 'pods', { namespaces: ['shop', 'web'] });
    expect(informers.for('v1', 'pods', { namespaces: ['web', 'shop'] })).to.equal(pods);
    expect(informers.for('v1', 'pods')).to.not.equal(pods);
    informers.start();
    await runtime.run(informers.whenSynced({ timeoutMs: 30_000 }));
    await runtime.run(pods.setNamespaces(['shop', 'third']));
    expect(pods.inspect().namespaces?.map(({ namespace }) => namespace)).to.deep.equal([
      'shop',
      'third',
    ]);
    const asked = (namespaces: readonly string[]): string | undefined =>
      codeOf(() => informers.for('v1', 'pods', { namespaces }));
    expect(asked(['third', 'shop'])).to.equal(undefined);
    expect(asked(['shop', 'web'])).to.equal('INVALID_OPTION');
    expect(
      codeOf(() => informers.for('v1', 'pods', { namespaces: ['a'], namespace: 'b' })),
    ).to.equal('INVALID_OPTION');
    await runtime.run(informers.close());
    expect((await rejection(pods.setNamespaces(['shop']))).code).to.equal('CLOSED');
  });

  it('refuse what is no resource, and unknown options', () => {
    const { source } = new FactorySetup();
    const made = (kinds: object): string | undefined => {
      const options = { kinds } as SharedInformerFactoryOptions;
      return codeOf(() => new SharedInformerFactory(source, options));
    };
    expect(made({ secrets: { metadataOnly: true } })).to.equal('INVALID_OPTION');
    expect(made({ 'v1/secrets': { metaOnly: true } })).to.equal('INVALID_OPTION');
    expect(made({ ['__proto__']: {} })).to.equal('INVALID_OPTION');
  });
});
