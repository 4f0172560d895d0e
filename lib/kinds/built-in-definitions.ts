import { builtInVersions, type BuiltInResource } from '../meta/surface/built-in-surface.ts';
import { apiVersionOf } from '../meta/resource.ts';
import type { KindDefinition } from '../server/registry/contract/kind-definition.ts';
import type { TableColumn, TableConvertor } from '../server/registry/contract/rest-storage.ts';
import { newStrategy } from '../server/registry/contract/strategy.ts';
import { cellsOf } from './cells/built-in-cells.ts';
import { builtInColumns } from './columns/built-in-columns.ts';
import type { KindRules, RowCells } from '../server/registry/contract/kind-rules.ts';
import { keyRootOf } from './key-roots.ts';
import { kindRulesList } from './kind-rules-list.ts';
import { deprecationOf, kindTraits, returnsDeletedObject } from './kind-traits.ts';
import { servedVersionOf } from './versions/served-versions.ts';
import type { VersionConversion } from '../server/registry/contract/version-conversion.ts';
import type { UnstructuredObject } from '../meta/object.ts';
import { statusMetadataRulesOf } from './metadata-traits.ts';
import { typedSubresources } from './typed-creation.ts';
import { labelledByTemplate, statusStrategyOf } from './status/status-rules.ts';
import { typeOfKind } from './kind-types.ts';

let kinds: readonly KindDefinition[] | undefined;

/**
 * The kinds that every server serves, in the order of discovery: those of kube-apiserver's recorded surface whose objects are
 * stored. They are made at the first call.
 */
export function builtInDefinitions({
  allowPrivileged = true,
}: Pick<KindDefinition, 'allowPrivileged'> = {}): readonly KindDefinition[] {
  kinds ??= builtInVersions()
    .flatMap(({ resources }) => resources)
    .filter(({ storageVersionHash }) => storageVersionHash !== undefined)
    .map((resource) => builtInKind(resource, rulesOf(resource)));
  return allowPrivileged ? kinds : kinds.map((kind) => ({ ...kind, allowPrivileged }));
}

/** The rules of a resource, or else those of the resource in which it is stored. */
function rulesOf(served: BuiltInResource): KindRules | undefined {
  const stored = storedResourceOf(served);
  return ownRulesOf(served) ?? (stored === served ? undefined : ownRulesOf(stored));
}

function ownRulesOf({ group, version, resource }: BuiltInResource): KindRules | undefined {
  return kindRulesList.find(
    (one) =>
      (one.group ?? '') === group &&
      one.resource === resource &&
      (one.version === undefined || one.version === version),
  );
}

/** Versions of the same hash are stored alike: in the one that is first in discovery. */
function storedResourceOf(resource: BuiltInResource): BuiltInResource {
  const { storageVersionHash } = resource;
  const stored = builtInVersions()
    .flatMap(({ resources }) => resources)
    .find((one) => one.storageVersionHash === storageVersionHash);
  return stored ?? resource;
}

/** The definition of a resource of the surface, with its rules laid over what the tables say. */
export function builtInKind(resource: BuiltInResource, rules?: KindRules): KindDefinition {
  const { group, verbs, subresources } = resource;
  const status = subresources.some(({ name }) => name === 'status');
  const type = typeOfKind(resource);
  const stored = storedResourceOf(resource);
  const served = servedVersionOf(group, resource.version, resource.resource);
  const { cells, strategy, statusStrategy, newSubresources, ...rest } = rules ?? {};
  return {
    keyRoot: keyRootOf(group, resource.resource),
    selectableFields: {},
    returnsDeletedObject: returnsDeletedObject(group, resource.resource),
    storedApiVersion: stored === resource ? undefined : apiVersionOf(stored),
    ...rest,
    newSubresources: newSubresources && typedSubresources(newSubresources),
    conversion: served?.conversion,
    ...(served?.selectableFields === undefined
      ? {}
      : { selectableFields: served.selectableFields }),
    describe: {
      group,
      version: resource.version,
      kind: resource.kind,
      resource: resource.resource,
      namespaced: resource.namespaced,
      singular: resource.singular,
      listKind: `${resource.kind}List`,
      shortNames: resource.shortNames,
      categories: resource.categories,
      storageVersionHash: resource.storageVersionHash,
      ...deprecationOf(resource),
    },
    type,
    strategy: newStrategy({
      ...kindTraits(group, resource.resource),
      status,
      newStatus: () => typeOfKind(stored).zeroOf('status'),
      ...strategy,
    }),
    statusStrategy: status
      ? {
          metadataRules: statusMetadataRulesOf(group, resource.resource),
          ...labelledByTemplate(
            group,
            resource.resource,
            statusStrategy ?? statusStrategyOf(group, resource.resource),
          ),
        }
      : undefined,
    table: tableFor(resource, cells ?? cellsOf(stored), served?.conversion),
    deletesCollections: verbs.includes('deletecollection'),
  };
}

/** The columns are parsed when the first table is asked for. */
function tableFor(
  resource: BuiltInResource,
  cells: RowCells,
  conversion: VersionConversion | undefined,
): TableConvertor {
  let columns: readonly TableColumn[] | undefined;
  return {
    get columns() {
      return (columns ??= builtInColumns(resource));
    },
    // Cells are read from the stored form.
    cells:
      conversion === undefined
        ? cells
        : (object, nowMs) => cells(conversion.toStored(object as UnstructuredObject), nowMs),
  };
}
