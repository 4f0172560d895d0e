import { textAt } from '../../../meta/json-value.ts';
import { apiVersionOf } from '../../../meta/resource.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { compareResourceVersions } from '../../../meta/versions/resource-version.ts';
import type { StorageInterface } from '../../storage/contract/storage-interface.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';
import { versionsOf } from '../definition/custom-resource-definition.ts';
import { contentOf } from './converted-content.ts';
import { ConvertingStorage } from './converting-storage.ts';
import type { StoredForm } from './stored-form.ts';

type Storage = StorageInterface<UnstructuredObject>;
type Stored = StoredObject<UnstructuredObject>;

type Change = (object: UnstructuredObject) => UnstructuredObject;

/**
 * Objects that were written before the schema changed: readers get them without the fields that the present schema of their version does
 * not have, and with its defaults. Later objects were written by the present schema and are not parsed.
 * @see apiextensions-apiserver pkg/apiserver/customresource_handler.go schemaCoercingDecoder @ v0.37.2
 */
class EarlierSchema implements StoredForm {
  readonly #changedAt: string;
  /** By `apiVersion`: objects may be stored in more than one version. */
  readonly #present: ReadonlyMap<string, Change>;

  /** @param changedAt the resource version of the definition at the change, or a later one */
  constructor(definition: unknown, changedAt: string) {
    this.#changedAt = changedAt;
    const group = textAt(definition, 'spec', 'group');
    this.#present = new Map(
      versionsOf(definition).map((version) => [
        apiVersionOf({ group, version: textAt(version, 'name') }),
        contentOf(definition, version, { defaults: true }),
      ]),
    );
  }

  differs({ resourceVersion }: Pick<Stored, 'resourceVersion'>): boolean {
    return compareResourceVersions(resourceVersion, this.#changedAt) <= 0;
  }

  read(objects: readonly UnstructuredObject[]): Promise<readonly UnstructuredObject[]> {
    const present = objects.map((object) => {
      const resourceVersion = object.metadata?.resourceVersion;
      if (resourceVersion !== undefined && !this.differs({ resourceVersion })) return object;
      const present = this.#present.get(object.apiVersion ?? '');
      return present === undefined ? object : present(structuredClone(object));
    });
    return Promise.resolve(present);
  }

  store(object: UnstructuredObject): Promise<UnstructuredObject> {
    return Promise.resolve(object);
  }
}

/** When the spec of a definition changed last. */
export class SchemaHistory {
  #generation: number | undefined;
  #changedAt: string | undefined;

  /** The storage of the stored version, whose objects have the form of the present schema. */
  present(storage: Storage, { object, metadata, resourceVersion }: Stored): Storage {
    const { generation = 1 } = metadata;
    // A spec that was changed before this server saw it was changed at this version or earlier.
    if (generation !== this.#generation && generation > 1) this.#changedAt = resourceVersion;
    this.#generation = generation;
    if (this.#changedAt === undefined) return storage;
    return new ConvertingStorage({ storage, form: new EarlierSchema(object, this.#changedAt) });
  }
}
