import { manifestInvalid, type Manifest } from '../../meta/manifests/manifest.ts';

/** The part of a CustomResourceDefinition that types are made of. */
export interface Definition {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly place: string;
  /** The served versions, in the order of the definition. */
  readonly versions: readonly DefinedVersion[];
}

export interface DefinedVersion {
  readonly name: string;
  readonly storage: boolean;
  /** The text of `@deprecated`, for a deprecated version. */
  readonly deprecation: string | undefined;
  readonly schema: Fields;
}

/** A mapping whose fields are not known. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The own field of this name, if it is a mapping; otherwise an empty one. */
export function fieldsOf(value: unknown, name: string): Fields {
  const field = ownField(value, name);
  return isFields(field) ? field : {};
}

/** The own field of this name: `__proto__` and `constructor` are fields like others. */
export function ownField(value: unknown, name: string): unknown {
  return isFields(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

const DEFINITION = 'CustomResourceDefinition';
const API_VERSION = 'apiextensions.k8s.io/v1';

/** Whether it is a definition, of whichever version. */
export function isDefinition({ object }: Manifest): boolean {
  return object.kind === DEFINITION;
}

/** @throws {ListwatchError} code MANIFEST_INVALID naming the field. */
export function definitionOf({ object, place }: Manifest): Definition {
  if (object.apiVersion !== API_VERSION) {
    throw manifestInvalid(place, `${object.apiVersion} is not read; convert it to ${API_VERSION}`);
  }
  const spec = fieldsOf(object, 'spec');
  const names = fieldsOf(spec, 'names');
  const given = ownField(spec, 'versions');
  const versions = (Array.isArray(given) ? (given as unknown[]) : [])
    .filter((version) => ownField(version, 'served') === true)
    .map((version) => versionOf(version, place));
  if (versions.length === 0) {
    throw manifestInvalid(place, 'no version is served; give spec.versions one with served: true');
  }
  const text = (fields: Fields, name: string, path: string): string =>
    textOf(ownField(fields, name), path, place);
  return {
    group: text(spec, 'group', 'spec.group'),
    kind: text(names, 'kind', 'spec.names.kind'),
    plural: text(names, 'plural', 'spec.names.plural'),
    place,
    versions,
  };
}

function versionOf(version: unknown, place: string): DefinedVersion {
  const warning = ownField(version, 'deprecationWarning');
  const note = typeof warning === 'string' ? ` ${warning}` : '';
  return {
    name: textOf(ownField(version, 'name'), 'spec.versions[].name', place),
    storage: ownField(version, 'storage') === true,
    deprecation: ownField(version, 'deprecated') === true ? `@deprecated${note}` : undefined,
    schema: fieldsOf(ownField(version, 'schema'), 'openAPIV3Schema'),
  };
}

function textOf(value: unknown, path: string, place: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw manifestInvalid(place, `${path} is missing, empty or not a string; give it a name`);
}
