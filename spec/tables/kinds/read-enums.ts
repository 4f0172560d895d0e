import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GoPackage } from '../go-package.ts';

/** A string type with its constants. */
export interface EnumType {
  readonly name: string;
  readonly values: readonly string[];
  /** Without upstream's marker `+enum`, other values exist: the reasons and conditions of controllers, resources of vendors. */
  readonly open: boolean;
}

/** The enums in the Go source of one section. */
export interface SectionEnums {
  readonly types: readonly EnumType[];
  /** The enum of a field by `Message.field`; `section.Name` for one of another section. */
  readonly fields: ReadonlyMap<string, string>;
}

interface SectionSource {
  readonly section: string;
  readonly folder: string;
  readonly go: GoPackage;
}

/** The enums of all sections, by section. */
export function readEnums(sources: readonly SectionSource[]): ReadonlyMap<string, SectionEnums> {
  const types = new Map(sources.map((source) => [source.section, enumTypes(source)]));
  const known = new Map(
    sources.flatMap(({ section, go }) =>
      (types.get(section) ?? []).map(({ name }) => [`${go.path}.${name}`, { section, name }]),
    ),
  );
  return new Map(
    sources.map(({ section, go }) => {
      const fields = new Map<string, string>();
      for (const { name: message, fields: own = [] } of go.types.values()) {
        for (const { type, tags } of own) {
          const [alias = '', other] = type.replace(/^\*|^\[\]/, '').split('.');
          const path = other === undefined ? go.path : go.imports.get(alias);
          const found = known.get(`${path}.${other ?? alias}`);
          const [json = ''] = (tags.get('json') ?? '').split(',');
          if (found === undefined || json === '') continue;
          const prefix = found.section === section ? '' : `${found.section}.`;
          fields.set(`${message}.${json}`, prefix + found.name);
        }
      }
      return [section, { types: types.get(section) ?? [], fields }];
    }),
  );
}

function enumTypes({ folder, go }: SectionSource): EnumType[] {
  const constants = constantsByType(folder);
  return [...go.types.values()].flatMap(({ name, underlying, markers }) => {
    const values = [...(constants.get(name) ?? [])];
    if (underlying !== 'string' || values.length === 0) return [];
    return [{ name, values, open: !markers.has('enum') }];
  });
}

/** `\tPullAlways PullPolicy = "Always"`, in the files that a person wrote. */
function constantsByType(folder: string): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const name of readdirSync(folder)) {
    if (!name.endsWith('.go') || /^zz_|^generated|_test\.go$/.test(name)) continue;
    const text = readFileSync(join(folder, name), 'utf8');
    for (const [, type = '', value = ''] of text.matchAll(
      /^(?:\t|const )\w+\s+(\w+)\s*=\s*"([^"]*)"/gm,
    )) {
      const values = found.get(type) ?? new Set();
      found.set(type, values.add(value));
    }
  }
  return found;
}
