import { ListwatchError } from '../../../kernel/failure/errors.ts';

/** The namespaces of an informer, which may change while it runs. */
export class NamespaceSet {
  #names: ReadonlySet<string>;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(owner: string, names: Iterable<string>) {
    this.#names = checked(owner, names);
  }

  get names(): readonly string[] {
    return [...this.#names];
  }

  has(name: string | undefined): boolean {
    return name !== undefined && this.#names.has(name);
  }

  /** @throws {ListwatchError} code INVALID_OPTION. */
  replace(owner: string, names: Iterable<string>): void {
    this.#names = checked(owner, names);
  }
}

/** `''` means all namespaces to a server, so it cannot be one of several. */
function checked(owner: string, names: unknown): ReadonlySet<string> {
  const isArray = Array.isArray(names);
  const wrong = isArray
    ? (names as unknown[]).find((name) => typeof name !== 'string' || !/^[^/\s]+$/.test(name))
    : names;
  if (isArray && wrong === undefined) return new Set(names as readonly string[]);
  const given = JSON.stringify(wrong)?.slice(0, 60) ?? 'undefined';
  throw new ListwatchError(
    'INVALID_OPTION',
    `${owner}: option "namespaces" must be an array of names of namespaces; ${given} is ${isArray ? 'no name' : 'no array'}`,
  );
}
