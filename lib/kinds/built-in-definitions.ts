import { declaredRulesOf } from './versions/kind-declared-rules.ts';
import { causeChangesOf } from './versions/kind-cause-changes.ts';
import { builtInVersions, type BuiltInResource } from '../meta/surface/built-in-surface.ts';
import { isSince } from '../meta/releases/kubernetes-features.ts';
import { textOfMinor, type KubernetesMinor } from '../meta/releases/kubernetes-releases.ts';
import { apiVersionOf, type GroupVersionKind } from '../meta/resource.ts';
import type {
  KindDefinition,
  SelectableFields,
} from '../server/registry/contract/kind-definition.ts';
import type { TableColumn, TableConvertor } from '../server/registry/contract/rest-storage.ts';
import { newStrategy, type StrategyOptions } from '../server/registry/contract/strategy.ts';
import { cellsOf, listCellsOf } from './cells/built-in-cells.ts';
import { builtInColumns } from './columns/built-in-columns.ts';
import type { KindRules, RowCells } from '../server/registry/contract/kind-rules.ts';
import { kindRulesList } from './kind-rules-list.ts';
import type { VersionConversion } from '../server/registry/contract/version-conversion.ts';
import type { UnstructuredObject } from '../meta/object.ts';
import { statusMetadataRulesOf, metadataRulesOf } from './metadata-traits.ts';
import { typedSubresources } from './typed-creation.ts';
import { labelledByTemplate, statusStrategyOf } from './status/status-rules.ts';
import type { KindTypes } from './kind-types.ts';
import { TEMPLATE_GENERATION } from './defaults/workload-defaults.ts';
import { AUTOSCALER_ANNOTATIONS, autoscalerVersions } from './versions/autoscaler-versions.ts';
import { eventFields, eventVersions } from './versions/event-versions.ts';
import { dnsLabel, pathSegment } from '../server/registry/rules/name-forms.ts';

const ADMISSION = 'admissionregistration.k8s.io';

/** Kinds whose generation counts changes of the spec. */
const WITH_GENERATION = `
  pods podtemplates replicationcontrollers
  apps/daemonsets apps/deployments apps/replicasets apps/statefulsets
[37..]  autoscaling/horizontalpodautoscalers
  batch/cronjobs batch/jobs
  networking.k8s.io/ingressclasses networking.k8s.io/ingresses networking.k8s.io/networkpolicies
  policy/poddisruptionbudgets
  discovery.k8s.io/endpointslices
  resource.k8s.io/deviceclasses resource.k8s.io/devicetaintrules resource.k8s.io/resourceslices
  flowcontrol.apiserver.k8s.io/flowschemas flowcontrol.apiserver.k8s.io/prioritylevelconfigurations
  ${ADMISSION}/mutatingadmissionpolicies ${ADMISSION}/mutatingadmissionpolicybindings
  ${ADMISSION}/mutatingwebhookconfigurations ${ADMISSION}/validatingwebhookconfigurations
  ${ADMISSION}/validatingadmissionpolicies ${ADMISSION}/validatingadmissionpolicybindings
  apiextensions.k8s.io/customresourcedefinitions`;

/** Kinds of which a PUT creates a missing object. */
const CREATED_BY_PUT = namesOf(`
  endpoints events limitranges services
  events.k8s.io/events
  coordination.k8s.io/leases
  node.k8s.io/runtimeclasses
  rbac.authorization.k8s.io/clusterrolebindings rbac.authorization.k8s.io/clusterroles
  rbac.authorization.k8s.io/rolebindings rbac.authorization.k8s.io/roles`);

/** Kinds whose updates need a resource version. */
const CONDITIONAL = namesOf(`
  certificates.k8s.io/clustertrustbundles certificates.k8s.io/podcertificaterequests
  resource.k8s.io/devicetaintrules
  storagemigration.k8s.io/storageversionmigrations
  coordination.k8s.io/leases
  node.k8s.io/runtimeclasses
  policy/poddisruptionbudgets
  storage.k8s.io/csidrivers storage.k8s.io/csinodes storage.k8s.io/csistoragecapacities
  storage.k8s.io/volumeattachments
  apiregistration.k8s.io/apiservices
  apiextensions.k8s.io/customresourcedefinitions
  ${ADMISSION}/mutatingadmissionpolicies ${ADMISSION}/mutatingadmissionpolicybindings
  ${ADMISSION}/mutatingwebhookconfigurations ${ADMISSION}/validatingwebhookconfigurations
  ${ADMISSION}/validatingadmissionpolicies ${ADMISSION}/validatingadmissionpolicybindings`);

/** Kinds whose names need only be a path segment. */
const FREE_NAMES = namesOf(`
  events
  apiregistration.k8s.io/apiservices
  certificates.k8s.io/certificatesigningrequests
  rbac.authorization.k8s.io/clusterrolebindings rbac.authorization.k8s.io/clusterroles
  rbac.authorization.k8s.io/rolebindings rbac.authorization.k8s.io/roles`);

/** Kinds of which a completed deletion returns the object. */
const RETURNED_WHEN_DELETED = namesOf(`
  namespaces persistentvolumeclaims persistentvolumes pods podtemplates resourcequotas serviceaccounts services
  resource.k8s.io/deviceclasses resource.k8s.io/resourceclaims resource.k8s.io/resourceclaimtemplates
  resource.k8s.io/resourceslices
  storage.k8s.io/csidrivers storage.k8s.io/csinodes storage.k8s.io/storageclasses
  storage.k8s.io/volumeattachments storage.k8s.io/volumeattributesclasses`);

/** Kinds whose names are labels. */
const LABEL_NAMES = namesOf(`namespaces services apps/statefulsets`);

/** The warning of each answer about a kind that has a successor. @see api core/v1/zz_generated.prerelease-lifecycle.go @ v0.36.3 */
function deprecationOf({ group, kind }: GroupVersionKind): {
  readonly deprecation?: string;
} {
  if (group !== '' || kind !== 'Endpoints') return {};
  const deprecation = 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice';
  return { deprecation };
}

/** By `GROUP/RESOURCE`. @see `ResourceDescription` */
const FIELD_ANNOTATIONS: Readonly<Record<string, readonly string[]>> = {
  'apps/daemonsets': [TEMPLATE_GENERATION],
  'autoscaling/horizontalpodautoscalers': AUTOSCALER_ANNOTATIONS,
};

/**
 * Whether the answer to a completed deletion is the object.
 * @see kubernetes pkg/registry storage.go of each resource, ReturnDeletedObject @ 1.36.3
 */
function returnsDeletedObject(group: string, resource: string): boolean {
  return RETURNED_WHEN_DELETED.has(nameOf(group, resource));
}

function nameOf(group: string, resource: string): string {
  return group === '' ? resource : `${group}/${resource}`;
}

function namesOf(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** A version of a kind whose objects are stored in another version. */
interface ServedVersion {
  readonly conversion: VersionConversion;
  /** @defaultValue those of the stored version */
  readonly selectableFields?: SelectableFields | undefined;
  /** As in `KindDefinition`. */
  readonly invalidGroup?: string | undefined;
}

const SERVED: Readonly<Record<string, ServedVersion>> = {
  'autoscaling/v1/horizontalpodautoscalers': { conversion: autoscalerVersions },
  'events.k8s.io/v1/events': {
    conversion: eventVersions,
    selectableFields: eventFields,
    // kube-apiserver takes the first group in which its type of both versions is known.
    invalidGroup: '',
  },
};

/** The resources whose versions have other fields in one group. */
const IN_SEVERAL_FORMS: ReadonlySet<string> = new Set(['autoscaling/horizontalpodautoscalers']);

/** How a built-in resource is served that is stored in another version; undefined when it is stored as it is. */
function servedVersionOf(
  group: string,
  version: string,
  resource: string,
): ServedVersion | undefined {
  return SERVED[`${group}/${version}/${resource}`];
}

/** The resources that do not lie under `/registry/RESOURCE`, by `GROUP/RESOURCE`. */
const OTHER_ROOTS: Readonly<Record<string, string>> = {
  '/endpoints': '/registry/services/endpoints',
  '/nodes': '/registry/minions',
  '/replicationcontrollers': '/registry/controllers',
  '/services': '/registry/services/specs',
  'networking.k8s.io/ingresses': '/registry/ingress',
  'apiextensions.k8s.io/customresourcedefinitions':
    '/registry/apiextensions.k8s.io/customresourcedefinitions',
  'apiregistration.k8s.io/apiservices': '/registry/apiregistration.k8s.io/apiservices',
};

/**
 * The prefix of the storage keys of a built-in resource, without the final slash.
 * @see kubernetes pkg/kubeapiserver/default_storage_factory_builder.go SpecialDefaultResourcePrefixes @ 1.36.3
 */
function keyRootOf(group: string, resource: string): string {
  return OTHER_ROOTS[`${group}/${resource}`] ?? `/registry/${resource}`;
}

/** The kinds that every server of one minor version serves. */
export class BuiltInDefinitions {
  readonly #minor: KubernetesMinor;
  readonly #types: KindTypes;
  readonly #withGeneration: ReadonlySet<string>;
  #kinds: readonly KindDefinition[] | undefined;

  constructor(minor: KubernetesMinor, types: KindTypes) {
    this.#minor = minor;
    this.#types = types;
    this.#withGeneration = namesOf(textOfMinor(WITH_GENERATION, minor));
  }

  /**
   * In the order of discovery: those of kube-apiserver's recorded surface whose objects are stored. They are made at the first call.
   */
  all({
    allowPrivileged = true,
  }: Pick<KindDefinition, 'allowPrivileged'> = {}): readonly KindDefinition[] {
    this.#kinds ??= this.#resources()
      .filter(({ storageVersionHash }) => storageVersionHash !== undefined)
      .map((resource) => this.define(resource, this.#rulesOf(resource)));
    return allowPrivileged
      ? this.#kinds
      : this.#kinds.map((kind) => ({ ...kind, allowPrivileged }));
  }

  #resources(): readonly BuiltInResource[] {
    return builtInVersions(this.#minor).flatMap(({ resources }) => resources);
  }

  /** The rules of a resource, or else those of the resource in which it is stored. */
  #rulesOf(served: BuiltInResource): KindRules | undefined {
    const stored = this.#storedResourceOf(served);
    return ownRulesOf(served) ?? (stored === served ? undefined : ownRulesOf(stored));
  }

  /** Versions of the same hash are stored alike: in the one that is first in discovery. */
  #storedResourceOf(resource: BuiltInResource): BuiltInResource {
    const { storageVersionHash } = resource;
    return (
      this.#resources().find((one) => one.storageVersionHash === storageVersionHash) ?? resource
    );
  }

  /**
   * Differences between kinds in short form; the rules of a kind are laid over it.
   * @see kubernetes pkg/registry strategy.go of each resource @ 1.37.2
   */
  #traitsOf(group: string, resource: string): StrategyOptions {
    const name = nameOf(group, resource);
    return {
      metadataRules: metadataRulesOf(group, resource),
      generation: this.#withGeneration.has(name),
      allowCreateOnUpdate: CREATED_BY_PUT.has(name),
      allowUnconditionalUpdate: !CONDITIONAL.has(name),
      ...(FREE_NAMES.has(name) ? { nameProblems: pathSegment } : {}),
      ...(LABEL_NAMES.has(name) ? { nameProblems: dnsLabel } : {}),
    };
  }

  /** All versions of a resource that have other fields in one group; undefined for others. */
  #formsOf({ group, resource }: BuiltInResource): KindDefinition['fieldForms'] {
    if (!IN_SEVERAL_FORMS.has(nameOf(group, resource))) return undefined;
    return () =>
      this.all().filter(
        ({ describe }) => describe.group === group && describe.resource === resource,
      );
  }

  /** The definition of a resource of the surface, with its rules laid over what the tables say. */
  define(resource: BuiltInResource, rules?: KindRules): KindDefinition {
    const { group, verbs, subresources } = resource;
    const status = subresources.some(({ name }) => name === 'status');
    const type = this.#types.of(resource);
    const stored = this.#storedResourceOf(resource);
    const served = servedVersionOf(group, resource.version, resource.resource);
    const {
      cells,
      strategy,
      statusStrategy,
      newSubresources,
      selectableSince: since,
      ...rest
    } = rules ?? {};
    return {
      minor: this.#minor,
      causeChanges: causeChangesOf(group, resource.resource),
      declaredRules: () =>
        isSince(this.#minor, 'declaredRulesLast')
          ? declaredRulesOf(group, resource.resource)
          : undefined,
      keyRoot: keyRootOf(group, resource.resource),
      returnsDeletedObject: returnsDeletedObject(group, resource.resource),
      storedApiVersion: stored === resource ? undefined : apiVersionOf(stored),
      ...rest,
      newSubresources: newSubresources && typedSubresources(newSubresources, this.#types),
      conversion: served?.conversion,
      invalidGroup: served?.invalidGroup,
      fieldForms: this.#formsOf(resource),
      selectableFields: this.#selectable(
        served?.selectableFields ?? rules?.selectableFields,
        since,
      ),
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
        fieldAnnotations: FIELD_ANNOTATIONS[nameOf(group, resource.resource)],
      },
      type,
      strategy: newStrategy({
        ...this.#traitsOf(group, resource.resource),
        status,
        newStatus: () => this.#types.of(stored).zeroOf('status'),
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
            allowUnconditionalUpdate: !CONDITIONAL.has(nameOf(group, resource.resource)),
          }
        : undefined,
      table: this.#tableFor(resource, cells ?? cellsOf(stored, this.#minor), served?.conversion),
      deletesCollections: verbs.includes('deletecollection'),
    };
  }

  #selectable(
    fields: SelectableFields | undefined,
    since: KindRules['selectableSince'],
  ): SelectableFields {
    if (fields === undefined) return {};
    if (since === undefined) return fields;
    const entries = Object.entries(fields).filter(([name]) => {
      const feature = since[name];
      return feature === undefined || isSince(this.#minor, feature);
    });
    return Object.fromEntries(entries);
  }

  /** The columns are parsed when the first table is asked for. */
  #tableFor(
    resource: BuiltInResource,
    cells: RowCells,
    conversion: VersionConversion | undefined,
  ): TableConvertor {
    const minor = this.#minor;
    const listCells = listCellsOf(resource, minor);
    let columns: readonly TableColumn[] | undefined;
    return {
      get columns() {
        return (columns ??= builtInColumns(resource, minor));
      },
      // Cells are read from the stored form.
      cells:
        conversion === undefined
          ? cells
          : (object, nowMs) => cells(conversion.toStored(object as UnstructuredObject), nowMs),
      ...(listCells === undefined
        ? {}
        : { ofList: (objects) => this.#tableFor(resource, listCells(objects), conversion) }),
    };
  }
}

function ownRulesOf({ group, version, resource }: BuiltInResource): KindRules | undefined {
  return kindRulesList.find(
    (one) =>
      (one.group ?? '') === group &&
      one.resource === resource &&
      (one.version === undefined || one.version === version),
  );
}
