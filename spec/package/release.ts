import { repositoryOf } from './repository.ts';

export interface Release {
  readonly manifest: { readonly version: string; readonly repository: string };
  readonly lock: { readonly version: string };
  readonly changelog: string;
  /** The text of docs/upgrading.md. */
  readonly upgrading: string;
  /** The tag that is released, such as `v0.1.0`. */
  readonly tag: string;
  /** The address of the repository in which the workflow runs; undefined elsewhere. */
  readonly runsIn: string | undefined;
}

/** Everything that keeps a tag from being released, each with what to do. */
export function releaseProblems(release: Release): string[] {
  const { version } = release.manifest;
  const problems: string[] = [];
  if (release.tag !== `v${version}`) {
    problems.push(
      `the tag is ${release.tag}, and package.json has version ${version}: tag v${version}`,
    );
  }
  if (release.lock.version !== version) {
    problems.push(`package-lock.json has version ${release.lock.version}: run npm install`);
  }
  if (notesOf(release.changelog, version) === undefined) {
    problems.push(
      `CHANGELOG.md has no section "## ${version} (YYYY-MM-DD)": write the date of the release`,
    );
  }
  return [...problems, ...upgradeProblems(release), ...addressProblems(release)];
}

/** A user finds each breaking line of a version in the table of its section. */
function upgradeProblems({ changelog, upgrading, manifest }: Release): string[] {
  const { version } = manifest;
  const broken = sectionOf(changelog, version).match(/^- \*\*breaking\*\*/gm) ?? [];
  const [, , ...rows] = sectionOf(upgrading, version).match(/^\|.*\|$/gm) ?? [];
  if (rows.length >= broken.length) return [];
  return [
    `docs/upgrading.md has ${rows.length} rows for ${version}, and CHANGELOG.md ${broken.length} breaking lines: write what a user does about each`,
  ];
}

function addressProblems({ manifest, runsIn }: Release): string[] {
  try {
    const repository = repositoryOf(manifest);
    if (repository === undefined) {
      return [
        'package.json does not say where the repository is: write its address as "repository": "https://github.com/OWNER/NAME"',
      ];
    }
    if (runsIn === undefined || runsIn === repository.url) return [];
    return [
      `package.json names the repository ${repository.url}, and this is ${runsIn}: npm accepts a provenance only from the repository that is named`,
    ];
  } catch (error) {
    return [(error as Error).message];
  }
}

/** The text of a version in the changelog; undefined while the version has no date. */
export function notesOf(changelog: string, version: string): string | undefined {
  const [heading = '', ...lines] = sectionOf(changelog, version).split('\n');
  return /^\S+ \(\d{4}-\d\d-\d\d\)$/.test(heading) ? lines.join('\n').trim() : undefined;
}

/** The section of a version with the text of its heading; empty if there is none. */
function sectionOf(page: string, version: string): string {
  const sections = page.split(/^## /m).slice(1);
  return sections.find((section) => section.split(/[\s(]/, 1)[0] === version) ?? '';
}
