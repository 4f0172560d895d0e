import type { ResourceInfo } from '../../meta/resource.ts';
import {
  NEWEST_MINOR,
  textOfMinor,
  type KubernetesMinor,
} from '../../meta/releases/kubernetes-releases.ts';
import type { TableColumn } from '../../server/registry/contract/rest-storage.ts';
import { COLUMN_TEXT } from './column-text.ts';

/** The lines of each resource, by `GROUP/VERSION/RESOURCE`; each is parsed when it is asked for. */
interface ColumnLines {
  readonly texts: readonly string[];
  readonly lines: ReadonlyMap<string, readonly string[]>;
}

/** By minor version of Kubernetes. */
const split = new Map<KubernetesMinor, ColumnLines>();

/** The columns of the table of a built-in resource, in their order; empty if it cannot be listed. */
export function builtInColumns(
  { group, version, resource }: Pick<ResourceInfo, 'group' | 'version' | 'resource'>,
  minor: KubernetesMinor = NEWEST_MINOR,
): readonly TableColumn[] {
  const { texts, lines } = columnLines(minor);
  return (lines.get(`${group}/${version}/${resource}`) ?? []).map((line) =>
    parseColumn(line, texts),
  );
}

function columnLines(minor: KubernetesMinor): ColumnLines {
  let lines = split.get(minor);
  if (lines === undefined) {
    lines = splitColumns(textOfMinor(COLUMN_TEXT, minor));
    split.set(minor, lines);
  }
  return lines;
}

/**
 * Reads the table of columns. `$N TEXT` is a description that several columns share. Another line without indentation names a
 * resource: `GROUP/VERSION/RESOURCE`. One space begins a column of it: `NAME|TYPE|FORMAT|PRIORITY|DESCRIPTION`, where the
 * description may be `$N`. In descriptions a newline is `\n`, and a backslash is doubled.
 */
function splitColumns(text: string): ColumnLines {
  const texts: string[] = [];
  const lines = new Map<string, string[]>();
  let current: string[] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('$')) {
      texts.push(unescaped(line.slice(line.indexOf(' ') + 1)));
    } else if (line.startsWith(' ')) {
      current.push(line.slice(1));
    } else if (line !== '') {
      current = [];
      lines.set(line, current);
    }
  }
  return { texts, lines };
}

function parseColumn(line: string, texts: readonly string[]): TableColumn {
  const [name = '', type = 'string', format = '', priority, ...rest] = line.split('|');
  const text = rest.join('|');
  return {
    name,
    type: type as TableColumn['type'],
    format,
    description:
      (text.startsWith('$') ? texts[Number(text.slice(1))] : undefined) ?? unescaped(text),
    priority: Number(priority),
  };
}

function unescaped(text: string): string {
  return text.replaceAll(/\\([\\n])/g, (_, sign) => (sign === 'n' ? '\n' : '\\'));
}
