/** The most that a part of the unpacked tarball may take, in MiB on disk. */
export interface Budget {
  readonly what: string;
  readonly matches: (file: string) => boolean;
  readonly megabytes: number;
}

const below =
  (...folders: readonly string[]) =>
  (file: string): boolean =>
    folders.some((folder) => file.startsWith(`${folder}/`));

/**
 * Every user pays for what is installed, so each part has a limit.
 */
export const BUDGETS: readonly Budget[] = [
  { what: 'everything', matches: () => true, megabytes: 8.8 },
  { what: 'programs', matches: (file) => /^dist\/.*\.js$/.test(file), megabytes: 4 },
  { what: 'source maps', matches: (file) => file.endsWith('.map'), megabytes: 2.85 },
  {
    what: 'declarations',
    matches: (file) => file.endsWith('.d.ts') && !file.startsWith('dist/types/'),
    megabytes: 0.87,
  },
  { what: 'documents', matches: below('docs', 'examples', 'lib'), megabytes: 0.83 },
  { what: 'listwatch/types', matches: below('dist/types'), megabytes: 0.27 },
];

/** The most source text that goes into the bundles from some folders, in MiB. */
export const SOURCE_BUDGETS: readonly Budget[] = [
  {
    what: "the server's tables of the built-in kinds",
    matches: below('lib/kinds', 'lib/meta/protobuf', 'lib/meta/types'),
    megabytes: 1,
  },
  { what: 'the conformance suites', matches: below('lib/conformance'), megabytes: 0.3 },
];

/** The most code that an import of an entry loads, its own chunks only, in KiB. Each costs time at every start of a program. */
export const IMPORT_BUDGETS: readonly (readonly [entry: string, kilobytes: number])[] = [
  ['listwatch', 827],
];
