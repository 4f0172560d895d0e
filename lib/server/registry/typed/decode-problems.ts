import { isRecord } from '../../../meta/json-value.ts';

/** A value that cannot be read as its type; `message` is in the words of Go. */
export class TypedDecodeError extends Error {
  override readonly name: string = 'TypedDecodeError';
}

function stepText(step: number | string | undefined): string {
  if (step === undefined) return '';
  return typeof step === 'number' ? `[${step}]` : `.${step}`;
}

/**
 * Where a reader is in an object, and what it found wrong. Go goes on after a value of a wrong type and reports the first; any other
 * problem ends it.
 */
export class DecodeProblems {
  /** The paths of the fields that the types do not have: `spec.containers[0].surplus`, in the order in which they were met. */
  readonly unknownFields: string[] = [];
  readonly #names: string[] = [];
  readonly #goNames: string[] = [];
  readonly #steps: (number | string | undefined)[] = [];
  readonly #literals: ReadonlyMap<string, string> | undefined;
  #depth = 0;
  #wrongType: string | undefined;

  /** @param literals by path, whole numbers that are written in a way that Go does not take for whole ones */
  constructor(literals?: ReadonlyMap<string, string>) {
    this.#literals = literals === undefined || literals.size === 0 ? undefined : literals;
  }

  /** How the number at a field is written, when that is unusual. */
  literalAt(name: string, step: number | string | undefined): string | undefined {
    if (this.#literals === undefined) return undefined;
    return this.#literals.get(`${this.#path()}${name}${stepText(step)}`);
  }

  /**
   * Goes into a field; `step` is the index in a list or the key in a map, undefined for a field that is neither. `goName` also names the inline
   * struct that declares it.
   */
  enter(name: string, step: number | string | undefined, goName: string): void {
    this.#names[this.#depth] = name;
    this.#goNames[this.#depth] = goName;
    this.#steps[this.#depth] = step;
    this.#depth += 1;
  }

  leave(): void {
    this.#depth -= 1;
  }

  get depth(): number {
    return this.#depth;
  }

  unknown(name: string): void {
    this.unknownFields.push(this.#path() + name);
  }

  /** Reads what Go reads with a decoder of its own, which reports no unknown fields. */
  quietly<R>(read: () => R): R {
    const known = this.unknownFields.length;
    const result = read();
    this.unknownFields.length = known;
    return result;
  }

  #path(): string {
    let path = '';
    for (let at = 0; at < this.#depth; at += 1) {
      path += `${this.#names[at]}${stepText(this.#steps[at])}.`;
    }
    return path;
  }

  /** Notes a value that is not of the type `type` of the field `name` of the struct `owner`. */
  wrongType(value: unknown, owner: string, name: string, type: string, literal?: string): void {
    if (this.#wrongType !== undefined) return;
    const path = [...this.#goNames.slice(0, this.#depth), name].join('.');
    this.#wrongType = `json: cannot unmarshal ${literal === undefined ? jsonKind(value, type) : `number ${literal}`} into Go struct field ${owner}.${path} of type ${type}`;
  }

  /** @throws {TypedDecodeError} when a value had a wrong type. */
  end(): void {
    if (this.#wrongType !== undefined) throw new TypedDecodeError(this.#wrongType);
  }
}

/** Go's name of a JSON value; a number that does not fit a type of numbers is named. */
function jsonKind(value: unknown, type: string): string {
  if (typeof value === 'number')
    return /^(?:u?int|float)/.test(type) ? `number ${value}` : 'number';
  if (typeof value === 'boolean') return 'bool';
  if (Array.isArray(value)) return 'array';
  return isRecord(value) ? 'object' : 'string';
}
