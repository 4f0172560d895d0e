import { expect } from 'chai';
import { mayHaveField } from '../../../lib/server/registry/generic-registry-store.ts';
import { jsonCodec } from '../../../lib/server/storage/value/codec.ts';
import { JsonStoredObject } from '../../../lib/server/storage/value/json-stored-object.ts';

function answer(text: string): boolean {
  const value = Buffer.from(text);
  const stored = new JsonStoredObject({
    key: '/a',
    value,
    resourceVersion: '7',
    codec: jsonCodec(),
  });
  return mayHaveField(stored, 'deletionTimestamp');
}

describe('mayHaveField', () => {
  it('rules out only what the bytes rule out', () => {
    expect(answer('{"metadata":{"name":"a"}}')).to.equal(false);
    expect(answer('{"metadata":{"deletionTimestamp":"2030-01-02T03:04:05Z"}}')).to.equal(true);
    expect(answer('{"metadata":{"deletion\\u0054imestamp":"2030-01-02T03:04:05Z"}}')).to.equal(
      true,
    );
    expect(answer('{"metadata":{},"data":{"text":"deletionTimestamp"}}')).to.equal(true);
    expect(answer('{"metadata":{},"data":{"text":"the deletionTimestamp"}}')).to.equal(false);
  });
});
