/** The most that a part of the unpacked tarball may take, in megabytes of 10^6 bytes. */
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
 * What is installed is paid by everybody, so each part has a limit. The types and the tables of the server do not exist yet in full:
 * their budgets stand here before they do.
 */
export const BUDGETS: readonly Budget[] = [
  { what: 'everything', matches: () => true, megabytes: 10 },
  { what: 'programs', matches: (file) => /^dist\/.*\.js$/.test(file), megabytes: 2 },
  { what: 'the sources', matches: below('lib'), megabytes: 4.5 },
  { what: 'the documents', matches: below('docs', 'examples'), megabytes: 0.8 },
  { what: 'listwatch/types', matches: below('dist/types', 'lib/types'), megabytes: 2 },
  {
    what: "the server's tables of the built-in kinds",
    matches: below('lib/server/registry/kinds', 'lib/meta/protobuf', 'lib/server/kinds'),
    megabytes: 1.5,
  },
];
