import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';
import {
  isOldDefinition,
  storedObjectCodec,
} from '../../../../lib/server/storage/scheme/stored-object-codec.ts';

const codec = storedObjectCodec();

/** The bytes that kube-apiserver 1.36.3 had in etcd, and those that it served, without the resource version. */
const { stored, served } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'stored-definition.json'), 'utf8'),
) as { readonly stored: string; readonly served: UnstructuredObject };

function decodedSpec(spec: object): unknown {
  const head = { kind: 'CustomResourceDefinition', apiVersion: 'apiextensions.k8s.io/v1beta1' };
  return codec.decode(Buffer.from(JSON.stringify({ ...head, metadata: {}, spec })))['spec'];
}

describe('a definition that kube-apiserver stored in v1beta1', () => {
  it('is read in v1, as kube-apiserver serves it', () => {
    expect(codec.decode(Buffer.from(stored))).to.deep.equal(served);
  });

  it('is no answer as it is stored', () => {
    expect(isOldDefinition(Buffer.from(stored))).to.equal(true);
    expect(codec.documentOf?.(Buffer.from(stored))).to.equal(undefined);
    const current = Buffer.from(JSON.stringify(served));
    expect(isOldDefinition(current)).to.equal(false);
    expect(codec.documentOf?.(current)).to.equal(current);
  });

  it('keeps what each version says for itself, and the webhook of its conversion', () => {
    const a = { name: 'a', served: true, storage: true, schema: { openAPIV3Schema: {} } };
    const column = { name: 'Size', type: 'integer' };
    const conversion = {
      strategy: 'Webhook',
      webhookClientConfig: { url: 'https://127.0.0.1/' },
      conversionReviewVersions: ['v1'],
    };
    const spec = {
      group: 'example.io',
      version: 'a',
      versions: [a, { name: 'b', served: false, storage: false }],
      additionalPrinterColumns: [{ ...column, JSONPath: '.spec.size' }],
      preserveUnknownFields: false,
      conversion,
    };
    const additionalPrinterColumns = [{ ...column, jsonPath: '.spec.size' }];
    expect(decodedSpec(spec)).to.deep.equal({
      group: 'example.io',
      versions: [
        { ...a, additionalPrinterColumns },
        { name: 'b', served: false, storage: false, additionalPrinterColumns },
      ],
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: { url: 'https://127.0.0.1/' }, conversionReviewVersions: ['v1'] },
      },
    });
  });

  it('has one version when it names no others', () => {
    expect(decodedSpec({ version: 'a' })).to.deep.equal({
      versions: [{ name: 'a', served: true, storage: true }],
    });
  });
});
