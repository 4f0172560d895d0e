import { expect } from 'chai';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import {
  EnvelopeProvider,
  type EnvelopeOptions,
} from '../../../../lib/server/storage/encryption/envelope-provider.ts';
import { PrefixTransformers } from '../../../../lib/server/storage/encryption/configuration/prefix-transformers.ts';
import { context, damaged, failureOf, KEY, plaintext, roundTrip } from './sample.ts';
import { ScriptedKeyService } from './scripted-key-service.ts';

interface Opened {
  readonly service: ScriptedKeyService;
  readonly transformer: PrefixTransformers;
}

function open(options: Partial<EnvelopeOptions> = {}): Opened {
  const service = new ScriptedKeyService();
  const provider = new EnvelopeProvider({ name: 'vault', service, ...options });
  return { service, transformer: new PrefixTransformers([provider]) };
}

const HEAD = 'k8s:enc:kms:v1:vault:';

describe('EnvelopeProvider', () => {
  it('lays out the wrapped key behind its length, then nonce, ciphertext and tag', async () => {
    const { service, transformer } = open();
    const value = Buffer.from(await transformer.toStorage(plaintext, context));
    expect(value.subarray(0, HEAD.length).toString()).to.equal(HEAD);
    const length = value.readUInt16BE(HEAD.length);
    const wrapped = value.subarray(HEAD.length + 2, HEAD.length + 2 + length);
    const dataKey = await service.local.decrypt({ ciphertext: wrapped });
    const sealed = value.subarray(HEAD.length + 2 + length);
    const { subtle } = globalThis.crypto;
    const key = await subtle.importKey('raw', Uint8Array.from(dataKey), 'AES-GCM', false, [
      'decrypt',
    ]);
    const algorithm = {
      name: 'AES-GCM',
      iv: sealed.subarray(0, 12),
      additionalData: Buffer.from(KEY),
    };
    const opened = await subtle.decrypt(algorithm, key, sealed.subarray(12));
    expect(Buffer.from(opened)).to.deep.equal(plaintext);
  });

  it('makes a data key for every write, and asks the service once for each it does not know', async () => {
    const { service, transformer } = open();
    const values = [
      await transformer.toStorage(plaintext, context),
      await transformer.toStorage(plaintext, context),
    ];
    expect(service.calls).to.deep.equal(['encrypt', 'encrypt']);
    for (const value of values) await transformer.fromStorage(value, context);
    expect(service.count('decrypt')).to.equal(0);

    const other = new PrefixTransformers([new EnvelopeProvider({ name: 'vault', service })]);
    const read = (value: Uint8Array): unknown => other.fromStorage(value, context);
    await Promise.all([read(values[0]!), read(values[0]!), read(values[1]!)]);
    expect(service.count('decrypt')).to.equal(2);
    expect(read(values[0]!)).not.to.be.instanceOf(Promise);
  });

  it('asks each time without a cache', async () => {
    const { service, transformer } = open({ cacheSize: 0 });
    const value = await transformer.toStorage(plaintext, context);
    for (let count = 0; count < 3; count += 1) await transformer.fromStorage(value, context);
    expect(service.count('decrypt')).to.equal(3);
  });

  it('does not open a value that was changed, cut off or moved', async () => {
    const { transformer } = open();
    const value = await transformer.toStorage(plaintext, context);
    const codes = new Set<string>();
    for (const broken of damaged(value, HEAD.length)) {
      const error = await failureOf(() => transformer.fromStorage(broken, context));
      codes.add(error.code);
      expect(error.message).to.contain(KEY).and.not.contain('hunter2');
    }
    // Of a changed wrapped key only the service can say that it is none.
    expect([...codes].toSorted()).to.deep.equal(['CORRUPT_OBJECT', 'KEY_SERVICE_FAILED']);
    const moved = await failureOf(() => transformer.fromStorage(value, { key: '/elsewhere' }));
    expect(moved.code).to.equal('CORRUPT_OBJECT');
  });

  it('fails with the name of the service when it fails, and recovers with it', async () => {
    const { service, transformer } = open({ cacheSize: 0 });
    const value = await transformer.toStorage(plaintext, context);
    service.outage = new Error('connection refused');
    for (const attempt of [
      () => transformer.fromStorage(value, context),
      () => transformer.toStorage(plaintext, context),
    ]) {
      const error = await failureOf(attempt);
      expect(error.code).to.equal('KEY_SERVICE_FAILED');
      expect(error.message).to.contain('"vault"').and.contain('connection refused');
    }
    service.outage = undefined;
    expect(await roundTrip(transformer)).to.deep.equal(plaintext);
  });

  it('waits for the service no longer than its timeout, and then says so', async () => {
    const runtime = new VirtualRuntime();
    const { service, transformer } = open({ runtime, timeoutMs: 500 });
    service.hangs = true;
    const error = await runtime.run(failureOf(() => transformer.toStorage(plaintext, context)));
    expect(error.code).to.equal('KEY_SERVICE_FAILED');
    expect(error.message).to.contain('500 ms');
    expect(runtime.monotonicMs()).to.equal(500);
    expect(service.signals[0]?.aborted).to.equal(true);
  });

  it('refuses answers it cannot store', async () => {
    const { service, transformer } = open();
    const answers: [(typeof service)['wrapAs'], RegExp][] = [
      [(wrapped) => ({ ...wrapped, ciphertext: new Uint8Array(70_000) }), /70000 bytes/],
      [(wrapped) => ({ ...wrapped, ciphertext: new Uint8Array() }), /0 bytes/],
      [(wrapped) => ({ ...wrapped, annotations: new Map([['a.b', Buffer.of(1)]]) }), /annotations/],
      [() => ({}) as never, /without ciphertext/],
      [() => undefined as never, /without ciphertext/],
    ];
    for (const [wrapAs, reason] of answers) {
      service.wrapAs = wrapAs;
      const error = await failureOf(() => transformer.toStorage(plaintext, context));
      expect(error.code).to.equal('KEY_SERVICE_FAILED');
      expect(error.message).to.match(reason);
    }
  });
});
