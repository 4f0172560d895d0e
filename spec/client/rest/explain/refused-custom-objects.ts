import type { RefusedCall } from './refused-calls.ts';

/** Calls with custom objects, of which the server takes nothing from the resource of the call. */
export const REFUSED_CUSTOM_OBJECTS: readonly RefusedCall[] = [
  {
    title: 'a custom object without a kind',
    answer: 'noKind',
    call: (client) =>
      client
        .resource('example.com/v1', 'sites', { namespace: 'default' })
        .create({ metadata: { name: 'a' } }),
    code: 'BAD_REQUEST',
    message:
      'create sites "a" in namespace "default" (POST https://10.0.0.1:6443/apis/example.com/v1/namespaces/default/sites): the object has no kind; set apiVersion and kind in it; only objects of built-in kinds may leave them out',
  },
  {
    title: 'a custom object without a version',
    answer: 'noVersion',
    call: (client) =>
      client
        .resource('example.com/v1', 'sites', { namespace: 'default' })
        .create({ kind: 'Site', metadata: { name: 'a' } }),
    code: 'BAD_REQUEST',
    message:
      'create sites "a" in namespace "default" (POST https://10.0.0.1:6443/apis/example.com/v1/namespaces/default/sites): the API version in the data () does not match the expected API version (example.com/v1); set apiVersion of the object to that of the call',
  },
];
