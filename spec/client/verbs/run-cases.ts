import { connect, type ConnectOptions } from '../../../lib/client/rest/connect.ts';
import type { Client } from '../../../lib/client/rest/client.ts';
import { isAlreadyExists } from '../../../lib/meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../lib/meta/object.ts';
import { normalise } from '../../compare/normalise.ts';
import { applying } from './cases/applying.ts';
import { deleting } from './cases/deleting.ts';
import { helpers } from './cases/helpers.ts';
import { reading } from './cases/reading.ts';
import { subresources } from './cases/subresources.ts';
import { writing } from './cases/writing.ts';
import { outcome, type VerbCase } from './verb-case.ts';

export const VERB_CASES: readonly VerbCase[] = [
  ...reading,
  ...writing,
  ...applying,
  ...deleting,
  ...subresources,
  ...helpers,
];

const DEFINITION = 'verbwidgets.verbs.example.com';

/** A server that can be asked for the answers of cases. It makes a namespace, and deletes it at the end. */
export class CaseRunner implements AsyncDisposable {
  readonly #client: Client;
  readonly #namespace: string;
  #warnings: string[] = [];

  private constructor(client: Client, namespace: string, warnings: string[]) {
    this.#client = client;
    this.#namespace = namespace;
    this.#warnings = warnings;
  }

  static async start(options: ConnectOptions, namespace: string): Promise<CaseRunner> {
    const warnings: string[] = [];
    const onWarning = ({ text }: { text: string }): void => void warnings.push(text);
    const client = await connect({ ...options, userAgent: 'verbs', onWarning });
    const runner = new CaseRunner(client, namespace, warnings);
    const named = (kind: string, name: string): UnstructuredObject => ({
      apiVersion: 'v1',
      kind,
      metadata: { name },
    });
    await client
      .resource<UnstructuredObject>('v1', 'namespaces')
      .create(named('Namespace', namespace));
    try {
      // A controller of a whole cluster makes it; pods need it.
      const accounts = client.resource<UnstructuredObject>('v1', 'serviceaccounts', { namespace });
      await accounts.create(named('ServiceAccount', 'default'));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    return runner;
  }

  /** The answer of a case, without what differs from run to run. */
  async answer(one: VerbCase): Promise<unknown> {
    this.#warnings.length = 0;
    const [client, namespace] = [this.#client, this.#namespace];
    const answer = await one.run({ client, namespace, warnings: this.#warnings });
    const text = JSON.stringify(answer ?? null).replaceAll(client.server, '{server}');
    return normalise(JSON.parse(text), { namespace, nowMs: Date.now() });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const [client, namespace] = [this.#client, this.#namespace];
    const places = [
      'v1 configmaps',
      'v1 pods',
      'v1 serviceaccounts',
      'v1 secrets',
      'apps/v1 deployments',
      'policy/v1 poddisruptionbudgets',
      'verbs.example.com/v1 verbwidgets',
    ];
    try {
      for (const place of places) {
        const [apiVersion = '', resource = ''] = place.split(' ');
        const all = client.resource(apiVersion, resource, { namespace });
        await outcome(all.deleteCollection({ gracePeriodSeconds: 0 }));
      }
      const definitions = client.resource('apiextensions.k8s.io/v1', 'customresourcedefinitions');
      await outcome(definitions.delete(DEFINITION));
      const namespaces = client.resource('v1', 'namespaces');
      await outcome(namespaces.delete(namespace));
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace }, spec: {} };
      await outcome(namespaces.subresource('finalize').update(namespace, body));
    } finally {
      await client.close();
    }
  }
}
