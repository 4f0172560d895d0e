import { expect } from 'chai';
import type { ListPage } from '../../../../lib/cache/reflector/contract/lister-watcher.ts';
import { Client } from '../../../../lib/client/rest/client.ts';
import { metadataDecoder } from '../../../../lib/client/rest/decode/metadata-decoder.ts';
import { ApiError } from '../../../../lib/meta/failure/api-error.ts';
import type { ObjectView } from '../../../../lib/meta/object-view.ts';
import type { PartialObjectMetadata } from '../../../../lib/meta/partial-object-metadata.ts';
import { ScriptedTransport } from '../../support/scripted-transport.ts';

const METADATA = { name: 'web', namespace: 'shop', resourceVersion: '5' };
const PARTIAL = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: METADATA };
const WHOLE = { apiVersion: 'v1', kind: 'Pod', metadata: METADATA, spec: { large: 'body' } };

const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

describe('metadataDecoder', () => {
  const decoder = metadataDecoder();
  const pageOf = (body: Buffer): ListPage<ObjectView<PartialObjectMetadata>> => {
    const list = decoder.beginList();
    list.push(body);
    return list.end();
  };

  it('takes what a server sends that knows how to send metadata only', () => {
    const event = decoder.decodeEvent({ bytes: bytes({ type: 'ADDED', object: PARTIAL }) });
    expect(event).to.have.nested.property('object.object').that.deep.equals(PARTIAL);
    expect(event).to.have.nested.property('object.sizeBytes').that.is.above(100);
    const list = { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' };
    const metadata = { resourceVersion: '7', continue: 'more' };
    const page = pageOf(bytes({ ...list, metadata, items: [{ metadata: METADATA }] }));
    expect(page.resourceVersion).to.equal('7');
    expect(page.continueToken).to.equal('more');
    expect(page.items.map(({ object }) => object)).to.deep.equal([PARTIAL]);
  });

  it('drops the bodies that a server sends that does not', () => {
    const event = decoder.decodeEvent({ bytes: bytes({ type: 'MODIFIED', object: WHOLE }) });
    expect(event).to.have.nested.property('object.object').that.deep.equals(PARTIAL);
    expect(event).to.have.nested.property('object.metadata').that.deep.equals(METADATA);
    const list = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '7' } };
    const page = pageOf(bytes({ ...list, items: [WHOLE, WHOLE] }));
    expect(page.items.map(({ object }) => object)).to.deep.equal([PARTIAL, PARTIAL]);
    // The retained part is smaller than the received one.
    expect(page.items[0]?.sizeBytes).to.equal(undefined);
  });

  it('passes bookmarks on, and throws what a server reports', () => {
    const object = { kind: 'PartialObjectMetadata', metadata: { resourceVersion: '9' } };
    expect(decoder.decodeEvent({ bytes: bytes({ type: 'BOOKMARK', object }) })).to.deep.equal({
      type: 'BOOKMARK',
      resourceVersion: '9',
      initialEventsEnd: false,
    });
    const status = { kind: 'Status', apiVersion: 'v1', reason: 'Expired', code: 410 };
    const decode = (): unknown =>
      decoder.decodeEvent({ bytes: bytes({ type: 'ERROR', object: status }) });
    expect(decode).to.throw(ApiError);
  });

  it('asks for metadata and takes whole objects rather than nothing', async () => {
    const transport = new ScriptedTransport(() => ({
      body: { kind: 'PodList', apiVersion: 'v1', items: [] },
    }));
    const client = new Client({ transport });
    const source = client.listerWatcher(
      { apiVersion: 'v1', resource: 'pods' },
      { metadataOnly: true },
    );
    expect(source.description).to.equal('pods, metadata only');
    await source.list({});
    await source.watch({});
    expect(transport.requests.map(({ headers }) => headers?.['accept'])).to.deep.equal([
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
    ]);
  });
});
