import { expect } from 'chai';
import { Client } from '../../../../lib/client/rest/client.ts';
import type { ResourceClient } from '../../../../lib/client/rest/resource-client.ts';
import type { KubernetesObject } from '../../../../lib/meta/object.ts';
import { rejectionOf, thrownBy } from '../../support/failure-of.ts';
import { ScriptedTransport } from '../../support/scripted-transport.ts';

/** A client as JavaScript sees it: any option, of any type. */
type Untyped = Readonly<
  Record<keyof ResourceClient<KubernetesObject>, (...given: unknown[]) => unknown>
>;

const web = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } };

describe('the options of a call', () => {
  let transport: ScriptedTransport;
  let client: Client;
  let pods: Untyped;

  beforeEach(() => {
    transport = new ScriptedTransport(() => ({ body: web }));
    client = new Client({ transport });
    pods = client.resource('v1', 'pods', { namespace: 'shop' }) as unknown as Untyped;
  });

  /** The refusal of a call, whether it returns a promise or an iterable. */
  async function refusal(result: unknown): Promise<unknown> {
    const work =
      Symbol.asyncIterator in (result as object) ? (result as AsyncGenerator).next() : result;
    return await rejectionOf(work as Promise<unknown>);
  }

  const refused: readonly (readonly [string, (pods: Untyped) => unknown, string])[] = [
    [
      'a strategic merge patch that is an array',
      (p) => p.patch('web', [], { type: 'strategic' }),
      'an object',
    ],
    ['an apply patch', (p) => p.patch('web', {}, { type: 'apply' }), 'or call apply'],
    ['an apply by force that is text', (p) => p.apply(web, { force: 'true' }), 'force'],
    [
      'an unknown field validation',
      (p) => p.create(web, { fieldValidation: 'strict' }),
      "'Strict'",
    ],
    [
      'a condition in place of a time',
      (p) => p.wait('web', () => true, { timeoutMs: '5' }),
      'timeoutMs',
    ],
    ['a type of patch in other letters', (p) => p.patch('web', {}, { type: 'Merge' }), "'merge'"],
    [
      'a content type for a type of patch',
      (p) => p.patch('web', {}, { type: 'application/merge-patch+json' }),
      "'merge'",
    ],
    [
      'a type of patch from Object.prototype',
      (p) => p.patch('web', {}, { type: 'toString' }),
      "'merge'",
    ],
    [
      'a JSON patch that is an object',
      (p) => p.patch('web', {}, { type: 'json' }),
      'array of operations',
    ],
    ['a merge patch that is an array', (p) => p.patch('web', [], { type: 'merge' }), 'an object'],
    ['a patch that is text', (p) => p.patch('web', '{"a":1}'), 'an object'],
    ['no patch', (p) => p.patch('web', undefined), 'an object'],
    ['a dry run in the words of the API', (p) => p.delete('web', { dryRun: 'All' }), 'dryRun'],
    ['a dry run that is no boolean', (p) => p.create(web, { dryRun: ['All'] }), 'dryRun'],
    [
      'an unknown propagation policy',
      (p) => p.delete('web', { propagationPolicy: 'background' }),
      "'Background'",
    ],
    [
      'an unknown precondition',
      (p) => p.delete('web', { preconditions: { resourceversion: '5' } }),
      'resourceversion',
    ],
    [
      'a precondition that is no text',
      (p) => p.delete('web', { preconditions: { uid: 5 } }),
      'uid',
    ],
    [
      'preconditions that are no object',
      (p) => p.delete('web', { preconditions: 'uid' }),
      'preconditions',
    ],
    [
      'a grace period below 0',
      (p) => p.delete('web', { gracePeriodSeconds: -1 }),
      'gracePeriodSeconds',
    ],
    [
      'an unknown match',
      (p) => p.list({ resourceVersion: '5', resourceVersionMatch: 'exact' }),
      "'Exact'",
    ],
    ['a limit that is text', (p) => p.list({ limit: '5' }), 'limit'],
    ['labels as an object', (p) => p.list({ labelSelector: { app: 'web' } }), 'labelSelector'],
    ['fields as an object', (p) => p.items({ fieldSelector: { a: 'b' } }), 'fieldSelector'],
    [
      'a resource version that is a number',
      (p) => p.get('web', { resourceVersion: 5 }),
      'resourceVersion',
    ],
    [
      'bookmarks that are text',
      (p) => p.watch({ allowWatchBookmarks: 'false' }),
      'allowWatchBookmarks',
    ],
    ['a time of a watch that is text', (p) => p.watch({ timeoutSeconds: '5' }), 'timeoutSeconds'],
    ['a namespace in place of the options', (p) => p.list('shop'), 'must be an object'],
    ['a number in place of the options', (p) => p.delete('web', 0), 'must be an object'],
    ['null in place of the options', (p) => p.get('web', null), 'must be an object'],
    [
      'a controller in place of its signal',
      (p) => p.get('web', { signal: new AbortController() }),
      'AbortSignal',
    ],
    ['no object to create', (p) => p.create(undefined), 'an object'],
    ['text to create', (p) => p.create('{}'), 'an object'],
    ['no object to update', (p) => p.update(null), 'an object'],
    ['a subresource that is no text', (p) => p.patch('web', {}, { subresource: 7 }), 'subresource'],
  ];
  for (const [title, call, words] of refused) {
    it(`are refused before anything is sent: ${title}`, async () => {
      const error = await refusal(call(pods));
      expect(error).to.include({ code: 'INVALID_OPTION' });
      expect((error as Error).message).to.include(words);
      expect(transport.requests).to.deep.equal([]);
    });
  }

  it('may be undefined, each of them', async () => {
    const names = ['type', 'dryRun', 'subresource', 'namespace', 'signal', 'fieldManager'];
    const nothing = Object.fromEntries(names.map((name) => [name, undefined]));
    await pods.patch('web', {}, nothing);
    await pods.delete('web', { preconditions: undefined, propagationPolicy: undefined });
    expect(transport.requests).to.have.length(2);
  });

  it('of the other calls of a client are known by name, too', async () => {
    const { version, discovery } = client as unknown as {
      version: (options: unknown) => Promise<unknown>;
      discovery: Record<'resources' | 'find', (...given: unknown[]) => Promise<unknown>>;
    };
    for (const call of [
      version.call(client, { sgnal: 1 }),
      discovery.resources({ sgnal: 1 }),
      discovery.find('v1', 'Pod', { sgnal: 1 }),
    ]) {
      expect(await rejectionOf(call)).to.include({ code: 'INVALID_OPTION' });
    }
    expect(transport.requests).to.deep.equal([]);
  });

  it('of a resource and of its source have the types they say', () => {
    const make = (options: object) => (): unknown => client.resource('v1', 'pods', options);
    const source = (options: object) => (): unknown =>
      client.listerWatcher({ apiVersion: 'v1', resource: 'pods' }, options);
    for (const call of [
      make({ namespace: 5 }),
      make({ writes: () => {} }),
      make({ writes: { written: () => {} } }),
      source({ metadataOnly: 'yes' }),
      source({ labelSelector: { app: 'web' } }),
    ]) {
      expect(thrownBy(call)).to.include({ code: 'INVALID_OPTION' });
    }
  });
});
