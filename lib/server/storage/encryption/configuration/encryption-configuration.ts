import { readFile } from 'node:fs/promises';
import { errorMessage, ListwatchError } from '../../../../kernel/failure/errors.ts';
import type { Logger } from '../../../../kernel/report/logger.ts';
import { rejectUnknownOptions } from '../../../../kernel/options/options.ts';
import type { Runtime } from '../../../../kernel/time/runtime.ts';
import {
  identityTransformer,
  type PlainValue,
  type TransformContext,
  type Transformer,
} from '../../value/transformer.ts';
import { AesCbcProvider } from '../aes-cbc-provider.ts';
import { AesGcmProvider, KeyUsage } from '../aes-gcm-provider.ts';
import { hashOf } from '../data-key-cache.ts';
import {
  parseEncryptionDocument,
  type KmsEntry,
  type ProviderEntry,
} from './encryption-document.ts';
import {
  identityProvider,
  type EncryptionProvider,
  type RandomBytes,
} from '../encryption-provider.ts';
import { EnvelopeProvider } from '../envelope-provider.ts';
import type { KeyService } from '../key-service.ts';
import { KmsProvider } from '../kms-provider.ts';
import { PrefixTransformers } from './prefix-transformers.ts';
import { rulesFor, ruleText, type GroupResource } from './resource-rules.ts';
import { SecretboxProvider } from '../secretbox-provider.ts';

export interface EncryptionConfigurationOptions {
  /** The key services by the names in `kms` entries. Their `endpoint` is checked, but not used for a connection. */
  readonly keyServices?: Readonly<Record<string, KeyService>> | undefined;
  /** The clock of the key services. @defaultValue realRuntime */
  readonly runtime?: Runtime | undefined;
  /** @defaultValue the operating system's */
  readonly randomBytes?: RandomBytes | undefined;
  /** Logs failures of key services and new data keys. @defaultValue silentLogger */
  readonly logger?: Logger | undefined;
}

const KNOWN = ['keyServices', 'runtime', 'randomBytes', 'logger'];

/** The content of one version of the file. */
interface Loaded {
  /** By the text of the rule. */
  readonly transformers: ReadonlyMap<string, Transformer>;
  readonly kmsProviders: readonly KmsProvider[];
  readonly hash: string;
}

/**
 * The resources that are encrypted and the providers for each, read from an `EncryptionConfiguration` file of the form that
 * kube-apiserver accepts with `--encryption-provider-config`.
 *
 * Guarantees:
 * - After a `reload`, the transformers that were returned before use the new configuration; storages need not be recreated.
 * - A file that is invalid or cannot be read changes nothing.
 * - Messages, `inspect` and `JSON.stringify` never show a key.
 *
 * Not guaranteed: that changes of the file are noticed. Call `reload`.
 */
export class EncryptionConfiguration {
  readonly #file: string;
  readonly #options: EncryptionConfigurationOptions;
  readonly #given = new Map<string, ResourceTransformer>();
  /** The use counts of the AES-GCM keys by hash. They survive a renamed key and a reload of the file. */
  readonly #usages = new Map<string, KeyUsage>();
  #loaded: Loaded;
  #reloading: Promise<unknown> = Promise.resolve();

  private constructor(file: string, text: string, options: EncryptionConfigurationOptions) {
    rejectUnknownOptions('EncryptionConfiguration', options, KNOWN);
    this.#file = file;
    this.#options = options;
    this.#loaded = this.#load(text);
  }

  /** Reads a file. @throws {ListwatchError} CONFIG_INVALID naming file, line and field. */
  static async load(
    file: string,
    options: EncryptionConfigurationOptions = {},
  ): Promise<EncryptionConfiguration> {
    return new EncryptionConfiguration(file, await readText(file), options);
  }

  /**
   * Parses the text of a file; `file` is its name in messages, and the file that `reload` reads.
   * @throws {ListwatchError} CONFIG_INVALID naming file, line and field.
   */
  static parse(
    text: string,
    file: string,
    options: EncryptionConfigurationOptions = {},
  ): EncryptionConfiguration {
    return new EncryptionConfiguration(file, text, options);
  }

  /**
   * The transformer for a resource, from the first rule that exists: the one that names the resource, the one for its group, the
   * one for all resources. Without a rule, values are stored as they are. The same resource always gets the same transformer.
   */
  transformerFor({ group, resource }: GroupResource): Transformer {
    const name = ruleText({ group, resource });
    let transformer = this.#given.get(name);
    if (transformer === undefined) {
      transformer = new ResourceTransformer({ group, resource }, this.#find({ group, resource }));
      this.#given.set(name, transformer);
    }
    return transformer;
  }

  /**
   * Reads the file again. Concurrent calls run one after the other.
   * @returns whether the file had changed.
   * @throws {ListwatchError} CONFIG_INVALID; the configuration is then unchanged.
   */
  async reload(): Promise<boolean> {
    const reloading = this.#reloading.then(async () => this.#take(await readText(this.#file)));
    this.#reloading = reloading.catch(() => {});
    return await reloading;
  }

  /**
   * Asks the key services of all version 2 `kms` entries for their current key. Values under another key are stale from then on.
   * Call it before `rewriteStale`.
   * @throws {ListwatchError} KEY_SERVICE_FAILED.
   */
  async refreshKeys(): Promise<void> {
    await Promise.all(this.#loaded.kmsProviders.map((provider) => provider.refresh()));
  }

  #take(text: string): boolean {
    const loaded = this.#load(text);
    if (loaded.hash === this.#loaded.hash) return false;
    this.#loaded = loaded;
    for (const transformer of this.#given.values())
      transformer.use(this.#find(transformer.resource));
    return true;
  }

  #find(resource: GroupResource): Transformer {
    for (const rule of rulesFor(resource)) {
      const transformer = this.#loaded.transformers.get(ruleText(rule));
      if (transformer !== undefined) return transformer;
    }
    return identityTransformer;
  }

  #load(text: string): Loaded {
    const kmsProviders: KmsProvider[] = [];
    const providers = new Map<string, EncryptionProvider[]>();
    for (const entry of parseEncryptionDocument(this.#file, text)) {
      const made = entry.providers.flatMap((provider) => this.#providers(provider));
      kmsProviders.push(...made.filter((one) => one instanceof KmsProvider));
      for (const rule of entry.resources) {
        // A resource in several lists has the providers of all of them, in order.
        const name = ruleText(rule);
        providers.set(name, [...(providers.get(name) ?? []), ...made]);
      }
    }
    const transformers = new Map<string, Transformer>();
    for (const [rule, list] of providers) transformers.set(rule, new PrefixTransformers(list));
    return { transformers, kmsProviders, hash: hashOf([Buffer.from(text)]) };
  }

  #providers(entry: ProviderEntry): EncryptionProvider[] {
    const { randomBytes } = this.#options;
    switch (entry.type) {
      case 'identity':
        return [identityProvider];
      case 'aesgcm':
        return entry.keys.map(
          (key) => new AesGcmProvider({ ...key, randomBytes, usage: this.#usage(key.secret) }),
        );
      case 'aescbc':
        return entry.keys.map((key) => new AesCbcProvider({ ...key, randomBytes }));
      case 'secretbox':
        return entry.keys.map((key) => new SecretboxProvider({ ...key, randomBytes }));
      case 'kms':
        return [this.#kmsProvider(entry)];
    }
  }

  #kmsProvider({ version, name, nameField, timeoutMs, cacheSize }: KmsEntry): EncryptionProvider {
    const { keyServices = {}, runtime, randomBytes, logger } = this.#options;
    const service = Object.hasOwn(keyServices, name) ? keyServices[name] : undefined;
    if (service === undefined) {
      return nameField.fail('there is no key service of this name in the option "keyServices"');
    }
    const options = { name, service, timeoutMs, runtime, randomBytes };
    return version === 'v2'
      ? new KmsProvider({ ...options, logger })
      : new EnvelopeProvider({ ...options, cacheSize });
  }

  #usage(secret: Uint8Array): KeyUsage {
    const id = hashOf([secret]);
    let usage = this.#usages.get(id);
    if (usage === undefined) {
      usage = new KeyUsage();
      this.#usages.set(id, usage);
    }
    return usage;
  }
}

/** Passes each call to the transformer that the current configuration has for the resource. */
class ResourceTransformer implements Transformer {
  readonly resource: GroupResource;
  #current: Transformer;

  constructor(resource: GroupResource, current: Transformer) {
    this.resource = resource;
    this.#current = current;
  }

  use(transformer: Transformer): void {
    this.#current = transformer;
  }

  fromStorage(data: Uint8Array, context: TransformContext): PlainValue | Promise<PlainValue> {
    return this.#current.fromStorage(data, context);
  }

  toStorage(data: Uint8Array, context: TransformContext): Uint8Array | Promise<Uint8Array> {
    return this.#current.toStorage(data, context);
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const message = `${file}: it cannot be read: ${errorMessage(error)}`;
    throw new ListwatchError('CONFIG_INVALID', message, { cause: error });
  }
}
