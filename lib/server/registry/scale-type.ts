import { builtInTypes } from '../../meta/types/built-in-types.ts';
import type { KindType } from './contract/kind-definition.ts';
import type { JsonRecord } from './rules/json-value.ts';
import { DecodeProblems } from './typed/decode-problems.ts';
import { TypeReaders, type TypeReader } from './typed/type-reader.ts';

/** The type of a Scale, looked up when the first one is read. */
class ScaleType implements KindType {
  readonly #readers = new TypeReaders(new Map());
  #reader: TypeReader | undefined;

  read(object: JsonRecord, problems: DecodeProblems): JsonRecord {
    return this.#known().read(object, problems);
  }

  zeroOf(field: string): unknown {
    const found = this.#known().message.byName.get(field);
    if (found?.message === undefined) return undefined;
    return this.#readers.of(found).read({}, new DecodeProblems());
  }

  #known(): TypeReader {
    this.#reader ??= this.#readers.ofMessage(builtInTypes().get('autoscaling.Scale'));
    return this.#reader;
  }
}

export const scaleType: KindType = new ScaleType();
