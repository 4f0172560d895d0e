import { readFile } from 'node:fs/promises';
import { errorMessage, ListwatchError } from '../../../kernel/errors.ts';
import type { Logger } from '../../../kernel/logger.ts';
import { rejectUnknownOptions } from '../../../kernel/options.ts';
import type { Runtime } from '../../../kernel/runtime.ts';
import {
  identityTransformer,
  type PlainValue,
  type TransformContext,
  type Transformer,
} from '../value/transformer.ts';
import { AesCbcProvider } from './aes-cbc-provider.ts';
import { AesGcmProvider, KeyUsage } from './aes-gcm-provider.ts';
import { hashOf } from './data-key-cache.ts';
import {
  parseEncryptionDocument,
  type KmsEntry,
  type ProviderEntry,
} from './encryption-document.ts';
import {
  identityProvider,
  type EncryptionProvider,
  type RandomBytes,
} from './encryption-provider.ts';
import { EnvelopeProvider } from './envelope-provider.ts';
import type { KeyService } from './key-service.ts';
import { KmsProvider } from './kms-provider.ts';
import { PrefixTransformers } from './prefix-transformers.ts';
import { rulesFor, ruleText, type GroupResource } from './resource-rules.ts';
import { SecretboxProvider } from './secretbox-provider.ts';

export interface EncryptionConfigurationOptions {
  /** The key services that `kms` entries name. Their `endpoint` is checked, but not connected to. */
  readonly keyServices?: Readonly<Record<string, KeyService>> | undefined;
  /** The clock of the key services. @defaultValue realRuntime */
  readonly runtime?: Runtime | undefined;
  /** @defaultValue the operating system's */
  readonly randomBytes?: RandomBytes | undefined;
  /** Logs failing key services and new data keys. @defaultValue silentLogger */
  readonly logger?: Logger | undefined;
}

const KNOWN = ['keyServices', 'runtime', 'randomBytes', 'logger'];

/** The content of one version of the file. */
interface Loaded {
  /** By rule, as text. */
  readonly transformers: ReadonlyMap<string, Transformer>;
  readonly kmsProviders: readonly KmsProvider[];
  readonly hash: string;
}

/**
 * Which resources are encrypted, and how: an `EncryptionConfiguration` file in the form that kube-apiserver takes with
 * `--encryption-provider-config`.
 *
 * Guarantees:
 * - Transformers it gave out follow a `reload`; storages need not be made anew.
 * - A file that cannot be read, or is wrong, leaves everything as it was.
 * - No key is printed, by messages, `inspect` or `JSON.stringify`.
 *
 * Not guaranteed: that changes of the file are noticed; call `reload`.
 */
export class EncryptionConfiguration {
  readonly #file: string;
  readonly #options: EncryptionConfigurationOptions;
  readonly #given = new Map<string, ResourceTransformer>();
  /** How much the AES-GCM keys were used, by hash, whatever they are called and however often the file is loaded. */
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
   * Takes the text of a file; `file` is its name in messages, and what `reload` reads.
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
   * How objects of a resource are stored: by the rule that names it, else the one for its group, else the one for everything,
   * else as they are. The same resource gets the same transformer each time.
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
   * Reads the file again. Calls run one after the other.
   * @returns whether it had changed.
   * @throws {ListwatchError} CONFIG_INVALID; nothing has changed then.
   */
  async reload(): Promise<boolean> {
    const reloading = this.#reloading.then(async () => this.#take(await readText(this.#file)));
    this.#reloading = reloading.catch(() => {});
    return await reloading;
  }

  /**
   * Asks the key services of all `kms` entries of version 2 which key they use now; what is under another one is stale from
   * then on. To be called before `rewriteStale`.
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

/** Stands for whatever the configuration says about a resource at the time. */
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
