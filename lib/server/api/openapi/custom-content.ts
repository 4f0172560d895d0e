import type {
  DeclaredSchema,
  InstalledResource,
  ResourceDescription,
} from '../../registry/contract/rest-storage.ts';
import { isRecord, recordAt, type JsonRecord } from '../../../meta/json-value.ts';
import {
  contentOf,
  membersOf,
  objectText,
  type DocumentContent,
  type Members,
  type OpenApiVersion,
} from './document-content.ts';
import type { OpenApiArchive } from './open-api-archive.ts';
import { publishedSchema, type ObjectFields } from './published-schema.ts';
import { parseTemplatePath, supports } from './served-operations.ts';

/** The names of the two custom resources whose recorded documents are the templates. */
const TEMPLATE = { group: 'template.listwatch', version: 'v1', schemas: 'listwatch.template.v1.' };
const NAMESPACED = { plural: 'npluralnames', kind: 'Nkindname', listKind: 'Nlistkindname' };
const CLUSTER = { plural: 'cpluralnames', kind: 'Ckindname', listKind: 'Clistkindname' };

/** Each name of a template, in all forms in which OpenAPI writes it. */
const NAMES =
  /"group":"template\.listwatch","version":"v1"|"version":"v1"(?=\})|\/apis\/template\.listwatch\/v1|template\.listwatch|listwatch\.template\.v1\.|TemplateListwatchV1|templateListwatch_v1|(?:create|delete) a [NC]kindname|[NC]kindname|[NC]listkindname|[nc]pluralnames/g;

/** A schema for a kind that does not declare one: it takes all fields. */
const ANY_FIELDS: DeclaredSchema = {
  schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  selectableFields: [],
};

/** A path of a template, with the operations of one of the two resources. */
interface PathTemplate {
  readonly plural: string;
  readonly subresource: string | undefined;
  readonly path: TemplateText;
  readonly members: readonly MemberTemplate[];
}

interface MemberTemplate {
  readonly name: string;
  /** Undefined for a member that is no operation. */
  readonly action: string | undefined;
  readonly text: TemplateText;
}

/** Describes resources that were not recorded, from the recorded description of two custom resources. */
export class CustomContent {
  readonly #version: OpenApiVersion;
  readonly #document: JsonRecord;
  readonly #schemas: JsonRecord;
  readonly #shared: Members;
  readonly #paths: readonly PathTemplate[];
  readonly #fields: ObjectFields;

  constructor(archive: OpenApiArchive, version: OpenApiVersion) {
    this.#version = version;
    this.#document = JSON.parse(archive.bytes(`custom/${version}`).toString()) as JsonRecord;
    const { paths, schemas } = contentOf(version, this.#document);
    this.#schemas = schemas;
    const shared = Object.entries(schemas).filter(([name]) => !name.startsWith(TEMPLATE.schemas));
    this.#shared = membersOf(Object.fromEntries(shared));
    this.#paths = Object.entries(paths).flatMap(([path, item]) => pathTemplate(path, item) ?? []);
    this.#fields = objectFields(schemas);
  }

  /** A document of version 3 that has no paths yet. */
  emptyDocument(): JsonRecord {
    return { ...this.#document, paths: {}, components: { schemas: {} } };
  }

  /** The schemas that all custom resources use: metadata, options, scale. */
  get sharedSchemas(): Members {
    return this.#shared;
  }

  /** The paths and schemas of one resource. */
  describe(installed: InstalledResource): DocumentContent {
    const { describe } = installed.main;
    const template = describe.namespaced ? NAMESPACED : CLUSTER;
    const names = namesOf(describe, template);
    const paths = new Map<string, string>();
    for (const { plural, subresource, path, members } of this.#paths) {
      if (plural !== template.plural) continue;
      const kept = operationsOf(installed, members, subresource);
      if (kept.length === 0) continue;
      const texts = kept.map(({ name, text }) => `${JSON.stringify(name)}:${text.with(names)}`);
      paths.set(path.with(names), `{${texts.join(',')}}`);
    }
    return { paths, schemas: this.#describeSchemas(installed, template, names) };
  }

  #describeSchemas(
    { declared = ANY_FIELDS }: InstalledResource,
    template: Template,
    names: TemplateNames,
  ): Members {
    const { schema, selectableFields } = declared;
    const kind = `${TEMPLATE.schemas}${template.kind}`;
    const listKind = `${TEMPLATE.schemas}${template.listKind}`;
    const named = (value: unknown): JsonRecord =>
      JSON.parse(new TemplateText(JSON.stringify(value)).with(names)) as JsonRecord;
    const { 'x-kubernetes-group-version-kind': types } = recordAt(this.#schemas, kind) ?? {};
    const selectable =
      selectableFields.length === 0
        ? {}
        : {
            'x-kubernetes-selectable-fields': selectableFields.map((fieldPath) => ({ fieldPath })),
          };
    const members = new Map([
      ...publishedSchema(this.#version, schema, this.#fields),
      ...membersOf({ ...named({ 'x-kubernetes-group-version-kind': types }), ...selectable }),
    ]);
    const list = { ...named(recordAt(this.#schemas, listKind)), ...selectable };
    return new Map([
      [new TemplateText(kind).with(names), objectText(extensionsLast(members))],
      [new TemplateText(listKind).with(names), JSON.stringify(list)],
    ]);
  }
}

function pathTemplate(path: string, item: unknown): PathTemplate | undefined {
  const parsed = parseTemplatePath(path);
  if (parsed?.resource === undefined || !isRecord(item)) return undefined;
  const members = Object.entries(item).map(([name, value]) => {
    const action = recordAt(value)?.['x-kubernetes-action'];
    return {
      name,
      action: typeof action === 'string' ? action : undefined,
      text: new TemplateText(JSON.stringify(value)),
    };
  });
  const { resource: plural, subresource } = parsed;
  return { plural, subresource, path: new TemplateText(path), members };
}

/** Kubernetes writes extensions after all other members, in the order of their names. */
function extensionsLast(members: Members): Members {
  const isExtension = ([name]: readonly [string, string]): boolean => name.startsWith('x-');
  const extensions = [...members]
    .filter(isExtension)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return new Map([...[...members].filter((member) => !isExtension(member)), ...extensions]);
}

function objectFields(schemas: JsonRecord): ObjectFields {
  const own = recordAt(schemas, `${TEMPLATE.schemas}${NAMESPACED.kind}`, 'properties') ?? {};
  const { embedded, ...fields } = own;
  const { inner: _, ...embeddedFields } = recordAt(embedded, 'properties') ?? {};
  return { own: membersOf(fields), embedded: membersOf(embeddedFields) };
}

/** The members of a path that the resource supports; none if it supports no operation. */
function operationsOf(
  { main, subresources }: InstalledResource,
  members: readonly MemberTemplate[],
  subresource: string | undefined,
): readonly MemberTemplate[] {
  const storage = subresource === undefined ? main : subresources.get(subresource);
  if (storage === undefined) return [];
  const kept = members.filter(({ action }) => action === undefined || supports(storage, action));
  return kept.some(({ name }) => name !== 'parameters') ? kept : [];
}

/** The names of a resource by the names of a template in whose places they are put. */
type TemplateNames = Readonly<Record<string, string>>;
type Template = typeof NAMESPACED | typeof CLUSTER;

/** A text of a template, cut at its names: each resource has some hundred of them. */
class TemplateText {
  /** By turns a text and a name. */
  readonly #parts: readonly string[];

  constructor(text: string) {
    const parts: string[] = [];
    let end = 0;
    for (const { 0: name, index } of text.matchAll(NAMES)) {
      parts.push(text.slice(end, index), name);
      end = index + name.length;
    }
    this.#parts = [...parts, text.slice(end)];
  }

  with(names: TemplateNames): string {
    let text = '';
    for (const [at, part] of this.#parts.entries()) {
      text += at % 2 === 1 ? (names[part] ?? part) : part;
    }
    return text;
  }
}

function namesOf(describe: ResourceDescription, template: Template): TemplateNames {
  const { group, version, kind, listKind, resource } = describe;
  const trimmed = group === '' ? 'core' : group.replace(/\.k8s\.io$/, '');
  const reversed = group === '' ? 'core' : group.split('.').toReversed().join('.');
  return {
    [`/apis/${TEMPLATE.group}/${TEMPLATE.version}`]:
      group === '' ? `/api/${version}` : `/apis/${group}/${version}`,
    [TEMPLATE.group]: group,
    [TEMPLATE.schemas]: `${reversed}.${version}.`,
    '"version":"v1"': `"version":"${version}"`,
    [`"group":"${TEMPLATE.group}","version":"v1"`]: `"group":"${group}","version":"${version}"`,
    TemplateListwatchV1: operationIdOf(trimmed, true) + operationIdOf(version, true),
    templateListwatch_v1: `${operationIdOf(trimmed, false)}_${operationIdOf(version, false)}`,
    [template.plural]: resource,
    [template.kind]: kind,
    [template.listKind]: listKind,
    [`create a ${template.kind}`]: `create${articleOf(kind)}${kind}`,
    [`delete a ${template.kind}`]: `delete${articleOf(kind)}${kind}`,
  };
}

/** In camel case, without the signs between the words. */
function operationIdOf(text: string, capital: boolean): string {
  const words = text
    .split(/[^\p{L}\p{N}_]+/u)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const joined = words.join('');
  return capital ? joined : text.charAt(0) + joined.slice(1);
}

function articleOf(kind: string): string {
  if (kind.endsWith('s') && !kind.endsWith('ss')) return ' ';
  return /^[aeiou]/i.test(kind) ? ' an ' : ' a ';
}
