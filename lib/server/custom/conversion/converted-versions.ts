import type { Runtime } from '../../../kernel/time/runtime.ts';
import { apiVersionOf } from '../../../meta/resource.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import type { StorageInterface } from '../../storage/contract/storage-interface.ts';
import type { WebhookCaller } from '../../webhooks/webhook-caller.ts';
import { recordsAt, textAt, textsAt, type JsonRecord } from '../../../meta/json-value.ts';
import { contentOf } from './converted-content.ts';
import { ConvertingStorage } from './converting-storage.ts';
import type { StoredForm } from './stored-form.ts';
import { WebhookConverter, type ObjectConverter } from './webhook-converter.ts';

type Storage = StorageInterface<UnstructuredObject>;

interface ConversionParts {
  readonly storage: Storage;
  readonly runtime: Runtime;
  readonly webhooks: WebhookCaller;
}

interface WebhookFormOptions {
  readonly converter: ObjectConverter;
  /** The version that the readers and writers of this storage have. */
  readonly apiVersion: string;
  readonly storedApiVersion: string;
  /** Removes the fields that the schema of `apiVersion` does not have; may change the object. */
  readonly readAs: (object: UnstructuredObject) => UnstructuredObject;
  /** The same for `storedApiVersion`. */
  readonly storeAs: (object: UnstructuredObject) => UnstructuredObject;
}

/** One version, converted by a webhook. */
class WebhookForm implements StoredForm {
  readonly #options: WebhookFormOptions;

  constructor(options: WebhookFormOptions) {
    this.#options = options;
  }

  differs(): boolean {
    return true;
  }

  async read(
    objects: readonly UnstructuredObject[],
    signal: AbortSignal | undefined,
  ): Promise<readonly UnstructuredObject[]> {
    const { converter, apiVersion, readAs } = this.#options;
    const converted = await converter.convert(objects, apiVersion, signal);
    return converted.map((one, index) => (one === objects[index] ? one : readAs(one)));
  }

  async store(
    object: UnstructuredObject,
    signal: AbortSignal | undefined,
  ): Promise<UnstructuredObject> {
    const { converter, storedApiVersion, storeAs } = this.#options;
    const [converted = object] = await converter.convert([object], storedApiVersion, signal);
    return converted === object ? object : storeAs(converted);
  }
}

/** The versions of a definition whose objects a webhook converts. */
export class ConvertedVersions {
  readonly #definition: unknown;
  readonly #storage: Storage;
  readonly #converter: ObjectConverter;
  readonly #stored: JsonRecord;

  private constructor(definition: unknown, stored: JsonRecord, parts: ConversionParts) {
    this.#definition = definition;
    this.#storage = parts.storage;
    this.#stored = stored;
    this.#converter = new WebhookConverter(definition, parts.webhooks, parts.runtime);
  }

  /** Undefined if the versions differ in their names only. */
  static of(definition: unknown, parts: ConversionParts): ConvertedVersions | undefined {
    if (textAt(definition, 'spec', 'conversion', 'strategy') !== 'Webhook') return undefined;
    const stored = recordsAt(definition, 'spec', 'versions').find((one) => one['storage'] === true);
    return stored === undefined ? undefined : new ConvertedVersions(definition, stored, parts);
  }

  /** The storage of one version; undefined if all objects are stored in it, so that nothing has to be converted. */
  storageOf(version: JsonRecord): Storage | undefined {
    const definition = this.#definition;
    const name = textAt(version, 'name');
    const storedName = textAt(this.#stored, 'name');
    if (name === storedName) {
      const others = textsAt(definition, 'status', 'storedVersions');
      if (others.every((one) => one === storedName)) return undefined;
    }
    const group = textAt(definition, 'spec', 'group');
    const form = new WebhookForm({
      converter: this.#converter,
      apiVersion: apiVersionOf({ group, version: name }),
      storedApiVersion: apiVersionOf({ group, version: storedName }),
      readAs: contentOf(definition, version, { defaults: false }),
      storeAs: contentOf(definition, this.#stored, { defaults: true }),
    });
    return new ConvertingStorage({ storage: this.#storage, form });
  }

  /** An object in another version. @throws {ApiError} 500 when the webhook does not convert it. */
  async convert(
    object: UnstructuredObject,
    apiVersion: string,
    signal: AbortSignal | undefined,
  ): Promise<UnstructuredObject> {
    const [converted = object] = await this.#converter.convert([object], apiVersion, signal);
    return converted;
  }

  /** Closes the connections to the webhook, after the calls that are running. */
  close(): void {
    this.#converter.close();
  }
}
