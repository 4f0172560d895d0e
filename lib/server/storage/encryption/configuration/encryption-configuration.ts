import { readFile } from 'node:fs/promises';
import { errorMessage, ListwatchError } from '../../../../kernel/failure/errors.ts';
import type { Logger } from '../../../../kernel/report/logger.ts';
import { LOGGER } from '../../../../kernel/report/logger-rule.ts';
import { is, optionsOf } from '../../../../kernel/options/options-schema.ts';
import type { Runtime } from '../../../../kernel/time/runtime.ts';
import {
  identityTransformer,
  type PlainValue,
  type TransformContext,
  type Transformer,
} from '../../value/transformer.ts';
import { AesCbcProvider, AesGcmProvider, KeyUsage } from '../aes-gcm-provider.ts';
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
import { KmsPlugin } from '../plugin/kms-plugin.ts';
import { PrefixTransformers } from './prefix-transformers.ts';
import { rulesFor, ruleText, type GroupResource } from './resource-rules.ts';
import { SecretboxProvider } from '../secretbox-provider.ts';

export interface EncryptionConfigurationOptions {
  /** Key services for the `kms` entries of these names, in the place of the plug-ins at their endpoints. Version 1 needs one. */
  readonly keyServices?: Readonly<Record<string, KeyService>> | undefined;
  /** The clock of the key services. @defaultValue realRuntime */
  readonly runtime?: Runtime | undefined;
  /** @defaultValue the operating system's */
  readonly randomBytes?: RandomBytes | undefined;
  /** Logs failures of key services and new data keys. @defaultValue consoleLogger */
  readonly logger?: Logger | undefined;
}

const OPTIONS = optionsOf<EncryptionConfigurationOptions>()('EncryptionConfiguration', {
  keyServices: is.object(),
  runtime: is.object(),
  randomBytes: is.callback(),
  logger: LOGGER,
});

/** The content of one version of the file. */
interface Loaded {
  /** By the text of the rule. */
  readonly transformers: ReadonlyMap<string, Transformer>;
  /** Those of version 2, by name. */
  readonly kmsProviders: ReadonlyMap<string, KmsProvider>;
  readonly plugins: readonly KmsPlugin[];
  readonly hash: string;
}

/**
 * The checks of the key services for `/healthz` and `/readyz` of an API server; an element of its option `healthChecks`.
 *
 * @experimental
 */
export interface KeyServicesCheck {
  readonly name: 'kms-providers';
  readonly endpoints: readonly ('healthz' | 'readyz')[];
  /** Rejects with what is wrong with each of the services that fail. */
  readonly check: () => Promise<void>;
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
export class EncryptionConfiguration implements Disposable {
  readonly #file: string;
  readonly #options: EncryptionConfigurationOptions;
  readonly #given = new Map<string, ResourceTransformer>();
  /** The use counts of the AES-GCM keys by hash. They survive a renamed key and a reload of the file. */
  readonly #usages = new Map<string, KeyUsage>();
  #loaded: Loaded;
  #lastPlugins: readonly KmsPlugin[] = [];
  #reloading: Promise<unknown> = Promise.resolve();

  private constructor(file: string, text: string, options: EncryptionConfigurationOptions) {
    OPTIONS.read(options);
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
    const providers = [...this.#loaded.kmsProviders.values()];
    await Promise.all(providers.map((provider) => provider.refresh()));
  }

  /**
   * For the option `healthChecks` of an API server: one check of all version 2 `kms` entries, none if there are none. As
   * in kube-apiserver, a server whose key service fails is not ready, but alive.
   */
  healthChecks(): readonly KeyServicesCheck[] {
    if (this.#loaded.kmsProviders.size === 0) return [];
    const check = (): Promise<void> => this.#check();
    return [{ name: 'kms-providers', endpoints: ['healthz', 'readyz'], check }];
  }

  /** Closes the connections to KMS plug-ins. Values whose keys are in memory stay readable. */
  destroy(): void {
    closeAll([...this.#lastPlugins, ...this.#loaded.plugins]);
  }

  [Symbol.dispose](): void {
    this.destroy();
  }

  async #check(): Promise<void> {
    const problems: string[] = [];
    for (const [index, [name, provider]] of [...this.#loaded.kmsProviders].entries()) {
      try {
        await provider.check();
      } catch (error) {
        const text = `kmsv2 Provider ${name} is not healthy, error: ${errorMessage(error)}`;
        problems.push(`kms-provider-${index}: ${text}`);
      }
    }
    if (problems.length > 0) throw new Error(problems.join(', '));
  }

  #take(text: string): boolean {
    const loaded = this.#load(text);
    if (loaded.hash === this.#loaded.hash) {
      closeAll(loaded.plugins);
      return false;
    }
    // Values may still be on their way through the plug-ins of the last version; those of the one before are not in use.
    closeAll(this.#lastPlugins);
    this.#lastPlugins = this.#loaded.plugins;
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
    const plugins: KmsPlugin[] = [];
    try {
      return this.#loadWith(plugins, text);
    } catch (error) {
      closeAll(plugins);
      throw error;
    }
  }

  #loadWith(plugins: KmsPlugin[], text: string): Loaded {
    const kmsProviders = new Map<string, KmsProvider>();
    const providers = new Map<string, EncryptionProvider[]>();
    for (const entry of parseEncryptionDocument(this.#file, text)) {
      const made = entry.providers.flatMap((provider) => {
        if (provider.type !== 'kms') return this.#providers(provider);
        const kms = this.#kmsProvider(provider, plugins);
        if (kms instanceof KmsProvider) kmsProviders.set(provider.name, kms);
        return [kms];
      });
      for (const rule of entry.resources) {
        // A resource in several lists has the providers of all of them, in order.
        const name = ruleText(rule);
        providers.set(name, [...(providers.get(name) ?? []), ...made]);
      }
    }
    const transformers = new Map<string, Transformer>();
    for (const [rule, list] of providers) transformers.set(rule, new PrefixTransformers(list));
    return { transformers, kmsProviders, plugins, hash: hashOf([Buffer.from(text)]) };
  }

  #providers(entry: Exclude<ProviderEntry, KmsEntry>): EncryptionProvider[] {
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
    }
  }

  #kmsProvider(entry: KmsEntry, plugins: KmsPlugin[]): EncryptionProvider {
    const { version, name, timeoutMs, cacheSize } = entry;
    const { runtime, randomBytes, logger } = this.#options;
    const service = this.#keyService(entry, plugins);
    const options = { name, service, timeoutMs, runtime, randomBytes };
    return version === 'v2'
      ? new KmsProvider({ ...options, logger })
      : new EnvelopeProvider({ ...options, cacheSize });
  }

  #keyService(
    { version, name, nameField, endpoint, timeoutMs }: KmsEntry,
    plugins: KmsPlugin[],
  ): KeyService {
    const { keyServices = {}, runtime } = this.#options;
    const given = Object.hasOwn(keyServices, name) ? keyServices[name] : undefined;
    if (given !== undefined) return given;
    if (version === 'v1') {
      return nameField.fail(
        'version 1 of the KMS interface needs a key service of this name in the option "keyServices"; plug-ins are called with version 2',
      );
    }
    const plugin = new KmsPlugin({ endpoint, timeoutMs, runtime });
    plugins.push(plugin);
    return plugin;
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

function closeAll(plugins: readonly KmsPlugin[]): void {
  for (const plugin of plugins) plugin[Symbol.dispose]();
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
