import { notFound } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import { column, nameColumn, tableOf } from '../../server/registry/contract/table-columns.ts';
import type {
  ResourceDescription,
  RestStorage,
} from '../../server/registry/contract/rest-storage.ts';
import { attributesFunc, defineKind } from '../../server/registry/contract/kind-definition.ts';
import { selectionOf } from '../../server/registry/selection.ts';
import { predicateMatches } from '../../server/storage/contract/selection-predicate.ts';
import { DerivedObject } from '../../server/registry/rules/derived-object.ts';
import { recordsAt, textAt } from '../../meta/json-value.ts';

const DESCRIPTION: ResourceDescription = {
  group: '',
  version: 'v1',
  kind: 'ComponentStatus',
  resource: 'componentstatuses',
  singular: 'componentstatus',
  listKind: 'ComponentStatusList',
  namespaced: false,
  shortNames: ['cs'],
  categories: [],
  deprecation: 'v1 ComponentStatus is deprecated in v1.19+',
};

/** The components that a control plane asks, and what this server finds where they would listen. */
const COMPONENTS: readonly { readonly name: string; readonly problem: string | undefined }[] = [
  { name: 'scheduler', problem: refused(10_259) },
  { name: 'controller-manager', problem: refused(10_257) },
  { name: 'etcd-0', problem: undefined },
];

function refused(port: number): string {
  const host = `127.0.0.1:${port}`;
  return `Get "https://${host}/healthz": dial tcp ${host}: connect: connection refused`;
}

function componentStatus({ name, problem }: (typeof COMPONENTS)[number]): UnstructuredObject {
  const status = problem === undefined ? 'True' : 'False';
  return {
    kind: 'ComponentStatus',
    apiVersion: 'v1',
    metadata: { name },
    conditions: [{ type: 'Healthy', status, message: problem ?? 'ok' }],
  };
}

/** Selectors compare a namespace too, which is empty. */
const SELECTED = defineKind({ kind: DESCRIPTION.kind, resource: DESCRIPTION.resource });
const attributesOf = attributesFunc(SELECTED);

const healthy = (object: unknown): Record<string, unknown> | undefined =>
  recordsAt(object, 'conditions').find((one) => textAt(one, 'type') === 'Healthy');

const table = tableOf([
  nameColumn,
  column('Status', (object) => {
    const status = textAt(healthy(object), 'status');
    if (status === 'True') return 'Healthy';
    return status === 'False' ? 'Unhealthy' : 'Unknown';
  }),
  column('Message', (object) => textAt(healthy(object), 'message')),
  column('Error', (object) => textAt(healthy(object), 'error')),
]);

/** `componentstatuses`: there is no scheduler and no controller manager; the storage is this server's own. */
export function componentStatuses(): RestStorage {
  return {
    describe: DESCRIPTION,
    table,
    get: (_context, name) => {
      const found = COMPONENTS.find((one) => one.name === name);
      if (found === undefined) {
        return Promise.reject(notFound({ group: '', resource: 'componentstatus' }, name));
      }
      return Promise.resolve(new DerivedObject('', componentStatus(found)));
    },
    list: async (_context, options) => {
      const { predicate } = selectionOf(SELECTED, attributesOf, {
        ...options,
        shardSelector: undefined,
      });
      const found = COMPONENTS.map(componentStatus).filter((one) =>
        predicateMatches(predicate, one),
      );
      return {
        items: found.map((one) => new DerivedObject('', one)),
        resourceVersion: '',
        continueToken: undefined,
        remainingItemCount: undefined,
      };
    },
  };
}
