export type Policy = 'Background' | 'Foreground' | 'Orphan';

/** The objects with owners that remain after deletions, by the rules of garbage collection. */
export class OwnerModel {
  readonly #owners = new Map<string, Set<string>>();

  add(name: string, owners: readonly string[]): void {
    this.#owners.set(name, new Set(owners));
  }

  get names(): string[] {
    return [...this.#owners.keys()].toSorted();
  }

  /** Each object with its owners. */
  get state(): Record<string, string[]> {
    const entries = this.names.map((name) => [
      name,
      [...(this.#owners.get(name) ?? [])].toSorted(),
    ]);
    return Object.fromEntries(entries) as Record<string, string[]>;
  }

  delete(name: string, policy: Policy): void {
    if (!this.#owners.delete(name)) return;
    const dependents = [...this.#owners].filter(([, owners]) => owners.delete(name));
    if (policy === 'Orphan') return;
    for (const [dependent, owners] of dependents) {
      if (owners.size === 0) this.delete(dependent, 'Background');
    }
  }
}
