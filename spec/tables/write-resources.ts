import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { COLUMN_TEXT } from '../../lib/kinds/columns/column-text.ts';
import { RESOURCE_TEXT } from '../../lib/meta/surface/resource-text.ts';
import { ALL_RELEASES, minorOf, withRecorded } from './recorded-minor.ts';
import type {
  RecordedColumn,
  RecordedResource,
  RecordedSurface,
  RecordedVersion,
} from './record-resources.ts';

const LIB = resolve(import.meta.dirname, '../../lib');

export const RESOURCE_FILE: string = resolve(LIB, 'meta/surface/resource-text.ts');
export const COLUMN_FILE: string = resolve(LIB, 'kinds/columns/column-text.ts');

/** Written as `*`. */
const ALL_VERBS = 'create,delete,deletecollection,get,list,patch,update,watch';

/** Writes what was recorded as the two tables of `lib`, beside what they have of other versions. */
export async function writeTables(surface: RecordedSurface): Promise<void> {
  await writeFile(RESOURCE_FILE, resourceModule(surface));
  await writeFile(COLUMN_FILE, columnModule(surface));
}

/** The lines of a surface in the table of resources. */
export function resourceTextLines({ versions }: Pick<RecordedSurface, 'versions'>): string[] {
  return versions.flatMap((version) => [versionLine(version), ...resourceLines(version)]);
}

/** The lines of a surface in the table of columns, each with its description. */
export function columnLines({ versions }: Pick<RecordedSurface, 'versions'>): string[] {
  const lines: string[] = [];
  for (const { group, version, columns } of versions) {
    for (const [resource, definitions] of columns) {
      lines.push(`${group}/${version}/${resource}`, ...definitions.map(columnLine));
    }
  }
  return lines;
}

/** The module with the resources of a surface, and of other versions. */
export function resourceModule({ serverVersion, versions }: RecordedSurface): string {
  const lines = resourceTextLines({ versions });
  return moduleOf({
    name: 'RESOURCE_TEXT',
    source: `the discovery documents of kube-apiserver ${ALL_RELEASES} (Kubernetes, Apache-2.0)`,
    comment:
      'The resources that each serves by default. `parseResources` reads and explains it, and `textOfMinor` the versions.',
    lines: withRecorded(RESOURCE_TEXT, minorOf(serverVersion), lines),
  });
}

/** The module with the columns of a surface, and of other versions. Texts that several columns share stand at its beginning. */
export function columnModule({ serverVersion, versions }: RecordedSurface): string {
  const own = columnLines({ versions });
  const all = withRecorded(withoutShared(COLUMN_TEXT), minorOf(serverVersion), own);
  const texts = sharedTexts(all);
  const lines = [
    ...[...texts].map(([text, index]) => `$${index} ${text}`),
    ...all.map((line) => withShared(line, texts)),
  ];
  return moduleOf({
    name: 'COLUMN_TEXT',
    source: `the tables of kube-apiserver ${ALL_RELEASES} (Kubernetes, Apache-2.0)`,
    comment:
      'The columns of the table of each resource that can be listed. `parseColumns` reads and explains it.',
    lines,
  });
}

function versionLine({ group, version, priorities }: RecordedVersion): string {
  return [group || '-', version, priorities?.group ?? '-', priorities?.version ?? '-'].join(' ');
}

function resourceLines({ group, version, resources }: RecordedVersion): string[] {
  return resources.map((resource) => {
    const [, subresource] = resource.name.split('/');
    return subresource === undefined
      ? ` ${resourceWords(resource).join(' ')}`
      : `  ${subresourceWords(resource, subresource, { group, version }).join(' ')}`;
  });
}

function resourceWords(resource: RecordedResource): string[] {
  return [
    resource.name,
    resource.singularName,
    resource.kind,
    resource.namespaced ? 'namespaced' : 'cluster',
    verbsWord(resource.verbs),
    resource.shortNames?.join(',') ?? '-',
    resource.categories?.join(',') ?? '-',
    resource.storageVersionHash ?? '-',
  ];
}

function subresourceWords(
  { kind, verbs, group, version }: RecordedResource,
  name: string,
  main: Pick<RecordedVersion, 'group' | 'version'>,
): string[] {
  const foreign = group === undefined && version === undefined;
  const apiVersion = foreign ? '-' : `${group ?? main.group}/${version ?? main.version}`;
  return [name, kind, apiVersion, verbsWord(verbs)];
}

function verbsWord(verbs: readonly string[]): string {
  const word = verbs.join(',');
  return word === ALL_VERBS ? '*' : word;
}

/** A line of a column, up to the description and with it. */
const COLUMN = /^((?:\[\d*\.\.\d*\])? (?:[^|]*\|){4})(.*)$/;

/** The descriptions that stand more than once, by their place. */
function sharedTexts(lines: readonly string[]): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  for (const line of lines) {
    const text = COLUMN.exec(line)?.[2] ?? '';
    if (text !== '') uses.set(text, (uses.get(text) ?? 0) + 1);
  }
  const shared = [...uses].filter(([, count]) => count > 1);
  return new Map(shared.map(([text], index) => [text, index]));
}

function withShared(line: string, texts: ReadonlyMap<string, number>): string {
  const [, start = '', text = ''] = COLUMN.exec(line) ?? [];
  const index = texts.get(text);
  return index === undefined ? line : `${start}$${index}`;
}

/** The table with each description in its line. */
export function withoutShared(table: string): string {
  const lines = table.split('\n');
  const texts = lines
    .filter((line) => line.startsWith('$'))
    .map((line) => line.replace(/^\$\d+ /, ''));
  return lines
    .filter((line) => !line.startsWith('$'))
    .map((line) => {
      const [, start = '', text = ''] = COLUMN.exec(line) ?? [];
      return text.startsWith('$') ? `${start}${texts[Number(text.slice(1))]}` : line;
    })
    .join('\n');
}

function columnLine({ name, type, format, priority, description }: RecordedColumn): string {
  return ` ${[name, type, format, priority, oneLine(description)].join('|')}`;
}

/** Newlines become `\\n`, and backslashes are doubled. */
function oneLine(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

interface ModuleParts {
  readonly name: string;
  readonly source: string;
  readonly comment: string;
  readonly lines: readonly string[];
}

function moduleOf({ name, source, comment, lines }: ModuleParts): string {
  const text = lines.join('\n').replaceAll(/[\\`]|\$\{/g, (match) => `\\${match}`);
  return [
    '/**',
    ' * Generated by `npm run generate -- tables-server`; do not edit.',
    ` * Source: ${source}.`,
    ' *',
    ` * ${comment}`,
    ' */',
    `export const ${name} = \`\\`,
    text,
    '`;',
    '',
  ].join('\n');
}
