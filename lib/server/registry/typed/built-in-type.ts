import { apiVersionOf, type GroupVersionKind } from '../../../meta/resource.ts';
import type { KubernetesMinor } from '../../../meta/releases/kubernetes-releases.ts';
import { builtInTypes } from '../../../meta/types/built-in-types.ts';
import { DecodeProblems } from './decode-problems.ts';
import { TypeReaders, type DefaultsByType, type TypeReader } from './type-reader.ts';

/** Reads objects as the types of built-in kinds in one minor version. A type is looked up when it is first needed. */
export class BuiltInTypes {
  readonly #minor: KubernetesMinor;
  readonly #readers: TypeReaders;
  readonly #bareReaders = new TypeReaders(undefined);

  /** @param defaults The functions that set defaults, by type. */
  constructor(minor: KubernetesMinor, defaults: DefaultsByType) {
    this.#minor = minor;
    this.#readers = new TypeReaders(defaults);
  }

  of(kind: GroupVersionKind): BuiltInType {
    return new BuiltInType(kind, {
      minor: this.#minor,
      readers: this.#readers,
      bareReaders: this.#bareReaders,
    });
  }
}

interface TypeParts {
  readonly minor: KubernetesMinor;
  readonly readers: TypeReaders;
  readonly bareReaders: TypeReaders;
}

/** The type of one built-in kind. */
export class BuiltInType {
  readonly #kind: GroupVersionKind;
  readonly #parts: TypeParts;
  #reader: TypeReader | undefined;

  constructor(kind: GroupVersionKind, parts: TypeParts) {
    this.#kind = kind;
    this.#parts = parts;
  }

  read(object: Record<string, unknown>, problems: DecodeProblems): Record<string, unknown> {
    return this.#known().read(object, problems);
  }

  zeroOf(field: string): unknown {
    const found = this.#known().message.byName.get(field);
    if (found?.message === undefined) return undefined;
    return this.#parts.readers.of(found).read({}, new DecodeProblems());
  }

  withZeros(object: Record<string, unknown>): Record<string, unknown> {
    const { message } = this.#known();
    return this.#parts.bareReaders.ofMessage(message).read(object, new DecodeProblems());
  }

  /** @throws {TypeError} when the table of types does not have the kind. */
  #known(): TypeReader {
    if (this.#reader === undefined) {
      const apiVersion = apiVersionOf(this.#kind);
      const message = builtInTypes(this.#parts.minor).kind(apiVersion, this.#kind.kind);
      if (message === undefined) {
        throw new TypeError(`there is no type ${this.#kind.kind} in ${apiVersion}`);
      }
      this.#reader = this.#parts.readers.ofMessage(message);
    }
    return this.#reader;
  }
}
