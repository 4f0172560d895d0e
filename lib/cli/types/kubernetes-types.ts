import {
  NEWEST_MINOR,
  RELEASES,
  type KubernetesMinor,
} from '../../meta/releases/kubernetes-releases.ts';
import { builtInVersions } from '../../meta/surface/built-in-surface.ts';
import { builtInTypes } from '../../meta/types/built-in-types.ts';
import type { MessageField, MessageType } from '../../meta/types/message-type.ts';
import type { TypeTable } from '../../meta/types/type-table.ts';
import { GENERATED } from './definition-types.ts';
import { literal, propertyName } from './schema-types.ts';

/** The types in TypeScript of values that are no messages. Quantities and ports are numbers or text when they are sent. */
const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  bytes: 'string',
  bool: 'boolean',
  int32: 'number',
  int64: 'number',
  double: 'number',
  Quantity: 'number | string',
  IntOrString: 'number | string',
  Time: 'string',
  MicroTime: 'string',
  RawJson: 'unknown',
  RawExtension: 'unknown',
  FieldsV1: '{ [field: string]: unknown }',
  Strings: 'string[]',
};

/**
 * The built-in kinds of one minor version as TypeScript: a namespace for each API version, `AppsV1.Deployment`, and the map of the
 * resources. A field that the version does not have is not there, so that a program for an older cluster does not compile with it.
 */
export function kubernetesTypes(minor: KubernetesMinor = NEWEST_MINOR): string {
  const table = builtInTypes(minor);
  const sections = new Map<string, MessageType[]>();
  for (const name of table.names()) {
    const message = table.get(name);
    const space = namespaceOf(message.apiVersion);
    sections.set(space, [...(sections.get(space) ?? []), message]);
  }
  const spaces = [...sections].map(
    ([space, messages]) =>
      `export declare namespace ${space} {\n${messages.map((one) => `  ${interfaceOf(one, table)}`).join('\n')}\n}`,
  );
  return [
    GENERATED,
    `// The built-in kinds of Kubernetes ${RELEASES[minor]}.`,
    ...spaces,
    resourcesOf(minor, table),
    '',
  ].join('\n');
}

/** `apps/v1` is `AppsV1`, `v1` is `CoreV1`. */
function namespaceOf(apiVersion: string): string {
  const [group = '', version] = apiVersion.split('/');
  const words = version === undefined ? ['core', group] : [group.split('.')[0] ?? '', version];
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('');
}

function shortName({ name }: MessageType): string {
  return name.slice(name.indexOf('.') + 1);
}

function interfaceOf(message: MessageType, table: TypeTable): string {
  const name = shortName(message);
  const types = [...message.byName.values()].map((field) => typeOf(field, message, table));
  if (message.isUnion) {
    return `export type ${name} = ${message.fields.map((field) => typeOf(field, message, table)).join(' | ')};`;
  }
  const fields = [...message.byName.values()].map(({ name: field, required }, index) => {
    const type = types[index] as string;
    return required || type === 'unknown'
      ? `${propertyName(field)}${required ? '' : '?'}: ${type};`
      : `${propertyName(field)}?: ${type} | undefined;`;
  });
  return `export interface ${name} { ${[...typeMetaOf(message), ...fields].join(' ')} }`;
}

function typeMetaOf(message: MessageType): string[] {
  const { apiVersion, hasTypeMeta, isKind } = message;
  if (!hasTypeMeta) return [];
  // Kinds of the meta group exist in every API version.
  const isShared = apiVersion.startsWith('meta.');
  const version = isKind && !isShared ? literal(apiVersion) : 'string';
  const kind = isKind ? literal(shortName(message)) : 'string';
  return [`apiVersion?: ${version} | undefined;`, `kind?: ${kind} | undefined;`];
}

function typeOf({ type, shape }: MessageField, owner: MessageType, table: TypeTable): string {
  const one = PLAIN[type] ?? nameIn(table.get(type), owner);
  if (shape === 'list') return one.includes(' ') ? `(${one})[]` : `${one}[]`;
  return shape === 'map' ? `{ [key: string]: ${one} }` : one;
}

function nameIn(message: MessageType, owner: MessageType): string {
  const name = shortName(message);
  return message.apiVersion === owner.apiVersion
    ? name
    : `${namespaceOf(message.apiVersion)}.${name}`;
}

function resourcesOf(minor: KubernetesMinor, table: TypeTable): string {
  const versions = builtInVersions(minor).map(({ group, version, resources }) => {
    const apiVersion = group === '' ? version : `${group}/${version}`;
    const rows = resources.map(({ resource, kind }) => {
      const type = table.kind(apiVersion, kind) as MessageType;
      return `    ${propertyName(resource)}: ${namespaceOf(type.apiVersion)}.${shortName(type)};`;
    });
    return `  ${literal(apiVersion)}: {\n${rows.join('\n')}\n  };`;
  });
  return `/** The objects of the resources, by API version and plural. */\nexport interface BuiltInResources {\n${versions.join('\n')}\n}`;
}
