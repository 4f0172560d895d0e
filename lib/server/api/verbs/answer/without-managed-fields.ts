import { asBuffer } from '../../../../kernel/data/as-buffer.ts';
import type { KubernetesObject, ObjectMeta, UnstructuredObject } from '../../../../meta/object.ts';
import { ObjectScanner } from '../../../../meta/json/object-scanner.ts';
import type { StorageScan } from '../../../storage/contract/storage-interface.ts';
import { documentPieces, type StoredObject } from '../../../storage/contract/stored-object.ts';

type WithFields = ObjectMeta & { readonly managedFields?: unknown };

const scanner = new ObjectScanner();

/** A stored object as it is sent to clients that do not want its managed fields. It copies bytes, and changes nothing. */
export class WithoutManagedFields<T extends KubernetesObject> implements StoredObject<T> {
  readonly #whole: StoredObject<T>;

  constructor(whole: StoredObject<T>) {
    this.#whole = whole;
  }

  get key(): string {
    return this.#whole.key;
  }

  get resourceVersion(): string {
    return this.#whole.resourceVersion;
  }

  get metadata(): ObjectMeta {
    const { managedFields: _, ...metadata } = this.#whole.metadata as WithFields;
    return metadata;
  }

  get object(): T {
    const { object } = this.#whole;
    return object.metadata === undefined ? object : { ...object, metadata: this.metadata };
  }

  get bytes(): Uint8Array {
    return Buffer.concat(this.pieces());
  }

  pieces(): readonly Uint8Array[] {
    const document = documentOf(this.#whole);
    scanner.scanMetadata(document, 0, document.length);
    const { managedFieldsStart, managedFieldsEnd } = scanner;
    if (managedFieldsStart < 0) return [document];
    return [document.subarray(0, managedFieldsStart), document.subarray(managedFieldsEnd)];
  }

  copy(): T {
    return structuredClone(this.object);
  }
}

function documentOf(stored: StoredObject): Buffer {
  const pieces = documentPieces(stored);
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? asBuffer(only) : Buffer.concat(pieces);
}

/** The items of a list without their managed fields; they can be gone through several times. */
export function scanWithoutManagedFields(
  list: StorageScan<UnstructuredObject>,
): StorageScan<UnstructuredObject> {
  const { items } = list;
  return {
    ...list,
    items: {
      *[Symbol.iterator]() {
        for (const item of items) yield new WithoutManagedFields(item);
      },
    },
  };
}
