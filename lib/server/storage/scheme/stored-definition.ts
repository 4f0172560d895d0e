import type { UnstructuredObject } from '../../../meta/object.ts';

/**
 * The beginning of a CustomResourceDefinition as kube-apiserver stores it: JSON in the version v1beta1, which it does not serve any
 * more. Everything else that is JSON in its store is a custom resource.
 */
const V1BETA1_HEAD = Buffer.from(
  '{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1beta1"',
);
const OLD_VERSION = 'apiextensions.k8s.io/v1beta1';
const SECOND_LETTER = 2;

type Fields = Readonly<Record<string, unknown>>;

/** Whether a stored value is a definition in the version v1beta1, by its first bytes. */
export function isOldDefinition(bytes: Uint8Array): boolean {
  // Values that are written here begin with `apiVersion`.
  if (bytes[SECOND_LETTER] !== V1BETA1_HEAD[SECOND_LETTER]) return false;
  return V1BETA1_HEAD.equals(bytes.subarray(0, V1BETA1_HEAD.length));
}

/** A definition in the version v1 as kube-apiserver converts it; all other objects are returned as they are. */
export function currentDefinition(object: UnstructuredObject): UnstructuredObject {
  if (object.apiVersion !== OLD_VERSION || object.kind !== 'CustomResourceDefinition')
    return object;
  const spec = (object['spec'] ?? {}) as Fields;
  return { ...object, apiVersion: 'apiextensions.k8s.io/v1', spec: currentSpec(spec) };
}

/** The common fields of all versions stand beside them in v1beta1, and in each of them in v1. */
function currentSpec(spec: Fields): Fields {
  const {
    version,
    versions,
    validation,
    subresources,
    additionalPrinterColumns,
    selectableFields,
    preserveUnknownFields,
    conversion,
    ...rest
  } = spec;
  const common = { schema: validation, subresources, additionalPrinterColumns, selectableFields };
  const own = (versions ?? [{ name: version, served: true, storage: true }]) as readonly Fields[];
  return {
    ...rest,
    versions: own.map((one) => currentVersion({ ...one, ...defined(common) })),
    ...(conversion === undefined ? {} : { conversion: currentConversion(conversion as Fields) }),
    ...(preserveUnknownFields === true ? { preserveUnknownFields } : {}),
  };
}

function currentVersion({ additionalPrinterColumns, ...rest }: Fields): Fields {
  if (additionalPrinterColumns === undefined) return rest;
  const columns = additionalPrinterColumns as readonly Fields[];
  return {
    ...rest,
    additionalPrinterColumns: columns.map(({ JSONPath: jsonPath, ...column }) => ({
      ...column,
      jsonPath,
    })),
  };
}

function currentConversion(conversion: Fields): Fields {
  const { strategy, webhookClientConfig, conversionReviewVersions } = conversion;
  if (webhookClientConfig === undefined) return { strategy };
  const webhook = defined({ clientConfig: webhookClientConfig, conversionReviewVersions });
  return { strategy, webhook };
}

function defined(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
