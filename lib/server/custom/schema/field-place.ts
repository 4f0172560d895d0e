/** A place in an object as causes name it. It is one changing path, so that it costs nothing until there is a cause. */
export class FieldPlace {
  readonly #steps: (string | number)[] = [];
  readonly #root: string;

  /** @param root what the names of causes begin with; it is not part of the texts about them */
  constructor(root: string = '') {
    this.#root = root;
  }

  enter(step: string | number): void {
    this.#steps.push(step);
  }

  leave(): void {
    this.#steps.pop();
  }

  get isRoot(): boolean {
    return this.#steps.length === 0;
  }

  /** `spec.items[0].name`, as texts name the place. */
  get name(): string {
    let text = '';
    for (const step of this.#steps) {
      if (typeof step === 'number') text += `[${step}]`;
      else text += text === '' ? step : `.${step}`;
    }
    return text;
  }

  /** The field of a cause at a place with this name. */
  fieldOf(name: string): string {
    const plain = name.startsWith('.') ? name.slice(1) : name;
    if (plain === '' || name === '.') return this.#root === '' ? NOWHERE : this.#root;
    return this.#root === '' ? plain : `${this.#root}.${plain}`;
  }

  /** The field of a cause that names no place. */
  get nowhere(): string {
    return this.#root === '' ? NOWHERE : this.#root;
  }
}

/** How Go prints a path that is nil. */
const NOWHERE = '<nil>';
