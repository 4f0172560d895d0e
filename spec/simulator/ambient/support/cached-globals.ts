// As a package does that takes what it needs when it is loaded.
const { Date: CachedDate, setTimeout: cachedSetTimeout, Math: cachedMath } = globalThis;
const { random } = cachedMath;

export class Started {
  static readonly at: number = new Date().getTime();
  readonly at: number = Started.at;
}

export const cached: {
  readonly CachedDate: DateConstructor;
  readonly cachedSetTimeout: typeof setTimeout;
  readonly random: () => number;
} = { CachedDate, cachedSetTimeout, random };
