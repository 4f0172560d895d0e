import { Client } from '../../../lib/client/rest/client.ts';
import type { UnstructuredObject } from '../../../lib/meta/object.ts';
import { ScriptedTransport } from '../../client/support/scripted-transport.ts';
import type { BadUseArea } from '../bad-use.ts';

/** A client as a program in JavaScript sees it: any option, of any type. */

type Untyped = Readonly<Record<string, (...given: unknown[]) => unknown>>;

function client(): Client {
  return new Client({ transport: new ScriptedTransport(() => ({ body: {} })) });
}

function pods(): Untyped {
  return client().resource('v1', 'pods', { namespace: 'shop' }) as unknown as Untyped;
}

export const CALLS: BadUseArea = {
  title: 'Direct calls',
  cases: [
    {
      mistake: 'an apiVersion with two slashes',
      act: () => client().resource('apps/v1/x', 'deployments'),
      code: 'INVALID_API_VERSION',
      message: '"apps/v1/x" is not an apiVersion: expected VERSION or GROUP/VERSION',
    },
    {
      mistake: 'an apiVersion in capitals',
      act: () => client().resource('Apps/V1', 'deployments'),
      code: 'INVALID_API_VERSION',
      message: '"Apps/V1" is not an apiVersion: expected lower-case letters, digits, "-" and "."',
    },
    {
      mistake: 'a kind in place of the plural',
      act: () => client().resource<UnstructuredObject>('apps/v1', 'Deployment'),
      code: 'INVALID_OPTION',
      message:
        '"Deployment" is not a resource: expected the lower-case plural, such as "deployments"',
    },
    {
      mistake: 'a path in place of the plural',
      act: () => client().resource<UnstructuredObject>('v1', 'pods/log'),
      code: 'INVALID_OPTION',
      message: '"pods/log" is not a resource: expected the lower-case plural, such as "pods"',
    },
    {
      mistake: 'no name',
      act: () => pods().get!(undefined),
      code: 'INVALID_OPTION',
      message: 'pods: the name must be a string, not undefined',
    },
    {
      mistake: 'an empty name',
      act: () => pods().get!(''),
      code: 'INVALID_OPTION',
      message: '"" cannot be a name: it is empty; give the name of one',
    },
    {
      mistake: 'a key in place of a name',
      act: () => pods().get!('shop/web'),
      code: 'INVALID_OPTION',
      message: '"shop/web" cannot be a name: it has a "/" or "%"; give namespace and name apart',
    },
    {
      mistake: 'two dots for a name',
      act: () => pods().delete!('..'),
      code: 'INVALID_OPTION',
      message: '".." cannot be a name: it is a dot segment; give a name',
    },
    {
      mistake: 'a namespace that is a path',
      act: () => pods().list!({ namespace: 'a/b' }),
      code: 'INVALID_OPTION',
      message: '"a/b" cannot be a namespace: it has a "/" or "%"; give namespace and name apart',
    },
    {
      mistake: 'a misspelled option',
      act: () => pods().list!({ labelSelectr: 'app=web' }),
      code: 'INVALID_OPTION',
      message: 'list: unknown option "labelSelectr"; did you mean "labelSelector"?',
    },
    {
      mistake: 'a namespace in place of the options',
      act: () => pods().list!('shop'),
      code: 'INVALID_OPTION',
      message: 'list: the options must be an object, not a string',
    },
    {
      mistake: 'labels as an object',
      act: () => pods().list!({ labelSelector: { app: 'web' } }),
      code: 'INVALID_OPTION',
      message: 'list: option "labelSelector" must be a string, not an object',
    },
    {
      mistake: 'a label selector of a bad syntax',
      act: () => pods().list!({ labelSelector: 'app===web' }),
      code: 'INVALID_SELECTOR',
      message: 'label selector "app===web": expected a label value, found "=" at position 5',
    },
    {
      mistake: 'a set without parentheses',
      act: () => pods().list!({ labelSelector: 'app in web' }),
      code: 'INVALID_SELECTOR',
      message: 'label selector "app in web": expected "(", found "web" at position 7',
    },
    {
      mistake: 'a field selector without a value',
      act: () => pods().list!({ fieldSelector: 'metadata.name' }),
      code: 'INVALID_SELECTOR',
      message: 'field selector "metadata.name": expected FIELD=VALUE, found "metadata.name"',
    },
    {
      mistake: 'a limit that is text',
      act: () => pods().list!({ limit: '5' }),
      code: 'INVALID_OPTION',
      message: 'list: option "limit" must be a whole number of at least 0, not "5"',
    },
    {
      mistake: 'an unknown match',
      act: () => pods().list!({ resourceVersion: '5', resourceVersionMatch: 'exact' }),
      code: 'INVALID_OPTION',
      message:
        'list: option "resourceVersionMatch" must be \'NotOlderThan\' or \'Exact\', not "exact"',
    },
    {
      mistake: 'a controller in place of its signal',
      act: () => pods().get!('web', { signal: new AbortController() }),
      code: 'INVALID_OPTION',
      message: 'get: option "signal" must be an AbortSignal, not an object',
    },
    {
      mistake: 'a dry run in the words of the API',
      act: () => pods().delete!('web', { dryRun: 'All' }),
      code: 'INVALID_OPTION',
      message: 'delete: option "dryRun" must be true or false, not "All"',
    },
    {
      mistake: 'an unknown propagation policy',
      act: () => pods().delete!('web', { propagationPolicy: 'background' }),
      code: 'INVALID_OPTION',
      message:
        "delete: option \"propagationPolicy\" must be 'Orphan', 'Background' or 'Foreground', not \"background\"",
    },
    {
      mistake: 'an apply patch',
      act: () => pods().patch!('web', {}, { type: 'apply' }),
      code: 'INVALID_OPTION',
      message:
        "patch: option \"type\" must be 'merge', 'json' or 'strategic' (or call apply), not \"apply\"",
    },
    {
      mistake: 'an object for a JSON patch',
      act: () => pods().patch!('web', {}, { type: 'json' }),
      code: 'INVALID_OPTION',
      message: "patch: a patch of type 'json' is an array of operations",
    },
    {
      mistake: 'text for an object',
      act: () => pods().create!('{}'),
      code: 'INVALID_OPTION',
      message: 'create: it takes an object, not a string',
    },
    {
      mistake: 'an update of an object without a name',
      act: () => pods().update!({ metadata: {} }),
      code: 'KEY',
      message:
        'an object of pods to be updated has no metadata.name; give it the name of the stored object',
    },
    {
      mistake: 'a misspelled option of a client',
      act: () =>
        new Client({ transport: new ScriptedTransport(() => ({})), maxFrameByte: 1 } as never),
      code: 'INVALID_OPTION',
      message: 'Client: unknown option "maxFrameByte"; did you mean "maxFrameBytes"?',
    },
  ],
};
