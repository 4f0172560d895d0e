import { Client } from '../../../lib/client/rest/client.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import {
  controller,
  type ControllerBuilder,
} from '../../../lib/controller/builder/controller-builder.ts';
import type { Controller } from '../../../lib/controller/builder/controller.ts';
import { withLabels } from '../../../lib/controller/change/predicates.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { ScriptedTransport } from '../../client/support/scripted-transport.ts';
import type { BadUseArea } from '../bad-use.ts';

/** A builder as a program in JavaScript sees it. */
type Untyped = Readonly<Record<string, (...given: unknown[]) => Untyped>>;
/** The context of a run as such a program sees it. */
type Context = Readonly<Record<string, (...given: unknown[]) => unknown>>;

const client = new Client({ transport: new ScriptedTransport(() => ({ body: {} })) });
const nothing = async (): Promise<void> => {};

const shops = (options: object = {}): Untyped =>
  controller(client, 'v1', 'configmaps', options) as unknown as Untyped;

const complete = (options: object = {}): Controller<never> =>
  shops(options)['reconcile']!(nothing) as unknown as Controller<never>;

interface Played {
  readonly options?: object;
  readonly declare?: (builder: Untyped) => Untyped;
  /** The object is deleted, or being deleted, after its first run. */
  readonly deletes?: boolean;
}

/** The first error of a controller of config maps that reconciles `default/web` on a server in the process. */
const played =
  (reconcile: unknown, { options = {}, declare = (one) => one, deletes }: Played = {}) =>
  async (): Promise<unknown> => {
    const runtime = new VirtualRuntime();
    return await runtime.run(async () => {
      await using server = new ApiServer({ runtime, logger: silentLogger });
      await using user = new Client({ transport: inProcessTransport(server.handler), runtime });
      const maps = user.resource('v1', 'configmaps', { namespace: 'default' });
      const errors: unknown[] = [];
      const all = {
        runtime,
        logger: silentLogger,
        name: 'shops',
        onError: (error: unknown) => errors.push(error),
        ...options,
      };
      await maps.create({ metadata: { name: 'web', labels: { app: 'web' } } });
      const every = controller(user, 'v1', 'configmaps', all as object);
      const builder = every.where(withLabels('app=web'));
      const declared = declare(
        builder as unknown as Untyped,
      ) as unknown as ControllerBuilder<never>;
      await using one = declared.reconcile(reconcile as never);
      const running = one.run();
      await one.whenReady();
      await new Promise<void>((resolve) => void runtime.setTimer(1_000, resolve));
      if (deletes === true) await maps.delete('web');
      await new Promise<void>((resolve) => void runtime.setTimer(1_000, resolve));
      await one.close();
      await running;
      return errors[0];
    });
  };

/** The error of a call of the context. */
const inRun = (
  call: (context: Context) => unknown,
  declare: (builder: Untyped) => Untyped = (one) => one,
) => played(async (_object: unknown, context: Context) => void call(context), { declare });

export const BUILDERS: BadUseArea = {
  title: 'Controllers',
  cases: [
    {
      mistake: 'connect() without await',
      act: () => controller(Promise.resolve(client) as never, 'v1', 'pods'),
      code: 'INVALID_OPTION',
      message: 'controller: the client is a promise; write "await connect()"',
    },
    {
      mistake: 'no client',
      act: () => controller(undefined as never, 'v1', 'pods'),
      code: 'INVALID_OPTION',
      message: 'controller: the client must be one that "await connect()" gives, not undefined',
    },
    {
      mistake: 'the configuration in place of the client',
      act: () => controller({ server: 'https://10.0.0.1:6443' } as never, 'v1', 'pods'),
      code: 'INVALID_OPTION',
      message: 'controller: the client must be one that "await connect()" gives, not an object',
    },
    {
      mistake: 'run without reconcile',
      act: () => shops()['run']!(),
      code: 'INVALID_OPTION',
      message:
        'controller of v1/configmaps: run() before .reconcile(…); end the declaration with it',
    },
    {
      mistake: 'a reconcile that is called, not given',
      act: () => shops()['reconcile']!(nothing()),
      code: 'INVALID_OPTION',
      message: 'controller.reconcile must get a function, not object',
    },
    {
      mistake: 'a misspelled option',
      act: () => shops({ labelSelecter: 'app=web' }),
      code: 'INVALID_OPTION',
      message: 'controller: unknown option "labelSelecter"; did you mean "labelSelector"?',
    },
    {
      mistake: 'a number of workers that is text',
      act: () => shops({ concurrency: '4' }),
      code: 'INVALID_OPTION',
      message: 'controller: option "concurrency" must be a whole number from 1 to 10000, not "4"',
    },
    {
      mistake: 'a namespace and namespaces',
      act: () => complete({ namespace: 'a', namespaces: ['b'] }),
      code: 'INVALID_OPTION',
      message: 'controller: give option "namespace" or "namespaces", not both',
    },
    {
      mistake: 'namespaces that are one text',
      act: () => complete({ namespaces: 'shop' }),
      code: 'INVALID_OPTION',
      message: 'controller: option "namespaces" must be an array of strings, not a string',
    },
    {
      mistake: 'a logger that has no method debug',
      act: () => shops({ logger: { info: nothing, warn: nothing, error: nothing } }),
      code: 'INVALID_OPTION',
      message:
        'controller: option "logger" must be a logger with debug, info, warn and error, not an object',
    },
    {
      mistake: 'the name of the option of indexes as it was',
      act: () => shops()['watches']!('v1', 'nodes', () => [], { indexes: {} }),
      code: 'INVALID_OPTION',
      message: 'controller.watches: unknown option "indexes"; did you mean "indexers"?',
    },
    {
      mistake: 'a watch without a mapping',
      act: () => shops()['watches']!('v1', 'nodes'),
      code: 'INVALID_OPTION',
      message: 'controller.watches: the mapping of nodes must be a function, not undefined',
    },
    {
      mistake: 'a watch that is declared twice',
      act: () => {
        const map = (): string[] => [];
        shops()['watches']!('v1', 'nodes', map)['watches']!('v1', 'nodes', map);
      },
      code: 'INVALID_OPTION',
      message: 'controller.watches: v1/nodes is declared twice with one mapping; declare it once',
    },
    {
      mistake: 'an owned resource that is declared twice',
      act: () => shops()['owns']!('v1', 'secrets')['owns']!('v1', 'secrets'),
      code: 'INVALID_OPTION',
      message: 'controller.owns: v1/secrets is declared twice; declare it once',
    },
    {
      mistake: 'two declarations of one name',
      act: () =>
        shops()['owns']!('v1', 'secrets', { name: 'a' })['watches']!('v1', 'secrets', () => [], {
          name: 'a',
        }),
      code: 'INVALID_OPTION',
      message: 'controller: two declarations of v1/secrets have the name "a"; give each its own',
    },
    {
      mistake: 'a cluster without a name',
      act: () => shops()['watches']!('v1', 'nodes', () => [], { cluster: { client } }),
      code: 'INVALID_OPTION',
      message:
        'controller.watches: option "cluster" must have a name without colon, slash and space, not undefined',
    },
    {
      mistake: 'two external sources of one name',
      act: () => shops()['triggeredBy']!('queue', nothing)['triggeredBy']!('queue', nothing),
      code: 'INVALID_OPTION',
      message: 'controller.triggeredBy: two sources have the name "queue"; give each its own',
    },
    {
      mistake: 'a finalizer without a domain',
      act: () => shops()['finalizer']!('cleanup', nothing),
      code: 'INVALID_OPTION',
      message:
        'controller.finalizer: "cleanup" is no name of a finalizer; use a domain of yours and a word, as in "example.com/cleanup"',
    },
    {
      mistake: 'a finalizer without a function',
      act: () => shops()['finalizer']!('example.com/cleanup'),
      code: 'INVALID_OPTION',
      message: 'controller.finalizer must get a function, not undefined',
    },
    {
      mistake: 'a finalizer with a label selector',
      act: () =>
        shops({ labelSelector: 'app=web' })['finalizer']!('example.com/cleanup', nothing)[
          'reconcile'
        ]!(nothing),
      code: 'INVALID_OPTION',
      message:
        'controller of v1/configmaps: option "labelSelector" excludes .finalizer(…), because the deletion of an object that has lost its labels would hang; use .where(withLabels("app=web")) instead',
    },
    {
      mistake: 'a timer whose interval is text',
      act: () => shops()['every']!('5s', nothing)['reconcile']!(nothing),
      code: 'INVALID_OPTION',
      message: 'controller.every: option "intervalMs" must be a number of at least 1, not "5s"',
    },
    {
      mistake: 'a second run',
      act: async () => {
        const one = complete();
        await one.close();
        await one.run();
      },
      code: 'ALREADY_STARTED',
      message: 'configmaps: a controller runs once; make a new one',
    },
    {
      mistake: 'setNamespaces without option namespaces',
      act: () => complete().setNamespaces(['shop']),
      code: 'INVALID_OPTION',
      message:
        'configmaps: setNamespaces: it watches one namespace, or all; make it with option "namespaces"',
    },
    {
      mistake: 'a delay in the name of controller-runtime',
      act: played(async () => ({ requeueAfter: 5_000 })),
      code: 'RECONCILE',
      message:
        'shops: default/web: reconcile: unknown result "requeueAfter"; return requeueAfterMs, in milliseconds',
    },
    {
      mistake: 'a wish to run again without a time',
      act: played(async () => ({ requeue: true })),
      code: 'RECONCILE',
      message:
        'shops: default/web: reconcile: unknown result "requeue"; return requeueAfterMs, in milliseconds',
    },
    {
      mistake: 'a truth as the result',
      act: played(async () => true),
      code: 'RECONCILE',
      message:
        'shops: default/web: reconcile: the result must be nothing, or an object with status, conditions, terminal, requeueAfterMs, priority; not true',
    },
    {
      mistake: 'an array as the result',
      act: played(async () => []),
      code: 'RECONCILE',
      message:
        'shops: default/web: reconcile: the result must be nothing, or an object with status, conditions, terminal, requeueAfterMs, priority; not an array',
    },
    {
      mistake: 'the answer of a write as the result',
      act: played((_object: unknown, { resource }: Context) => {
        const maps = resource!('v1', 'configmaps') as Context;
        return maps['patch']!('web', { data: { open: 'yes' } });
      }),
      code: 'RECONCILE',
      message:
        'shops: default/web: reconcile: unknown result "apiVersion"; return nothing, or status, conditions, terminal, requeueAfterMs, priority',
    },
    {
      mistake: 'a status that is text',
      act: played(async () => ({ status: 'ready' })),
      code: 'RECONCILE',
      message: 'shops: default/web: reconcile: option "status" must be an object, not a string',
    },
    {
      mistake: 'one condition in place of a list',
      act: played(async () => ({ conditions: { type: 'Ready', status: 'True' } })),
      code: 'RECONCILE',
      message:
        'shops: default/web: reconcile: option "conditions" must be an array of conditions, not an object',
    },
    {
      mistake: 'a misspelled result of a finalizer',
      act: played(nothing, {
        declare: (one) => one['finalizer']!('example.com/a', async () => ({ requeueMs: 10 })),
        deletes: true,
      }),
      code: 'RECONCILE',
      message:
        'shops: default/web: finalizer: unknown result "requeueMs"; return requeueAfterMs, in milliseconds',
    },
    {
      mistake: 'a result of whenGone that is ignored',
      act: played(nothing, {
        declare: (one) => one['whenGone']!(async () => ({ retryAfter: 10 })),
        deletes: true,
      }),
      code: 'RECONCILE',
      message:
        'shops: default/web: whenGone: unknown result "retryAfter"; return requeueAfterMs, in milliseconds',
    },
    {
      mistake: 'the cache of a resource that is not watched',
      act: inRun(({ lister }) => lister!('v1', 'secrets')),
      code: 'RECONCILE',
      message:
        'shops: default/web: shops does not watch v1/secrets: declare it with .owns or .watches',
    },
    {
      mistake: 'the dependents of a resource that is only watched',
      act: inRun(
        ({ owned }) => owned!('v1', 'secrets'),
        (one) => one['watches']!('v1', 'secrets', () => []),
      ),
      code: 'RECONCILE',
      message: `shops: default/web: owned: shops does not own v1/secrets: declare it with .owns('v1', 'secrets')`,
    },
    {
      mistake: 'an index that was not declared',
      act: inRun(({ byIndex }) => byIndex!('v1', 'configmaps', 'byNode', 'n1')),
      code: 'RECONCILE',
      message: 'shops: default/web: there is no index "byNode"; known are: namespace',
    },
    {
      mistake: 'the cache of a resource that is watched with two selectors',
      act: inRun(
        ({ lister }) => lister!('v1', 'configmaps'),
        (one) => one['watches']!('v1', 'configmaps', () => [], { labelSelector: 'copy' }),
      ),
      code: 'RECONCILE',
      message:
        'shops: default/web: shops watches v1/configmaps with several scopes: give the declarations option "name", and read with { source: NAME }',
    },
    {
      mistake: 'the name of a declaration that does not exist',
      act: inRun(({ lister }) => lister!('v1', 'configmaps', { source: 'copies' })),
      code: 'RECONCILE',
      message:
        'shops: default/web: shops has no declaration of v1/configmaps with the name "copies"; give one option "name"',
    },
    {
      mistake: 'a cluster that no declaration names',
      act: inRun(({ resource }) => resource!('v1', 'secrets', { cluster: 'east' })),
      code: 'RECONCILE',
      message:
        'shops: default/web: shops watches nothing in a cluster "east": name it in option "cluster" of .watches',
    },
    {
      mistake: 'changes since the last run without remembers',
      act: inRun((context) => context['handled']),
      code: 'RECONCILE',
      message:
        'shops: default/web: shops keeps no last handled states: declare that it does with .remembers()',
    },
    {
      mistake: 'a write to the object of the cache',
      act: played(
        async (object: { data?: object; metadata: { labels: Record<string, string> } }) => {
          object.metadata.labels['open'] = 'yes';
        },
      ),
      code: 'RECONCILE',
      message:
        'shops: default/web: Cannot add property open, object is not extensible; objects of a cache are shared and frozen: change a copy, structuredClone(object); see docs/guides/objects.md, "Objects of a cache"',
    },
  ],
};
