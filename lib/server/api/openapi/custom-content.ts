import type {
  DeclaredSchema,
  InstalledResource,
  ResourceDescription,
} from '../../registry/contract/rest-storage.ts';
import { isRecord, recordAt, type JsonRecord } from '../../../meta/json-value.ts';
import { contentOf, type DocumentContent, type OpenApiVersion } from './document-content.ts';
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

/** Describes resources that were not recorded, from the recorded description of two custom resources. */
export class CustomContent {
  readonly #version: OpenApiVersion;
  readonly #document: JsonRecord;
  readonly #template: DocumentContent;
  readonly #fields: ObjectFields;

  constructor(archive: OpenApiArchive, version: OpenApiVersion) {
    this.#version = version;
    this.#document = JSON.parse(archive.bytes(`custom/${version}`).toString()) as JsonRecord;
    this.#template = contentOf(version, this.#document);
    this.#fields = objectFields(this.#template);
  }

  /** A document of version 3 that has no paths yet. */
  emptyDocument(): JsonRecord {
    return { ...this.#document, paths: {}, components: { schemas: {} } };
  }

  /** The schemas that all custom resources use: metadata, options, scale. */
  sharedSchemas(): JsonRecord {
    const entries = Object.entries(this.#template.schemas);
    return Object.fromEntries(entries.filter(([name]) => !name.startsWith(TEMPLATE.schemas)));
  }

  /** The paths and schemas of one resource. */
  describe(installed: InstalledResource): DocumentContent {
    const { describe } = installed.main;
    const template = describe.namespaced ? NAMESPACED : CLUSTER;
    const rename = renaming(describe, template);
    const paths: JsonRecord = {};
    for (const [path, item] of Object.entries(this.#template.paths)) {
      const parsed = parseTemplatePath(path);
      if (parsed?.resource !== template.plural || !isRecord(item)) continue;
      const kept = operationsOf(installed, item, parsed.subresource);
      if (kept !== undefined) paths[rename.text(path)] = rename.value(kept);
    }
    const { schema, selectableFields } = installed.declared ?? ANY_FIELDS;
    const kind = `${TEMPLATE.schemas}${template.kind}`;
    const listKind = `${TEMPLATE.schemas}${template.listKind}`;
    const extensions = {
      'x-kubernetes-group-version-kind': recordAt(this.#template.schemas, kind)?.[
        'x-kubernetes-group-version-kind'
      ],
    };
    const selectable =
      selectableFields.length === 0
        ? {}
        : {
            'x-kubernetes-selectable-fields': selectableFields.map((fieldPath) => ({ fieldPath })),
          };
    const schemas: JsonRecord = {
      [rename.text(kind)]: extensionsLast({
        ...publishedSchema(this.#version, schema, this.#fields),
        ...(rename.value(extensions) as JsonRecord),
        ...selectable,
      }),
      [rename.text(listKind)]: {
        ...(rename.value(recordAt(this.#template.schemas, listKind)) as JsonRecord),
        ...selectable,
      },
    };
    return { paths, schemas };
  }
}

/** Kubernetes writes extensions after all other members, in the order of their names. */
function extensionsLast(schema: JsonRecord): JsonRecord {
  const entries = Object.entries(schema);
  const isExtension = ([name]: readonly [string, unknown]): boolean => name.startsWith('x-');
  const extensions = entries
    .filter(isExtension)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries([...entries.filter((entry) => !isExtension(entry)), ...extensions]);
}

function objectFields({ schemas }: DocumentContent): ObjectFields {
  const own = recordAt(schemas, `${TEMPLATE.schemas}${NAMESPACED.kind}`, 'properties') ?? {};
  const { embedded, ...fields } = own;
  const { inner: _, ...embeddedFields } = recordAt(embedded, 'properties') ?? {};
  return { own: fields, embedded: embeddedFields };
}

/** The operations of a path that the resource supports; undefined if there are none. */
function operationsOf(
  { main, subresources }: InstalledResource,
  item: JsonRecord,
  subresource: string | undefined,
): JsonRecord | undefined {
  const storage = subresource === undefined ? main : subresources.get(subresource);
  if (storage === undefined) return undefined;
  const kept = Object.entries(item).filter(([, operation]) => {
    const action = recordAt(operation)?.['x-kubernetes-action'];
    return typeof action !== 'string' || supports(storage, action);
  });
  return kept.some(([member]) => member !== 'parameters') ? Object.fromEntries(kept) : undefined;
}

interface Renaming {
  text(text: string): string;
  value(value: unknown): unknown;
}

function renaming(
  describe: ResourceDescription,
  template: typeof NAMESPACED | typeof CLUSTER,
): Renaming {
  const { group, version, kind, listKind, resource } = describe;
  const trimmed = group === '' ? 'core' : group.replace(/\.k8s\.io$/, '');
  const reversed = group === '' ? 'core' : group.split('.').toReversed().join('.');
  const names: Record<string, string> = {
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
  const text = (from: string): string => from.replace(NAMES, (name) => names[name] ?? name);
  return { text, value: (value) => JSON.parse(text(JSON.stringify(value))) as unknown };
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
