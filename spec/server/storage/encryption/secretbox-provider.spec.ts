import { expect } from 'chai';
import { PrefixTransformers } from '../../../../lib/server/storage/encryption/configuration/prefix-transformers.ts';
import { SecretboxProvider } from '../../../../lib/server/storage/encryption/secretbox-provider.ts';
import { context, damaged, failureOf, plaintext, roundTrip, secretOf } from './sample.ts';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

/** The vector of NaCl itself (tests/secretbox.c). */
const NACL = {
  key: hex('1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389'),
  nonce: hex('69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37'),
  message: hex(
    'be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f4' +
      '1db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52' +
      'f0a089bc76897040e082f937763848645e0705',
  ),
  box: hex(
    'f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b' +
      '4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da' +
      '99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5',
  ),
};
const HEAD = Buffer.from('k8s:enc:secretbox:v1:key1:');

describe('SecretboxProvider', () => {
  it('writes and reads the layout of Kubernetes around the box of NaCl', () => {
    const randomBytes = (size: number): Uint8Array => NACL.nonce.subarray(0, size);
    const provider = new SecretboxProvider({ name: 'key1', secret: NACL.key, randomBytes });
    const expected = Buffer.concat([HEAD, NACL.nonce, NACL.box]);
    expect(provider.encrypt(NACL.message)).to.deep.equal(expected);
    expect(Buffer.from(provider.decrypt(expected).data)).to.deep.equal(NACL.message);
  });

  it('reads what it wrote, at every length', async () => {
    const transformer = new PrefixTransformers([
      new SecretboxProvider({ name: 'key1', secret: secretOf('one') }),
    ]);
    for (const length of [0, 1, 63, 64, 65, 4096, 100_000]) {
      const data = new Uint8Array(length).fill(length % 251);
      expect(Buffer.compare(await roundTrip(transformer, data), data)).to.equal(0);
    }
  });

  it('does not open a value that was changed or cut off, nor one of another key', async () => {
    const transformer = new PrefixTransformers([
      new SecretboxProvider({ name: 'key1', secret: secretOf('one') }),
    ]);
    const value = await transformer.toStorage(plaintext, context);
    for (const broken of damaged(value, HEAD.length)) {
      expect((await failureOf(() => transformer.fromStorage(broken, context))).code).to.equal(
        'CORRUPT_OBJECT',
      );
    }
    const other = new PrefixTransformers([
      new SecretboxProvider({ name: 'key1', secret: secretOf('two') }),
    ]);
    const error = await failureOf(() => other.fromStorage(value, context));
    expect(error.message).to.contain('secretbox key "key1"').and.contain(context.key);
  });

  it('opens a value that was moved: secretbox has no authenticated data', async () => {
    const transformer = new PrefixTransformers([
      new SecretboxProvider({ name: 'key1', secret: secretOf('one') }),
    ]);
    const value = await transformer.toStorage(plaintext, context);
    const { data } = await transformer.fromStorage(value, { key: '/registry/secrets/other/db' });
    expect(Buffer.from(data)).to.deep.equal(plaintext);
  });

  it('refuses keys of another length than 32 bytes', async () => {
    for (const size of [16, 24, 31]) {
      const error = await failureOf(
        () => new SecretboxProvider({ name: 'key1', secret: new Uint8Array(size) }),
      );
      expect(error.message).to.contain('must have 32 bytes');
    }
  });
});
