import { NEWEST_MINOR } from '../../meta/releases/kubernetes-releases.ts';
import { BuiltInTypes } from '../registry/typed/built-in-type.ts';
import { customResourceDefinitions } from '../custom/definition/definition-rules.ts';
import { defineKind, type KindDefinition } from '../registry/contract/kind-definition.ts';
import type { KindRules } from '../registry/contract/kind-rules.ts';
import type { KindSet } from '../registry/contract/kind-set.ts';
import { newStrategy, type StrategyOptions } from '../registry/contract/strategy.ts';
import { namespaces } from '../registry/namespaces/namespace-rules.ts';
import { dnsLabel } from '../registry/rules/name-forms.ts';

interface OwnKind extends Pick<KindDefinition, 'keyRoot'> {
  readonly kind: string;
  readonly shortNames: readonly string[];
  readonly categories?: readonly string[];
  readonly traits: StrategyOptions;
}

const NAMESPACE: OwnKind = {
  kind: 'Namespace',
  shortNames: ['ns'],
  keyRoot: '/registry/namespaces',
  traits: { nameProblems: dnsLabel, newStatus: () => ({ phase: 'Active' }) },
};

const DEFINITION: OwnKind = {
  kind: 'CustomResourceDefinition',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  keyRoot: '/registry/apiextensions.k8s.io/customresourcedefinitions',
  traits: { generation: true, metadataRules: { create: true, kubeFinalizers: false } },
};

/**
 * No kinds but those that the server itself works with: namespaces and custom resource definitions. Custom resources are served as with
 * all kinds.
 */
export const noKinds: KindSet = {
  minor: NEWEST_MINOR,
  // Their rules are the same in all versions.
  ofMinor: (minor) => ({ ...noKinds, minor }),
  definitions() {
    const types = new BuiltInTypes(NEWEST_MINOR, new Map());
    return [
      ownKind(NAMESPACE, namespaces, types),
      ownKind(DEFINITION, customResourceDefinitions, types),
    ];
  },
  virtual: [],
  plugIns: (_, ofServer) => ofServer,
  withReadDefaults: (object) => object,
  bootstrapObjects: [],
};

function ownKind(
  { traits, ...own }: OwnKind,
  rules: KindRules,
  types: BuiltInTypes,
): KindDefinition {
  const {
    group = '',
    resource,
    strategy,
    statusStrategy,
    newSubresources,
    selectableFields,
  } = rules;
  return defineKind({
    ...own,
    group,
    resource,
    namespaced: false,
    type: types.of({ group, version: 'v1', kind: own.kind }),
    strategy: newStrategy({ ...traits, status: true, ...strategy }),
    statusStrategy: statusStrategy && {
      metadataRules: { update: undefined, kubeFinalizers: traits.metadataRules?.kubeFinalizers },
      ...statusStrategy,
    },
    newSubresources,
    ...(selectableFields && { selectableFields }),
    deletesCollections: group !== '',
    returnsDeletedObject: group === '',
  });
}
