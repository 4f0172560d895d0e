import type {
  KeyService,
  WrappedKey,
} from '../../../../lib/server/storage/encryption/key-service.ts';
import { LocalKeyService } from '../../../../lib/server/storage/encryption/local-key-service.ts';
import { secretOf } from './sample.ts';

/** A key service that counts its calls and fails, hangs or lies on demand. */
export class ScriptedKeyService implements KeyService {
  readonly local: LocalKeyService = new LocalKeyService({
    keys: [{ name: 'kek-1', secret: secretOf('kek-1') }],
  });
  readonly calls: string[] = [];
  /** The error of all calls. */
  outage: Error | undefined;
  /** Calls never answer. */
  hangs: boolean = false;
  /** Changes what `encrypt` answers. */
  wrapAs: (wrapped: WrappedKey) => WrappedKey = (wrapped) => wrapped;
  /** Signals the calls were given. */
  readonly signals: AbortSignal[] = [];

  rotate(name: string): void {
    this.local.rotate({ name, secret: secretOf(name) });
  }

  count(name: string): number {
    return this.calls.filter((call) => call === name).length;
  }

  async status(call: { signal: AbortSignal }): Promise<{ readonly keyId: string }> {
    await this.#begin('status', call.signal);
    return await this.local.status();
  }

  async encrypt(plaintext: Uint8Array, call: { signal: AbortSignal }): Promise<WrappedKey> {
    await this.#begin('encrypt', call.signal);
    return this.wrapAs(await this.local.encrypt(plaintext));
  }

  async decrypt(
    wrapped: Partial<WrappedKey> & Pick<WrappedKey, 'ciphertext'>,
    call: { signal: AbortSignal },
  ): Promise<Uint8Array> {
    await this.#begin('decrypt', call.signal);
    return await this.local.decrypt(wrapped);
  }

  async #begin(name: string, signal: AbortSignal): Promise<void> {
    this.calls.push(name);
    this.signals.push(signal);
    if (this.hangs) await new Promise<void>(() => {});
    if (this.outage !== undefined) throw this.outage;
  }
}
