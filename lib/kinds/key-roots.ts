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
export function keyRootOf(group: string, resource: string): string {
  return OTHER_ROOTS[`${group}/${resource}`] ?? `/registry/${resource}`;
}
