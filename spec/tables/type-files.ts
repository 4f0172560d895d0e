import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NEWEST_MINOR, RELEASES } from '../../lib/meta/releases/kubernetes-releases.ts';
import { FeatureGates } from './feature-gates.ts';
import { readGoPackage } from './go-package.ts';
import { readEnums, type SectionEnums } from './kinds/read-enums.ts';
import { readProtoFile } from './proto-file.ts';
import { MINORS, moduleVersion } from './recorded-minor.ts';
import { TypeNotation, type Section } from './type-notation.ts';
import { TYPE_FILES, type TypeFile, type TypePackage } from './type-packages.ts';
import { versionedLines } from './versioned-lines.ts';

export interface GeneratedFile {
  /** In `lib/meta/types/tables`. */
  readonly file: string;
  readonly text: string;
}

/** The folder of a package in a Go module cache, such as `/root/go/pkg/mod`; undefined when the version does not have it. */
function folderOf(
  modules: string,
  { modules: names, folder }: TypePackage,
  version: string,
): string | undefined {
  return names
    .map((name) => join(modules, `${name}@${version}`, folder))
    .find((path) => existsSync(join(path, 'generated.proto')));
}

/** The first module that is not there; undefined when the files can be made. */
export function missingModule(modules: string): string | undefined {
  const needed = new Set(
    TYPE_FILES.flatMap(({ packages }) => packages.flatMap((one) => one.modules.slice(0, 1))),
  );
  const types = MINORS.flatMap((minor) =>
    [...needed].map((name) => `${name}@${moduleVersion(minor)}`),
  );
  return [
    ...types,
    `k8s.io/kubernetes@${RELEASES[NEWEST_MINOR]}`,
    `k8s.io/apiserver@${moduleVersion(NEWEST_MINOR)}`,
  ]
    .map((name) => join(modules, name))
    .find((folder) => !existsSync(folder));
}

/** The enums of the packages of the newest released version, from their Go source; see `KindsWriter`. */
export function readTypeEnums(modules: string): ReadonlyMap<string, SectionEnums> {
  const version = moduleVersion(NEWEST_MINOR);
  return readEnums(
    TYPE_FILES.flatMap(({ packages }) => packages).flatMap((one) => {
      const folder = folderOf(modules, one, version);
      if (folder === undefined) return [];
      return [{ section: one.section, folder, go: readGoPackage(folder, goPathOf(one)) }];
    }),
  );
}

/** The files of the type table with all versions, from the Go source of the types. @throws {Error} for source that cannot be understood. */
export function generateTypeFiles(modules: string): GeneratedFile[] {
  const gates = new FeatureGates(modules);
  const versions = MINORS.map(
    (minor) =>
      [
        minor,
        sectionLines(modules, moduleVersion(minor), (gate) => gates.removes(gate, minor)),
      ] as const,
  );
  return TYPE_FILES.map((file) => ({
    file: file.file,
    text: fileText(
      file,
      // Section by section: messages of the same name in two of them are not the same line.
      file.packages.flatMap((one) =>
        versionedLines(versions.map(([minor, lines]) => [minor, lines.get(one) ?? []])),
      ),
    ),
  }));
}

/** The type table of one release, in texts for `TypeTable`, and the sections whose packages are not there. */
export function releaseTypeTexts(
  modules: string,
  release: string,
): { readonly texts: readonly string[]; readonly missing: readonly string[] } {
  const version = release.replace(/^v1/, 'v0');
  const gates = new FeatureGates(modules, release);
  const minor = Number(/^v1\.(\d+)\./.exec(release)?.[1]);
  const lines = sectionLines(modules, version, (gate) => gates.removes(gate, minor));
  const all = TYPE_FILES.flatMap(({ packages }) => packages);
  return {
    texts: all.map((one) => (lines.get(one) ?? []).join('\n')),
    missing: all.filter((one) => !lines.has(one)).map(({ section }) => section),
  };
}

/** The lines of each package in one version. */
function sectionLines(
  modules: string,
  version: string,
  isOff: (gate: string) => boolean,
): ReadonlyMap<TypePackage, readonly string[]> {
  const sections = new Map<TypePackage, Section>();
  for (const one of TYPE_FILES.flatMap(({ packages }) => packages)) {
    const folder = folderOf(modules, one, version);
    if (folder === undefined) continue;
    sections.set(one, {
      section: one.section,
      apiVersion: one.apiVersion,
      go: readGoPackage(folder, goPathOf(one)),
      proto: readProtoFile(readFileSync(join(folder, 'generated.proto'), 'utf8')),
    });
  }
  const notation = new TypeNotation([...sections.values()], isOff);
  return new Map([...sections].map(([one, section]) => [one, notation.linesOf(section)]));
}

/** The path that other packages import, and that names the types in OpenAPI documents. */
function goPathOf({ modules, folder }: TypePackage): string {
  return `${modules[0]}/${folder}`;
}

function fileText({ constant, packages }: TypeFile, lines: readonly string[]): string {
  const modules = [...new Set(packages.map(({ modules: [name] }) => name))].join(', ');
  const versions = MINORS.map(moduleVersion).join(', ');
  return `/**
 * Generated by \`npm run generate -- tables\` from ${modules} ${versions} (Apache-2.0): the types.go and generated.proto files of
 * the packages named below. In the notation of \`TypeTable\`, by version as \`textOfMinor\` reads it.
 */
export const ${constant}: string = String.raw\`
${lines.join('\n')}
\`;
`;
}
