import type { MessageType } from '../../../lib/meta/types/message-type.ts';
import type { TypeTable } from '../../../lib/meta/types/type-table.ts';
import type { EnumType, SectionEnums } from './read-enums.ts';
import { ownerOf, shortName, type KindsFile } from './write-kinds.ts';

/**
 * The enums that files of kinds have, by section: what the Go source said about them when the files were made. The type table, from which
 * the rest of the files comes, does not know them.
 */
export function writtenEnums(
  table: TypeTable,
  files: readonly KindsFile[],
): ReadonlyMap<string, SectionEnums> {
  const all = new Map<string, { types: EnumType[]; fields: Map<string, string> }>();
  const sectionOf = new Map<string, string>();
  for (const { file, section, text } of files) {
    if (section === undefined) continue;
    sectionOf.set(file, section);
    const types = enumTypes(text);
    // Some are those of a type that is in no table. They are written because a field has them.
    const fields = new Map(types.map(({ name }) => [`(no table).${name}`, name]));
    all.set(section, { types, fields });
  }
  for (const { section, text } of files) {
    if (section === undefined) continue;
    const imported = importsOf(text, sectionOf);
    for (const message of messagesOf(table, section)) {
      for (const [field, name] of namedTexts(message, text)) {
        const [home = ''] = ownerOf(message, field).split('.');
        const written = imported.get(name) ?? `${section}.${name}`;
        const value = written.startsWith(`${home}.`) ? shortName(written) : written;
        all.get(home)?.fields.set(`${shortName(ownerOf(message, field))}.${field.name}`, value);
      }
    }
  }
  return all;
}

/** `export type ConcurrencyPolicy = 'Allow' | 'Forbid';`, with `(string & {})` at the end of an open one. */
function enumTypes(text: string): EnumType[] {
  return [...text.matchAll(/^export type (\w+) = ('.*);$/gm)].map(([, name = '', union = '']) => {
    const values = union.split(' | ').map((value) => value.replaceAll("'", ''));
    const open = values.at(-1)?.startsWith('(string') === true;
    return { name, values: open ? values.slice(0, -1) : values, open };
  });
}

/** `section.Name` by the name in the file. */
function importsOf(text: string, sectionOf: ReadonlyMap<string, string>): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, names = '', file = ''] of text.matchAll(
    /^import type \{ (.*) \} from '\.\/(.*)';$/gm,
  )) {
    for (const one of names.split(', ')) {
      const [name = '', local = name] = one.split(' as ');
      found.set(local, `${sectionOf.get(file)}.${name}`);
    }
  }
  return found;
}

function messagesOf(table: TypeTable, section: string): MessageType[] {
  const names = [...table.names()].filter((name) => name.startsWith(`${section}.`));
  return names.map((name) => table.get(name));
}

/** The texts of a message that have a type of their own in its interface. */
function* namedTexts(
  message: MessageType,
  text: string,
): Generator<[MessageType['fields'][number], string]> {
  const start = `\nexport interface ${shortName(message.name)} {`;
  const line = text.slice(text.indexOf(start)).split('\n')[1] ?? '';
  for (const field of message.byName.values()) {
    if (field.type !== 'string' || field.shape === 'map') continue;
    const name = new RegExp(`[ '"]${field.name}'?\\??: (\\w+)`).exec(line)?.[1];
    if (name !== undefined && name !== 'string') yield [field, name];
  }
}
