import { apiVersionOf, type GroupVersionKind } from '../../../meta/resource.ts';
import { builtInTypes } from '../../../meta/types/built-in-types.ts';
import { DecodeProblems } from './decode-problems.ts';
import { TypeReaders, type DefaultsByType, type TypeReader } from './type-reader.ts';

/** Reads objects as the types of built-in kinds. A type is looked up when it is first needed. */
export class BuiltInTypes {
  readonly #readers: TypeReaders;
  readonly #bareReaders = new TypeReaders(undefined);

  /** @param defaults The functions that set defaults, by type. */
  constructor(defaults: DefaultsByType) {
    this.#readers = new TypeReaders(defaults);
  }

  of(kind: GroupVersionKind): BuiltInType {
    return new BuiltInType(kind, this.#readers, this.#bareReaders);
  }
}

/** The type of one built-in kind. */
export class BuiltInType {
  readonly #kind: GroupVersionKind;
  readonly #readers: TypeReaders;
  readonly #bareReaders: TypeReaders;
  #reader: TypeReader | undefined;

  constructor(kind: GroupVersionKind, readers: TypeReaders, bareReaders: TypeReaders) {
    this.#kind = kind;
    this.#readers = readers;
    this.#bareReaders = bareReaders;
  }

  read(object: Record<string, unknown>, problems: DecodeProblems): Record<string, unknown> {
    return this.#known().read(object, problems);
  }

  zeroOf(field: string): unknown {
    const found = this.#known().message.byName.get(field);
    if (found?.message === undefined) return undefined;
    return this.#readers.of(found).read({}, new DecodeProblems());
  }

  withZeros(object: Record<string, unknown>): Record<string, unknown> {
    const { message } = this.#known();
    return this.#bareReaders.ofMessage(message).read(object, new DecodeProblems());
  }

  /** @throws {TypeError} when the table of types does not have the kind. */
  #known(): TypeReader {
    if (this.#reader === undefined) {
      const apiVersion = apiVersionOf(this.#kind);
      const message = builtInTypes().kind(apiVersion, this.#kind.kind);
      if (message === undefined) {
        throw new TypeError(`there is no type ${this.#kind.kind} in ${apiVersion}`);
      }
      this.#reader = this.#readers.ofMessage(message);
    }
    return this.#reader;
  }
}
