import type { Status } from '../../../../lib/meta/failure/status.ts';

/** An answer of a server that refused a call. */
export interface RecordedAnswer {
  readonly status: number;
  /** A Status, or a text. */
  readonly body: unknown;
}

/** A Status as an API server sends it. */
const refused = (
  code: number,
  reason: NonNullable<Status['reason']>,
  message: string,
  details?: object | null,
): RecordedAnswer => ({
  status: code,
  body: {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(details === undefined ? {} : { details }),
    code,
  },
});

const ELSEWHERE = 'the server could not find the requested resource';
const METHOD = 'the server does not allow this method on the requested resource';

/** Answers of a kube-apiserver 1.36.3 to calls that it refused. */
export const ANSWERS: Readonly<Record<string, RecordedAnswer>> = {
  noObject: refused(404, 'NotFound', 'configmaps "nope" not found', {
    name: 'nope',
    kind: 'configmaps',
  }),
  noGroupedObject: refused(404, 'NotFound', 'deployments.apps "web" not found', {
    name: 'web',
    group: 'apps',
    kind: 'deployments',
  }),
  noResource: refused(404, 'NotFound', ELSEWHERE, {}),
  noGroup: { status: 404, body: '404 page not found\n' },
  createWithoutNamespace: refused(405, 'MethodNotAllowed', METHOD, {}),
  noNamespace: refused(404, 'NotFound', 'namespaces "nope" not found', {
    name: 'nope',
    kind: 'namespaces',
  }),
  otherNamespace: refused(
    400,
    'BadRequest',
    'the namespace of the provided object does not match the namespace sent on the request',
  ),
  otherKind: refused(
    400,
    'BadRequest',
    'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
  ),
  noKind: refused(
    400,
    'BadRequest',
    'the object provided is unrecognized (must be of type Site): Object \'Kind\' is missing in \'{"metadata":{"name":"a"},"spec":{"host":"x"}}\' ({"metadata":{"name":"a"},"spec ...)',
  ),
  noVersion: refused(
    400,
    'BadRequest',
    'the API version in the data () does not match the expected API version (example.com/v1)',
  ),
  noName: refused(
    422,
    'Invalid',
    'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    {
      kind: 'ConfigMap',
      causes: [
        {
          reason: 'FieldValueRequired',
          message: 'Required value: name or generateName is required',
          field: 'metadata.name',
        },
      ],
    },
  ),
  exists: refused(409, 'AlreadyExists', 'namespaces "default" already exists', {
    name: 'default',
    kind: 'namespaces',
  }),
  badName: refused(
    422,
    'Invalid',
    "ConfigMap \"X_y\" is invalid: metadata.name: Invalid value: \"X_y\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    {
      name: 'X_y',
      kind: 'ConfigMap',
      causes: [
        {
          reason: 'FieldValueInvalid',
          message:
            "Invalid value: \"X_y\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
          field: 'metadata.name',
        },
      ],
    },
  ),
  threeFields: refused(
    422,
    'Invalid',
    'Deployment.apps "x" is invalid: [spec.selector: Required value, spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`, spec.template.spec.containers: Required value]',
    {
      name: 'x',
      group: 'apps',
      kind: 'Deployment',
      causes: [
        { reason: 'FieldValueRequired', message: 'Required value', field: 'spec.selector' },
        {
          reason: 'FieldValueInvalid',
          message: 'Invalid value: null: `selector` does not match template `labels`',
          field: 'spec.template.metadata.labels',
        },
        {
          reason: 'FieldValueRequired',
          message: 'Required value',
          field: 'spec.template.spec.containers',
        },
      ],
    },
  ),
  notJson: refused(
    400,
    'BadRequest',
    "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: invalid character 'n' looking for beginning of object key string ({nope)",
  ),
  wrongType: refused(
    400,
    'BadRequest',
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string',
  ),
  mediaType: refused(
    415,
    'UnsupportedMediaType',
    'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  ),
  patchType: refused(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {}),
  jsonPatch: refused(
    422,
    'Invalid',
    'the server rejected our request due to an error in our request',
    {},
  ),
  wrongToken: refused(401, 'Unauthorized', 'Unauthorized'),
  anonymous: refused(
    403,
    'Forbidden',
    'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" at the cluster scope',
    { kind: 'pods' },
  ),
  mayNotList: refused(
    403,
    'Forbidden',
    'pods is forbidden: User "dev" cannot list resource "pods" in API group "" at the cluster scope',
    { kind: 'pods' },
  ),
  mayNotListHere: refused(
    403,
    'Forbidden',
    'configmaps is forbidden: User "dev" cannot list resource "configmaps" in API group "" in the namespace "default"',
    { kind: 'configmaps' },
  ),
  mayNotGet: refused(
    403,
    'Forbidden',
    'secrets "x" is forbidden: User "dev" cannot get resource "secrets" in API group "" in the namespace "default"',
    { name: 'x', kind: 'secrets' },
  ),
  mayNotScale: refused(
    403,
    'Forbidden',
    'deployments.apps "web" is forbidden: User "dev" cannot update resource "deployments/scale" in API group "apps" in the namespace "default"',
    { name: 'web', group: 'apps', kind: 'deployments' },
  ),
  mayNotReadPath: refused(403, 'Forbidden', 'forbidden: User "dev" cannot get path "/metrics"', {}),
  mayNotListUnserved: refused(
    403,
    'Forbidden',
    'deploymnets.apps is forbidden: User "dev" cannot list resource "deploymnets" in API group "apps" in the namespace "default"',
    { group: 'apps', kind: 'deploymnets' },
  ),
  labelSelector: refused(
    400,
    'BadRequest',
    "unable to parse requirement: found '=', expected: identifier",
  ),
  unknownField: refused(
    400,
    'BadRequest',
    '"data.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
  ),
  unsupportedField: refused(400, 'BadRequest', 'field label not supported: spec.x'),
  fieldSyntax: refused(
    400,
    'BadRequest',
    "invalid selector: 'metadata.name'; can't understand 'metadata.name'",
  ),
  resourceVersion: refused(
    400,
    'BadRequest',
    'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
  ),
  match: refused(
    422,
    'Invalid',
    'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    {
      group: 'meta.k8s.io',
      kind: 'ListOptions',
      causes: [
        {
          reason: 'FieldValueForbidden',
          message:
            'Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
          field: 'resourceVersionMatch',
        },
      ],
    },
  ),
  continueToken: refused(
    400,
    'BadRequest',
    "invalid continue token: continue key is not valid: invalid character 'i' looking for beginning of value",
  ),
  ahead: refused(504, 'Timeout', 'Timeout: Too large resource version: 999999999, current: 2686', {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  }),
  changed: refused(
    409,
    'Conflict',
    'Operation cannot be fulfilled on namespaces "default": the object has been modified; please apply your changes to the latest version and try again',
    { name: 'default', kind: 'namespaces' },
  ),
  otherName: refused(
    400,
    'BadRequest',
    'the name of the object (other) does not match the name on the URL (default)',
  ),
  otherUid: refused(
    409,
    'Conflict',
    'Operation cannot be fulfilled on namespaces "default": Precondition failed: UID in precondition: x, UID in object meta: db75be43-0d20-4a7c-9e73-7d37cd7b78fc',
    { name: 'default', kind: 'namespaces' },
  ),
  protectedObject: refused(
    403,
    'Forbidden',
    'namespaces "default" is forbidden: this namespace may not be deleted',
    { name: 'default', kind: 'namespaces' },
  ),
  policy: refused(
    422,
    'Invalid',
    'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "foo": supported values: "Foreground", "Background", "Orphan", "nil"',
    {
      group: 'meta.k8s.io',
      kind: 'DeleteOptions',
      causes: [
        {
          reason: 'FieldValueNotSupported',
          message:
            'Unsupported value: "foo": supported values: "Foreground", "Background", "Orphan", "nil"',
          field: 'propagationPolicy',
        },
      ],
    },
  ),
};
