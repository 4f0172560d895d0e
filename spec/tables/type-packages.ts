/** A Go package whose types become a section of the type table. */
export interface TypePackage {
  /** The name of the section; other sections refer to its messages as `name.Message`. */
  readonly section: string;
  readonly apiVersion: string;
  /** The module; the first one that has the package, where it has moved. */
  readonly modules: readonly string[];
  /** The folder in the module. */
  readonly folder: string;
}

/** One module of data: a file of `lib/meta/types/tables`. */
export interface TypeFile {
  readonly file: string;
  readonly constant: string;
  readonly packages: readonly TypePackage[];
}

const API = 'k8s.io/api';

function ofApi(section: string, apiVersion: string, folder: string): TypePackage {
  return { section, apiVersion, modules: [API], folder };
}

/** All packages of stable versions that a kube-apiserver serves by default, and those to which their types refer. A version that lacks one has no such kinds. */
export const TYPE_FILES: readonly TypeFile[] = [
  {
    file: 'meta-types.ts',
    constant: 'META_TYPES',
    packages: [
      {
        section: 'meta',
        apiVersion: 'meta.k8s.io/v1',
        modules: ['k8s.io/apimachinery'],
        folder: 'pkg/apis/meta/v1',
      },
    ],
  },
  { file: 'core-types.ts', constant: 'CORE_TYPES', packages: [ofApi('core', 'v1', 'core/v1')] },
  {
    file: 'group-types.ts',
    constant: 'GROUP_TYPES',
    packages: [
      ofApi('admission', 'admissionregistration.k8s.io/v1', 'admissionregistration/v1'),
      ofApi('discoveryinfo', 'apidiscovery.k8s.io/v2', 'apidiscovery/v2'),
      ofApi('apps', 'apps/v1', 'apps/v1'),
      ofApi('authentication', 'authentication.k8s.io/v1', 'authentication/v1'),
      ofApi('authorization', 'authorization.k8s.io/v1', 'authorization/v1'),
      ofApi('autoscaling', 'autoscaling/v1', 'autoscaling/v1'),
      ofApi('autoscaling2', 'autoscaling/v2', 'autoscaling/v2'),
      ofApi('batch', 'batch/v1', 'batch/v1'),
      ofApi('certificates', 'certificates.k8s.io/v1', 'certificates/v1'),
      ofApi('coordination', 'coordination.k8s.io/v1', 'coordination/v1'),
      ofApi('discovery', 'discovery.k8s.io/v1', 'discovery/v1'),
      ofApi('events', 'events.k8s.io/v1', 'events/v1'),
      ofApi('flowcontrol', 'flowcontrol.apiserver.k8s.io/v1', 'flowcontrol/v1'),
      ofApi('networking', 'networking.k8s.io/v1', 'networking/v1'),
      ofApi('node', 'node.k8s.io/v1', 'node/v1'),
      ofApi('policy', 'policy/v1', 'policy/v1'),
      ofApi('rbac', 'rbac.authorization.k8s.io/v1', 'rbac/v1'),
      ofApi('resource', 'resource.k8s.io/v1', 'resource/v1'),
      ofApi('scheduling', 'scheduling.k8s.io/v1', 'scheduling/v1'),
      ofApi('scheduling3', 'scheduling.k8s.io/v1alpha3', 'scheduling/v1alpha3'),
      ofApi('storage', 'storage.k8s.io/v1', 'storage/v1'),
      ofApi('storagemigration', 'storagemigration.k8s.io/v1', 'storagemigration/v1'),
    ],
  },
  {
    file: 'extension-types.ts',
    constant: 'EXTENSION_TYPES',
    packages: [
      {
        section: 'extensions',
        apiVersion: 'apiextensions.k8s.io/v1',
        modules: ['k8s.io/apiextensions-apiserver', 'k8s.io/apiextensions-api'],
        folder: 'pkg/apis/apiextensions/v1',
      },
      {
        section: 'registration',
        apiVersion: 'apiregistration.k8s.io/v1',
        modules: ['k8s.io/kube-aggregator'],
        folder: 'pkg/apis/apiregistration/v1',
      },
    ],
  },
];
