import type { Client } from '../../../../lib/client/rest/client.ts';
import type { ResourceClient } from '../../../../lib/client/rest/resource-client.ts';
import type { KubernetesObject, UnstructuredObject } from '../../../../lib/meta/object.ts';
import type { ConfigMap } from '../../../../lib/types/index.ts';

export interface RefusedCall {
  readonly title: string;
  /** A key of `ANSWERS`. */
  readonly answer: string;
  readonly call: (client: Client) => Promise<unknown>;
  readonly credential?: string;
  readonly code: string;
  readonly message: string;
}

const configMap: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } };

function untyped(client: Client, version: string, name: string): ResourceClient<KubernetesObject> {
  return client.resource(version, name, { namespace: 'default' });
}

/** Calls that a kube-apiserver refused, its answer, and the message of the error. */
export const REFUSED_CALLS: readonly RefusedCall[] = [
  {
    title: 'an object that does not exist',
    answer: 'noObject',
    call: (client) => client.resource('v1', 'configmaps', { namespace: 'default' }).get('nope'),
    code: 'NOT_FOUND',
    message:
      'get configmaps "nope" in namespace "default" (GET https://10.0.0.1:6443/api/v1/namespaces/default/configmaps/nope): it does not exist; create it, or correct name and namespace',
  },
  {
    title: 'an object of a group that does not exist',
    answer: 'noGroupedObject',
    call: (client) =>
      client.resource('apps/v1', 'deployments', { namespace: 'default' }).patch('web', {}),
    code: 'NOT_FOUND',
    message:
      'patch deployments "web" in namespace "default" (PATCH https://10.0.0.1:6443/apis/apps/v1/namespaces/default/deployments/web): it does not exist; create it, or correct name and namespace',
  },
  {
    title: 'a misspelled resource',
    answer: 'noResource',
    call: (client) => untyped(client, 'apps/v1', 'deploymnets').list(),
    code: 'NOT_FOUND',
    message:
      'list deploymnets in namespace "default" (GET https://10.0.0.1:6443/apis/apps/v1/namespaces/default/deploymnets): apps/v1 serves no "deploymnets"; did you mean "deployments"?',
  },
  {
    title: 'an object of a misspelled resource',
    answer: 'noResource',
    call: (client) => untyped(client, 'apps/v1', 'deploymnets').get('web'),
    code: 'NOT_FOUND',
    message:
      'get deploymnets "web" in namespace "default" (GET https://10.0.0.1:6443/apis/apps/v1/namespaces/default/deploymnets/web): apps/v1 serves no "deploymnets"; did you mean "deployments"?',
  },
  {
    title: 'the singular',
    answer: 'noResource',
    call: (client) => untyped(client, 'apps/v1', 'deployment').list(),
    code: 'NOT_FOUND',
    message:
      'list deployment in namespace "default" (GET https://10.0.0.1:6443/apis/apps/v1/namespaces/default/deployment): apps/v1 serves no "deployment"; did you mean "deployments"?',
  },
  {
    title: 'a short name',
    answer: 'noResource',
    call: (client) => client.resource<UnstructuredObject>('v1', 'po').list(),
    code: 'NOT_FOUND',
    message:
      'list po (GET https://10.0.0.1:6443/api/v1/po): v1 serves no "po"; did you mean "pods"?',
  },
  {
    title: 'a resource of another group',
    answer: 'noResource',
    call: (client) => client.resource<UnstructuredObject>('v1', 'deployments').list(),
    code: 'NOT_FOUND',
    message:
      'list deployments (GET https://10.0.0.1:6443/api/v1/deployments): v1 serves no "deployments"; use "deployments" of apps/v1',
  },
  {
    title: 'a resource that is not served anywhere',
    answer: 'noResource',
    call: (client) => client.resource<UnstructuredObject>('v1', 'zebras').list(),
    code: 'NOT_FOUND',
    message:
      'list zebras (GET https://10.0.0.1:6443/api/v1/zebras): v1 serves no "zebras"; install the CustomResourceDefinition, or correct apiVersion and plural name',
  },
  {
    title: 'a group that is not served',
    answer: 'noGroup',
    call: (client) => client.resource('example.com/v1', 'crontabs').list(),
    code: 'NOT_FOUND',
    message:
      'list crontabs (GET https://10.0.0.1:6443/apis/example.com/v1/crontabs): the server does not serve the group "example.com"; install the CustomResourceDefinition, or correct apiVersion and plural name',
  },
  {
    title: 'a resource that moved to another group',
    answer: 'noGroup',
    call: (client) =>
      client.resource('extensions/v1beta1', 'ingresses', { namespace: 'default' }).list(),
    code: 'NOT_FOUND',
    message:
      'list ingresses in namespace "default" (GET https://10.0.0.1:6443/apis/extensions/v1beta1/namespaces/default/ingresses): the server does not serve the group "extensions"; use "ingresses" of networking.k8s.io/v1',
  },
  {
    title: 'a misspelled group',
    answer: 'noGroup',
    call: (client) =>
      client.resource('networking.k8s.oi/v1', 'foos', { namespace: 'default' }).list(),
    code: 'NOT_FOUND',
    message:
      'list foos in namespace "default" (GET https://10.0.0.1:6443/apis/networking.k8s.oi/v1/namespaces/default/foos): the server does not serve the group "networking.k8s.oi"; did you mean "networking.k8s.io"?',
  },
  {
    title: 'a version that is no longer served',
    answer: 'noResource',
    call: (client) => client.resource('apps/v1beta2', 'deployments').list(),
    code: 'NOT_FOUND',
    message:
      'list deployments (GET https://10.0.0.1:6443/apis/apps/v1beta2/deployments): the server does not serve apps/v1beta2; use apps/v1',
  },
  {
    title: 'a version of the core group',
    answer: 'noResource',
    call: (client) => client.resource('v2', 'pods').list(),
    code: 'NOT_FOUND',
    message:
      'list pods (GET https://10.0.0.1:6443/api/v2/pods): the server does not serve v2; use v1',
  },
  {
    title: 'a namespace for a resource without namespaces',
    answer: 'noResource',
    call: (client) => client.resource('v1', 'nodes', { namespace: 'default' }).list(),
    code: 'NOT_FOUND',
    message:
      'list nodes in namespace "default" (GET https://10.0.0.1:6443/api/v1/namespaces/default/nodes): nodes has no namespaces: leave the namespace out',
  },
  {
    title: 'a name without a namespace',
    answer: 'noResource',
    call: (client) => client.resource('v1', 'configmaps').get('x'),
    code: 'NOT_FOUND',
    message:
      'get configmaps "x" (GET https://10.0.0.1:6443/api/v1/configmaps/x): configmaps is namespaced: give a namespace',
  },
  {
    title: 'a create without a namespace',
    answer: 'createWithoutNamespace',
    call: (client) => client.resource('v1', 'configmaps').create(configMap),
    code: 'METHOD_NOT_ALLOWED',
    message:
      'create configmaps "x" (POST https://10.0.0.1:6443/api/v1/configmaps): configmaps is namespaced: give a namespace',
  },
  {
    title: 'a namespace that does not exist',
    answer: 'noNamespace',
    call: (client) => client.resource('v1', 'configmaps', { namespace: 'nope' }).create(configMap),
    code: 'NOT_FOUND',
    message:
      'create configmaps "x" in namespace "nope" (POST https://10.0.0.1:6443/api/v1/namespaces/nope/configmaps): the namespace "nope" does not exist; create it, or correct the namespace',
  },
  {
    title: 'a misspelled subresource',
    answer: 'noResource',
    call: (client) =>
      client
        .resource('apps/v1', 'deployments', { namespace: 'shop' })
        .patch('web', {}, { subresource: 'scal' }),
    code: 'NOT_FOUND',
    message:
      'patch deployments/scal "web" in namespace "shop" (PATCH https://10.0.0.1:6443/apis/apps/v1/namespaces/shop/deployments/web/scal): deployments has no subresource "scal"; it has scale, status',
  },
  {
    title: 'a subresource of a resource that has none',
    answer: 'noResource',
    call: (client) =>
      client.resource('v1', 'configmaps', { namespace: 'shop' }).updateStatus(configMap),
    code: 'NOT_FOUND',
    message:
      'update configmaps/status "x" in namespace "shop" (PUT https://10.0.0.1:6443/api/v1/namespaces/shop/configmaps/x/status): configmaps has no subresource "status"; it has none: leave the subresource out',
  },
  {
    title: 'a verb that is not offered',
    answer: 'createWithoutNamespace',
    call: (client) => client.resource('v1', 'bindings', { namespace: 'shop' }).list(),
    code: 'METHOD_NOT_ALLOWED',
    message:
      'list bindings in namespace "shop" (GET https://10.0.0.1:6443/api/v1/namespaces/shop/bindings): bindings does not offer list; it offers create',
  },
  {
    title: 'a watch of a resource without watch',
    answer: 'createWithoutNamespace',
    call: (client) => client.resource('v1', 'componentstatuses').watch().next(),
    code: 'METHOD_NOT_ALLOWED',
    message:
      'watch componentstatuses (GET https://10.0.0.1:6443/api/v1/componentstatuses): componentstatuses does not offer watch; it offers get, list',
  },
  {
    title: 'another namespace in the object',
    answer: 'otherNamespace',
    call: (client) =>
      client.resource('v1', 'configmaps', { namespace: 'default' }).create(configMap),
    code: 'BAD_REQUEST',
    message:
      'create configmaps "x" in namespace "default" (POST https://10.0.0.1:6443/api/v1/namespaces/default/configmaps): the namespace of the provided object does not match the namespace sent on the request; use the same namespace in the object and in the call',
  },
  {
    title: 'another kind in the object',
    answer: 'otherKind',
    call: (client) =>
      client.resource('v1', 'configmaps', { namespace: 'default' }).create(configMap),
    code: 'BAD_REQUEST',
    message:
      'create configmaps "x" in namespace "default" (POST https://10.0.0.1:6443/api/v1/namespaces/default/configmaps): Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion; use apiVersion and kind of the call\'s resource in the object',
  },
  {
    title: 'an object without a name',
    answer: 'noName',
    call: (client) =>
      client.resource('v1', 'configmaps', { namespace: 'default' }).create({ metadata: {} }),
    code: 'INVALID',
    message:
      'create configmaps in namespace "default" (POST https://10.0.0.1:6443/api/v1/namespaces/default/configmaps): metadata.name: Required value: name or generateName is required; correct this field',
  },
  {
    title: 'a name that is taken',
    answer: 'exists',
    call: (client) => client.resource('v1', 'namespaces').create({ metadata: { name: 'default' } }),
    code: 'ALREADY_EXISTS',
    message:
      'create namespaces "default" (POST https://10.0.0.1:6443/api/v1/namespaces): it exists already; update or patch it, or use another name',
  },
  {
    title: 'a name of bad characters',
    answer: 'badName',
    call: (client) =>
      client
        .resource('v1', 'configmaps', { namespace: 'default' })
        .create({ metadata: { name: 'X_y' } }),
    code: 'INVALID',
    message:
      "create configmaps \"X_y\" in namespace \"default\" (POST https://10.0.0.1:6443/api/v1/namespaces/default/configmaps): metadata.name: Invalid value: \"X_y\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[ …; correct this field",
  },
  {
    title: 'three bad fields',
    answer: 'threeFields',
    call: (client) => untyped(client, 'apps/v1', 'deployments').create(configMap),
    code: 'INVALID',
    message:
      'create deployments "x" in namespace "default" (POST https://10.0.0.1:6443/apis/apps/v1/namespaces/default/deployments): spec.selector: Required value, spec.template.metadata.labels: Invalid value: null: `selector` does not match …, spec.template.spec.containers: Required value; correct these fields',
  },
  {
    title: 'a body that is not JSON',
    answer: 'notJson',
    call: (client) =>
      client.resource('v1', 'configmaps', { namespace: 'default' }).create(configMap),
    code: 'BAD_REQUEST',
    message:
      'create configmaps "x" in namespace "default" (POST https://10.0.0.1:6443/api/v1/namespaces/default/configmaps): the object provided is unrecognized (must be of type ConfigMap): couldn\'t get version/kind; json parse error: invalid character \'n\' looking for beginning of object key string; send an object with apiVersion and kind',
  },
  {
    title: 'a field of another type',
    answer: 'wrongType',
    call: (client) =>
      client.resource('v1', 'configmaps', { namespace: 'default' }).create(configMap),
    code: 'BAD_REQUEST',
    message:
      'create configmaps "x" in namespace "default" (POST https://10.0.0.1:6443/api/v1/namespaces/default/configmaps): ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string; correct the type of the field',
  },
  {
    title: 'another type of body',
    answer: 'mediaType',
    call: (client) =>
      client.resource('v1', 'configmaps', { namespace: 'default' }).create(configMap),
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message:
      'create configmaps "x" in namespace "default" (POST https://10.0.0.1:6443/api/v1/namespaces/default/configmaps): the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf; send application/json',
  },
  {
    title: 'another type of patch',
    answer: 'patchType',
    call: (client) => client.resource('v1', 'configmaps', { namespace: 'default' }).patch('x', {}),
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message:
      'patch configmaps "x" in namespace "default" (PATCH https://10.0.0.1:6443/api/v1/namespaces/default/configmaps/x): 415: Unsupported Media Type; use another patch type: \'merge\' or \'json\'',
  },
  {
    title: 'a patch that does not fit',
    answer: 'jsonPatch',
    call: (client) => client.resource('v1', 'configmaps', { namespace: 'default' }).patch('x', []),
    code: 'INVALID',
    message:
      'patch configmaps "x" in namespace "default" (PATCH https://10.0.0.1:6443/api/v1/namespaces/default/configmaps/x): the patch cannot be applied to the object; read the object, and check the paths and tests of the patch',
  },
  {
    title: 'a token that is not accepted',
    answer: 'wrongToken',
    call: (client) => client.resource('v1', 'pods').list(),
    credential: 'the token in /run/token',
    code: 'UNAUTHORIZED',
    message:
      'list pods (GET https://10.0.0.1:6443/api/v1/pods): the server does not accept the token in /run/token; renew it: it has expired, or is for another cluster',
  },
  {
    title: 'no credential at all',
    answer: 'wrongToken',
    call: (client) => client.resource('v1', 'pods').list(),
    code: 'UNAUTHORIZED',
    message:
      'list pods (GET https://10.0.0.1:6443/api/v1/pods): no credential was sent, and the server requires one; give a token or a client certificate, or use a kubeconfig that has one',
  },
  {
    title: 'a request without a credential to a server that lets anonymous users in',
    answer: 'anonymous',
    call: (client) => client.resource('v1', 'pods').list(),
    code: 'FORBIDDEN',
    message:
      'list pods (GET https://10.0.0.1:6443/api/v1/pods): no credential was sent, and the server does not let system:anonymous do this; give a token or a client certificate, or use a kubeconfig that has one',
  },
  {
    title: 'a credential that the server ignored',
    answer: 'anonymous',
    call: (client) => client.resource('v1', 'pods').list(),
    credential: 'the client certificate of user dev in /home/me/.kube/config',
    code: 'FORBIDDEN',
    message:
      'list pods (GET https://10.0.0.1:6443/api/v1/pods): the server takes the request as system:anonymous: it does not accept the client certificate of user dev in /home/me/.kube/config; renew it: it has expired, or is for another cluster',
  },
  {
    title: 'a list of all namespaces without the rule',
    answer: 'mayNotList',
    call: (client) => client.resource('v1', 'pods').list(),
    code: 'FORBIDDEN',
    message:
      'list pods (GET https://10.0.0.1:6443/api/v1/pods): user "dev" may not list pods; add {apiGroups: [""], resources: ["pods"], verbs: ["list"]} to a ClusterRole',
  },
  {
    title: 'a watch in a namespace without the rule',
    answer: 'mayNotListHere',
    call: (client) => client.resource('v1', 'configmaps', { namespace: 'default' }).watch().next(),
    code: 'FORBIDDEN',
    message:
      'watch configmaps in namespace "default" (GET https://10.0.0.1:6443/api/v1/namespaces/default/configmaps): user "dev" may not list configmaps; add {apiGroups: [""], resources: ["configmaps"], verbs: ["list"]} to a Role in namespace "default"',
  },
  {
    title: 'a list of an informer without the rules',
    answer: 'mayNotListHere',
    call: (client) =>
      client
        .listerWatcher({ apiVersion: 'v1', resource: 'configmaps' }, { namespace: 'default' })
        .list({}),
    code: 'FORBIDDEN',
    message:
      'list configmaps in namespace "default" (GET https://10.0.0.1:6443/api/v1/namespaces/default/configmaps): user "dev" may not list configmaps; add {apiGroups: [""], resources: ["configmaps"], verbs: ["list","watch"]} to a Role in namespace "default"',
  },
  {
    title: 'a get without the rule',
    answer: 'mayNotGet',
    call: (client) => client.resource('v1', 'secrets', { namespace: 'default' }).get('x'),
    code: 'FORBIDDEN',
    message:
      'get secrets "x" in namespace "default" (GET https://10.0.0.1:6443/api/v1/namespaces/default/secrets/x): user "dev" may not get secrets; add {apiGroups: [""], resources: ["secrets"], resourceNames: ["x"], verbs: ["get"]} to a Role in namespace "default"',
  },
  {
    title: 'a subresource without the rule',
    answer: 'mayNotScale',
    call: (client) =>
      client
        .resource('apps/v1', 'deployments', { namespace: 'default' })
        .patch('web', {}, { subresource: 'scale' }),
    code: 'FORBIDDEN',
    message:
      'patch deployments/scale "web" in namespace "default" (PATCH https://10.0.0.1:6443/apis/apps/v1/namespaces/default/deployments/web/scale): user "dev" may not update deployments/scale; add {apiGroups: ["apps"], resources: ["deployments/scale"], resourceNames: ["web"], verbs: ["update"]} to a Role in namespace "default"',
  },
  {
    title: 'a path without the rule',
    answer: 'mayNotReadPath',
    call: (client) => client.version(),
    code: 'FORBIDDEN',
    message:
      'GET https://10.0.0.1:6443/version: user "dev" may not get /metrics; add {nonResourceURLs: ["/metrics"], verbs: ["get"]} to a ClusterRole',
  },
  {
    title: 'a misspelled resource for a user without rules',
    answer: 'mayNotListUnserved',
    call: (client) => untyped(client, 'apps/v1', 'deploymnets').list(),
    code: 'FORBIDDEN',
    message:
      'list deploymnets in namespace "default" (GET https://10.0.0.1:6443/apis/apps/v1/namespaces/default/deploymnets): apps/v1 serves no "deploymnets"; did you mean "deployments"?',
  },
  {
    title: 'a label selector that the server cannot parse',
    answer: 'labelSelector',
    call: (client) => client.resource('v1', 'configmaps').list(),
    code: 'BAD_REQUEST',
    message:
      "list configmaps (GET https://10.0.0.1:6443/api/v1/configmaps): unable to parse requirement: found '=', expected: identifier; correct the selector",
  },
  {
    title: 'a field selector of an unknown field',
    answer: 'unknownField',
    call: (client) => client.resource('v1', 'configmaps').list({ fieldSelector: 'data.x=1' }),
    code: 'BAD_REQUEST',
    message:
      'list configmaps (GET https://10.0.0.1:6443/api/v1/configmaps): "data.x" is not a known field selector: only "metadata.name", "metadata.namespace"; select by labels, or by metadata.name and metadata.namespace',
  },
  {
    title: 'a field selector that the resource does not support',
    answer: 'unsupportedField',
    call: (client) => client.resource('v1', 'pods').list({ fieldSelector: 'spec.x=1' }),
    code: 'BAD_REQUEST',
    message:
      'list pods (GET https://10.0.0.1:6443/api/v1/pods): field label not supported: spec.x; select by labels, or by metadata.name and metadata.namespace',
  },
  {
    title: 'a field selector that the server cannot parse',
    answer: 'fieldSyntax',
    call: (client) => client.resource('v1', 'pods').list(),
    code: 'BAD_REQUEST',
    message:
      "list pods (GET https://10.0.0.1:6443/api/v1/pods): invalid selector: 'metadata.name'; can't understand 'metadata.name'; correct the selector",
  },
  {
    title: 'a resource version that is no number',
    answer: 'resourceVersion',
    call: (client) => client.resource('v1', 'pods').list({ resourceVersion: 'abc' }),
    code: 'BAD_REQUEST',
    message:
      'list pods (GET https://10.0.0.1:6443/api/v1/pods): invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax; use a resourceVersion that the server has returned',
  },
  {
    title: 'a match without a version',
    answer: 'match',
    call: (client) => client.resource('v1', 'pods').list({ resourceVersionMatch: 'Exact' }),
    code: 'INVALID',
    message:
      'list pods (GET https://10.0.0.1:6443/api/v1/pods): resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided; correct this field',
  },
  {
    title: 'a continue token that is none',
    answer: 'continueToken',
    call: (client) => client.resource('v1', 'pods').list({ continueToken: 'abc' }),
    code: 'BAD_REQUEST',
    message:
      "list pods (GET https://10.0.0.1:6443/api/v1/pods): invalid continue token: continue key is not valid: invalid character 'i' looking for beginning of value; list again without a continue token",
  },
  {
    title: 'a resource version ahead of the server',
    answer: 'ahead',
    call: (client) => client.resource('v1', 'pods').list({ resourceVersion: '999999999' }),
    code: 'GATEWAY_TIMEOUT',
    message:
      'list pods (GET https://10.0.0.1:6443/api/v1/pods): Timeout: Too large resource version: 999999999, current: 2686; use a resourceVersion of this server, or leave it out',
  },
  {
    title: 'an object that has changed',
    answer: 'changed',
    call: (client) =>
      client
        .resource('v1', 'namespaces')
        .update({ metadata: { name: 'default', resourceVersion: '1' } }),
    code: 'CONFLICT',
    message:
      'update namespaces "default" (PUT https://10.0.0.1:6443/api/v1/namespaces/default): the object has changed since it was read; read it again, and apply the change to what is there now',
  },
  {
    title: 'another name in the object',
    answer: 'otherName',
    call: (client) => client.resource('v1', 'namespaces').update({ metadata: { name: 'default' } }),
    code: 'BAD_REQUEST',
    message:
      'update namespaces "default" (PUT https://10.0.0.1:6443/api/v1/namespaces/default): the name of the object (other) does not match the name on the URL (default); use the same name in the object and in the call',
  },
  {
    title: 'another object of the name',
    answer: 'otherUid',
    call: (client) => client.resource('v1', 'namespaces').delete('default'),
    code: 'CONFLICT',
    message:
      'delete namespaces "default" (DELETE https://10.0.0.1:6443/api/v1/namespaces/default): Precondition failed: UID in precondition: x, UID in object meta: db75be43-0d20-4a7c-9e73-7d37cd7b78fc; read the object again: another one has its name, or it changed',
  },
  {
    title: 'an object that the server protects',
    answer: 'protectedObject',
    call: (client) => client.resource('v1', 'namespaces').delete('default'),
    code: 'FORBIDDEN',
    message:
      'delete namespaces "default" (DELETE https://10.0.0.1:6443/api/v1/namespaces/default): namespaces "default" is forbidden: this namespace may not be deleted; leave the object: the server protects it',
  },
  {
    title: 'an unknown propagation policy',
    answer: 'policy',
    call: (client) => client.resource('v1', 'namespaces').delete('default'),
    code: 'INVALID',
    message:
      'delete namespaces "default" (DELETE https://10.0.0.1:6443/api/v1/namespaces/default): propagationPolicy: Unsupported value: "foo": supported values: "Foreground", "Background", "Orphan", "nil"; correct this field',
  },
];
