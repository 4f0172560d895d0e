import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import protobuf from 'protobufjs';
import type { LogFields, Logger } from '../../../../lib/kernel/report/logger.ts';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import {
  KmsProvider,
  type KmsOptions,
} from '../../../../lib/server/storage/encryption/kms-provider.ts';
import { PrefixTransformers } from '../../../../lib/server/storage/encryption/configuration/prefix-transformers.ts';
import { context, damaged, failureOf, KEY, plaintext, roundTrip, secretOf } from './sample.ts';
import { ScriptedKeyService } from './scripted-key-service.ts';

const HEAD = 'k8s:enc:kms:v2:vault:';
const { root } = protobuf.parse(`
  syntax = "proto3";
  message EncryptedObject {
    bytes encryptedData = 1;
    string keyID = 2;
    bytes encryptedDEKSource = 3;
    map<string, bytes> annotations = 4;
    int32 encryptedDEKSourceType = 5;
  }
`);
const message = root.lookupType('EncryptedObject');

interface Stored {
  readonly encryptedData: Uint8Array;
  readonly keyID: string;
  readonly encryptedDEKSource: Uint8Array;
  readonly annotations?: Readonly<Record<string, Uint8Array>>;
  readonly encryptedDEKSourceType?: number;
}

const parse = (value: Uint8Array): Stored =>
  message.toObject(message.decode(value.subarray(HEAD.length))) as Stored;
const compose = (stored: Stored): Uint8Array =>
  Buffer.concat([Buffer.from(HEAD), message.encode(stored).finish()]);

/** AES-GCM by WebCrypto, under the storage key. */
async function gcm(
  way: 'encrypt' | 'decrypt',
  key: Uint8Array,
  nonce: Uint8Array,
  data: Uint8Array,
): Promise<Buffer> {
  const { subtle } = globalThis.crypto;
  const imported = await subtle.importKey('raw', Uint8Array.from(key), 'AES-GCM', false, [way]);
  const algorithm = { name: 'AES-GCM', iv: nonce, additionalData: Buffer.from(KEY) };
  return Buffer.from(await subtle[way](algorithm, imported, data));
}

class Opened {
  readonly runtime: VirtualRuntime = new VirtualRuntime();
  readonly service: ScriptedKeyService;
  readonly warnings: LogFields[] = [];
  readonly provider: KmsProvider;
  readonly transformer: PrefixTransformers;

  constructor(
    options: Partial<KmsOptions> = {},
    service: ScriptedKeyService = new ScriptedKeyService(),
  ) {
    const { runtime } = this;
    const logger: Logger = {
      ...silentLogger,
      warn: (_, fields = {}) => {
        this.warnings.push(fields);
      },
    };
    this.service = service;
    this.provider = new KmsProvider({ name: 'vault', service, runtime, logger, ...options });
    this.transformer = new PrefixTransformers([this.provider]);
  }

  async write(): Promise<Uint8Array> {
    return await this.transformer.toStorage(plaintext, context);
  }

  async stale(value: Uint8Array): Promise<boolean> {
    const { data, stale } = await this.transformer.fromStorage(value, context);
    expect(Buffer.from(data)).to.deep.equal(plaintext);
    return stale;
  }
}

describe('KmsProvider', () => {
  it('lays out what version 2 of the KMS interface says', async () => {
    const { service, transformer } = new Opened();
    service.wrapAs = (wrapped) => ({
      ...wrapped,
      annotations: new Map([['zone.example.com', Buffer.from('eu')]]),
    });
    const value = await transformer.toStorage(plaintext, context);
    expect(Buffer.from(value).subarray(0, HEAD.length).toString()).to.equal(HEAD);
    const stored = parse(value);
    expect(stored.keyID).to.equal('kek-1');
    expect(stored.encryptedDEKSourceType).to.equal(1);
    expect(stored.annotations).to.deep.equal({ 'zone.example.com': Buffer.from('eu') });
    const seed = await service.local.decrypt({ ciphertext: stored.encryptedDEKSource });
    const data = stored.encryptedData;
    const key = createHmac('sha256', seed)
      .update(data.subarray(0, 32))
      .update(Buffer.of(1))
      .digest();
    expect(await gcm('decrypt', key, data.subarray(32, 44), data.subarray(44))).to.deep.equal(
      plaintext,
    );
  });

  it('reads values whose wrapped key is the key itself, and finds them stale', async () => {
    const opened = new Opened();
    const dataKey = secretOf('dek');
    const { ciphertext, keyId } = await opened.service.local.encrypt(dataKey);
    const nonce = new Uint8Array(12).fill(9);
    const sealed = await gcm('encrypt', dataKey, nonce, plaintext);
    const value = compose({
      encryptedData: Buffer.concat([nonce, sealed]),
      keyID: keyId,
      encryptedDEKSource: ciphertext,
    });
    expect(await opened.stale(value)).to.equal(true);
  });

  it('gives every value a key and a nonce of its own, and asks the service for one seed', async () => {
    const { service, transformer } = new Opened();
    const values = await Promise.all(
      Array.from({ length: 200 }, async () =>
        parse(await transformer.toStorage(plaintext, context)),
      ),
    );
    const starts = values.map(({ encryptedData }) =>
      Buffer.from(encryptedData).toString('hex', 0, 44),
    );
    expect(new Set(starts).size).to.equal(200);
    expect(service.calls).to.deep.equal(['status', 'encrypt']);
  });

  it('answers at once when it knows the key', async () => {
    const { service, transformer } = new Opened();
    const value = await transformer.toStorage(plaintext, context);
    expect(transformer.toStorage(plaintext, context)).to.be.instanceOf(Uint8Array);
    expect(transformer.fromStorage(value, context)).not.to.be.instanceOf(Promise);
    expect(service.count('decrypt')).to.equal(0);
  });

  it('unwraps a key of another process once for all its values', async () => {
    const writer = new Opened();
    const values = await Promise.all([writer.write(), writer.write(), writer.write()]);
    const reader = new Opened({}, writer.service);
    expect(await Promise.all(values.map((value) => reader.stale(value)))).to.deep.equal([
      false,
      false,
      false,
    ]);
    expect(writer.service.count('decrypt')).to.equal(1);
  });

  it('does not open a value that was changed, cut off or moved, and never shows its content', async () => {
    const { transformer } = new Opened();
    const value = await transformer.toStorage(plaintext, context);
    for (const broken of damaged(value, HEAD.length)) {
      const error = await failureOf(() => transformer.fromStorage(broken, context));
      // Of a changed wrapped key only the service can say that it is none.
      expect(error.code).to.be.oneOf(['CORRUPT_OBJECT', 'KEY_SERVICE_FAILED']);
      expect(error.message).to.contain(KEY).and.not.contain('hunter2');
    }
    const moved = await failureOf(() => transformer.fromStorage(value, { key: '/elsewhere' }));
    expect(moved.code).to.equal('CORRUPT_OBJECT');
  });

  it('writes with a new seed and finds values of the old key stale after the service took another', async () => {
    const opened = new Opened();
    const old = await opened.write();
    opened.service.rotate('kek-2');
    expect(await opened.stale(old)).to.equal(false);
    await opened.provider.refresh();
    expect(await opened.stale(old)).to.equal(true);
    const fresh = await opened.write();
    expect(parse(fresh).keyID).to.equal('kek-2');
    expect(await opened.stale(fresh)).to.equal(false);
  });

  it('notices another key by itself within a minute of use, and after three without at the first write', async () => {
    const opened = new Opened();
    const { runtime, service } = opened;
    await opened.write();
    service.rotate('kek-2');
    await runtime.advance(59_000);
    await opened.write();
    expect(service.count('status')).to.equal(1);
    await runtime.advance(1_000);
    expect(parse(await opened.write()).keyID).to.equal('kek-1');
    await runtime.settle();
    expect(parse(await opened.write()).keyID).to.equal('kek-2');
    service.rotate('kek-3');
    await runtime.advance(180_001);
    expect(parse(await opened.write()).keyID).to.equal('kek-3');
  });

  it('knows at the first read whether a value is stale', async () => {
    const writer = new Opened();
    const old = await writer.write();
    writer.service.rotate('kek-2');
    expect(await new Opened({}, writer.service).stale(old)).to.equal(true);
  });

  it('writes on for three minutes while the service fails, asking every ten seconds, and reads on', async () => {
    const opened = new Opened();
    const { runtime, service } = opened;
    const value = await opened.write();
    service.outage = new Error('connection refused');
    await runtime.advance(60_000);
    for (let second = 60; second <= 180; second += 1) {
      await opened.write();
      await runtime.advance(1000);
    }
    expect(service.count('status')).to.equal(1 + 13);
    const error = await failureOf(() => opened.write());
    expect(error.code).to.equal('KEY_SERVICE_FAILED');
    expect(error.message).to.contain('"vault"').and.contain('connection refused');
    expect(opened.warnings.length).to.equal(13);
    expect(await opened.stale(value)).to.equal(false);

    service.outage = undefined;
    await runtime.advance(10_000);
    expect(parse(await opened.write()).keyID).to.equal('kek-1');
  });

  it('does not ask a failing service again and again: writes fail at once for ten seconds', async () => {
    const { runtime, service, transformer } = new Opened();
    service.outage = new Error('down');
    for (let count = 0; count < 5; count += 1) {
      expect((await failureOf(() => transformer.toStorage(plaintext, context))).code).to.equal(
        'KEY_SERVICE_FAILED',
      );
    }
    expect(service.calls).to.deep.equal(['status']);
    service.outage = undefined;
    await runtime.advance(10_000);
    expect(await roundTrip(transformer)).to.deep.equal(plaintext);
  });

  it('reads while only the status fails', async () => {
    const writer = new Opened();
    const value = await writer.write();
    const reader = new Opened({}, writer.service);
    writer.service.status = () => Promise.reject(new Error('not healthy'));
    expect(await reader.stale(value)).to.equal(false);
    expect(reader.warnings).to.have.length(1);
  });

  it('does not wait for a service that hangs', async () => {
    const { runtime, service, transformer } = new Opened({ timeoutMs: 700 });
    service.hangs = true;
    const error = await runtime.run(failureOf(() => transformer.toStorage(plaintext, context)));
    expect(error.message).to.contain('700 ms');
    expect(runtime.monotonicMs()).to.equal(700);
  });

  it('refuses answers that cannot be stored, and keeps the key it has', async () => {
    const opened = new Opened();
    const { service, provider } = opened;
    await opened.write();
    service.rotate('kek-2');
    const answers: [(typeof service)['wrapAs'], RegExp][] = [
      [(wrapped) => ({ ...wrapped, keyId: 'kek-1' }), /another key than its status/],
      [(wrapped) => ({ ...wrapped, ciphertext: new Uint8Array(1025) }), /1024 bytes/],
      [(wrapped) => ({ ...wrapped, ciphertext: new Uint8Array() }), /empty/],
      [(wrapped) => ({ ...wrapped, annotations: new Map([['x', Buffer.of(1)]]) }), /domain name/],
      [() => ({}) as never, /without ciphertext/],
    ];
    for (const [wrapAs, reason] of answers) {
      service.wrapAs = wrapAs;
      const error = await failureOf(() => provider.refresh());
      expect(error.code).to.equal('KEY_SERVICE_FAILED');
      expect(error.message).to.match(reason);
      expect(parse(await opened.write()).keyID).to.equal('kek-1');
    }
    service.wrapAs = (wrapped) => wrapped;
    service.status = () => Promise.resolve({} as never);
    expect((await failureOf(() => provider.refresh())).message).to.contain('without key id');
  });

  it('refuses keys of impossible lengths, and names with a colon', async () => {
    const { service, transformer } = new Opened();
    const value = await transformer.toStorage(plaintext, context);
    for (const answer of [new Uint8Array(31), 'text', undefined]) {
      const reader = new Opened({}, service);
      service.decrypt = () => Promise.resolve(answer as Uint8Array);
      const error = await failureOf(() => reader.transformer.fromStorage(value, context));
      expect(error.code).to.equal('KEY_SERVICE_FAILED');
    }
    for (const name of ['', 'a:b']) {
      expect((await failureOf(() => new KmsProvider({ name, service }))).code).to.equal(
        'INVALID_OPTION',
      );
    }
  });
});
