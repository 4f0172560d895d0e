import {
  controller,
  isNotFound,
  SharedInformerFactory,
  withLabels,
  type Client,
} from '../../../lib/index.ts';
import type { SimulatedController } from '../../../lib/simulator/contract/simulated-controller.ts';
import type { WorkloadStep } from '../../../lib/simulator/contract/world.ts';

const NAMESPACE = 'default';
const FINALIZER = 'toys.example.com/data';

const maps = (client: Client) => client.resource('v1', 'configmaps', { namespace: NAMESPACE });
const secrets = (client: Client) => client.resource('v1', 'secrets', { namespace: NAMESPACE });

const application = (finalizers: string[] = []) => ({
  apiVersion: 'v1' as const,
  kind: 'ConfigMap' as const,
  metadata: { name: 'app', labels: { toy: 'app' }, finalizers },
});

const dataOf = (name: string) =>
  ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: `${name}-data` } }) as const;

/** Two writes of one reconcile behind one check: who crashes between them never does the second one. */
export function twoWrites({ fixed }: { readonly fixed: boolean }): SimulatedController {
  return {
    name: 'two-writes',
    async run({ client, runtime, signal, logger }) {
      await using app = controller(client, 'v1', 'configmaps', {
        runtime,
        logger,
        labelSelector: 'toy=app',
      }).reconcile(async ({ metadata: { name, annotations = {} } }) => {
        if (annotations['done'] !== undefined) return {};
        const mark = () => maps(client).patch(name, { metadata: { annotations: { done: 'yes' } } });
        const create = () => secrets(client).apply(dataOf(name), { fieldManager: 'toys' });
        if (fixed) {
          await create();
          await mark();
        } else {
          await mark();
          await create();
        }
        return {};
      });
      await app.run({ signal });
    },
  };
}

export const createOnce: readonly WorkloadStep[] = [
  {
    title: 'create the application',
    act: async (user) => {
      await maps(user).create(application());
    },
  },
];

/** Deletes what belongs to a deleted application by its name: with an old view, that of its successor. */
export function deletesByName({ fixed }: { readonly fixed: boolean }): SimulatedController {
  return {
    name: 'by-name',
    async run({ client, runtime, signal, logger }) {
      // A controller's own informers begin with the newest state.
      await using informers = new SharedInformerFactory(client, { runtime, logger });
      await using app = controller(client, 'v1', 'configmaps', {
        informers,
        runtime,
        logger,
      })
        .where(withLabels('toy=app'))
        .finalizer(FINALIZER, async ({ metadata: { name, uid } }) => {
          try {
            if (fixed) {
              const data = await secrets(client).get(`${name}-data`);
              if (data.metadata.annotations?.['app-uid'] !== uid) return;
              await secrets(client).delete(`${name}-data`, {
                preconditions: { uid: data.metadata.uid },
              });
            } else {
              await secrets(client).delete(`${name}-data`);
            }
          } catch (error) {
            if (!isNotFound(error)) throw error;
          }
        })
        .reconcile(async ({ metadata: { name, uid } }) => {
          const { metadata, ...data } = dataOf(name);
          const annotated = { ...metadata, annotations: { 'app-uid': uid } };
          await secrets(client).apply({ ...data, metadata: annotated }, { fieldManager: 'toys' });
          return {};
        });
      await app.run({ signal });
    },
  };
}

export const recreate: readonly WorkloadStep[] = [
  {
    title: 'create the application',
    act: async (user) => {
      await maps(user).create(application());
    },
    until: (state) => state.get('v1', 'secrets', 'app-data', NAMESPACE) !== undefined,
  },
  {
    title: 'delete the application',
    act: async (user) => {
      await maps(user).delete('app');
    },
    until: (state) =>
      state.get('v1', 'secrets', 'app-data', NAMESPACE) === undefined &&
      state.get('v1', 'configmaps', 'app', NAMESPACE) === undefined,
  },
  {
    title: 'create the application again',
    act: async (user) => {
      await maps(user).create(application());
    },
    until: (state) => state.get('v1', 'secrets', 'app-data', NAMESPACE) !== undefined,
  },
];

/** Cleans up when it sees that an application is being deleted: who does not see that state never cleans up. */
export function missesDeletion({ fixed }: { readonly fixed: boolean }): SimulatedController {
  return {
    name: 'misses-deletion',
    async run({ client, runtime, signal, logger }) {
      const remove = async (name: string) => {
        try {
          await secrets(client).delete(`${name}-data`);
        } catch (error) {
          if (!isNotFound(error)) throw error;
        }
      };
      const builder = controller(client, 'v1', 'configmaps', {
        runtime,
        logger,
        everyUpdate: true,
        labelSelector: 'toy=app',
      });
      await using app = builder.reconcile(async ({ metadata }) => {
        const { name } = metadata;
        if ('deletionTimestamp' in metadata) {
          await remove(name);
          return {};
        }
        const data = dataOf(name);
        await secrets(client).apply(
          fixed
            ? {
                ...data,
                metadata: {
                  ...data.metadata,
                  ownerReferences: [
                    { apiVersion: 'v1', kind: 'ConfigMap', name, uid: metadata.uid },
                  ],
                },
              }
            : data,
          { fieldManager: 'toys' },
        );
        return {};
      });
      await app.run({ signal });
    },
  };
}

export const deleteSlowly: readonly WorkloadStep[] = [
  {
    title: 'create the application',
    act: async (user) => {
      await maps(user).create(application(['toys.example.com/hold']));
    },
    until: (state) => state.get('v1', 'secrets', 'app-data', NAMESPACE) !== undefined,
  },
  {
    title: 'delete the application, which somebody else holds',
    act: async (user) => {
      await maps(user).delete('app');
    },
  },
  {
    title: 'let it go',
    act: async (user) => {
      await maps(user).patch('app', { metadata: { finalizers: null } });
    },
  },
];
