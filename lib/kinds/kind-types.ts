import { apiVersionOf, type GroupVersionKind } from '../meta/resource.ts';
import { builtInTypes } from '../meta/types/built-in-types.ts';
import type { KindType } from '../server/registry/contract/kind-definition.ts';
import { DecodeProblems } from '../server/registry/typed/decode-problems.ts';
import { TypeReaders, type TypeReader } from '../server/registry/typed/type-reader.ts';
import { builtInDefaults } from './defaults/built-in-defaults.ts';

let readers: TypeReaders | undefined;
let bareReaders: TypeReaders | undefined;

/** Kinds whose replicas are a number inside of kube-apiserver, and so never absent, though `apps/v1` has a pointer. */
const COUNTED: ReadonlySet<string> = new Set(['Deployment', 'ReplicaSet', 'StatefulSet']);

/** Reads objects as the type of a built-in kind. The type is looked up when it is first needed. */
class BuiltInType implements KindType {
  readonly #kind: GroupVersionKind;
  #reader: TypeReader | undefined;

  constructor(kind: GroupVersionKind) {
    this.#kind = kind;
  }

  read(object: Record<string, unknown>, problems: DecodeProblems): Record<string, unknown> {
    return this.#known().read(object, problems);
  }

  zeroOf(field: string): unknown {
    const found = this.#known().message.byName.get(field);
    if (found?.message === undefined) return undefined;
    return readersOfTypes().of(found).read({}, new DecodeProblems());
  }

  withZeros(object: Record<string, unknown>): Record<string, unknown> {
    const { message } = this.#known();
    const { group, kind } = this.#kind;
    const counted = group === 'apps' && COUNTED.has(kind) && object['spec'] === undefined;
    const given = counted ? { ...object, spec: { replicas: 0 } } : object;
    return readersWithoutDefaults().ofMessage(message).read(given, new DecodeProblems());
  }

  /** @throws {TypeError} when the table of types does not have the kind. */
  #known(): TypeReader {
    if (this.#reader === undefined) {
      const apiVersion = apiVersionOf(this.#kind);
      const message = builtInTypes().kind(apiVersion, this.#kind.kind);
      if (message === undefined) {
        throw new TypeError(`there is no type ${this.#kind.kind} in ${apiVersion}`);
      }
      this.#reader = readersOfTypes().ofMessage(message);
    }
    return this.#reader;
  }
}

export function typeOfKind(kind: GroupVersionKind): Required<KindType> {
  return new BuiltInType(kind);
}

function readersWithoutDefaults(): TypeReaders {
  return (bareReaders ??= new TypeReaders(undefined));
}

function readersOfTypes(): TypeReaders {
  return (readers ??= new TypeReaders(builtInDefaults));
}
