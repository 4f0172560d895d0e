import { invalid } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import { parseApiVersion } from '../../meta/resource.ts';
import type { HookParts } from '../../server/registry/contract/kind-definition.ts';
import type { RequestContext } from '../../server/registry/contract/rest-storage.ts';
import { serverContext } from '../../server/registry/contract/server-context.ts';
import type { StoreHooks, WriteTarget } from '../../server/registry/contract/store-hooks.ts';
import { fieldForbidden } from '../../server/registry/rules/field-causes.ts';
import { recordAt, recordsAt, textAt, valueAt } from '../../meta/json-value.ts';

const LABEL = 'resource.kubernetes.io/admin-access';

/**
 * Refuses a claim with access to all devices outside of the namespaces that an administrator has labelled for it.
 * @see pkg/registry/resource/resourceutils.go AuthorizedForAdmin @ v1.36.3
 */
export class AdminAccess implements StoreHooks {
  readonly #storeOf: HookParts['storeOf'];
  readonly #spec: readonly string[];

  /** @param spec the path of the spec of the claim */
  constructor({ storeOf }: Pick<HookParts, 'storeOf'>, spec: readonly string[]) {
    this.#storeOf = storeOf;
    this.#spec = spec;
  }

  /** @throws {ApiError} 422. */
  async authorize(
    { namespace }: RequestContext,
    claim: UnstructuredObject,
    { existing }: WriteTarget,
  ): Promise<void> {
    if (existing !== undefined) return;
    const requests = recordsAt(claim, ...this.#spec, 'devices', 'requests');
    const place = requests.findIndex((one) => valueAt(one, 'exactly', 'adminAccess') === true);
    if (place === -1 || (await this.#isLabelled(namespace))) return;
    const detail = `admin access to devices requires the \`${LABEL}: true\` label on the containing namespace`;
    const cause = fieldForbidden(`spec.devices.requests[${place}].adminAccess`, detail);
    const subject = { ...parseApiVersion(claim.apiVersion ?? ''), kind: claim.kind ?? '' };
    throw invalid(subject, claim.metadata?.name ?? '', [cause]);
  }

  async #isLabelled(namespace: string): Promise<boolean> {
    const store = this.#storeOf('', 'namespaces');
    if (store === undefined) return false;
    const { object } = await store.get(serverContext(''), namespace);
    return textAt(recordAt(object, 'metadata', 'labels'), LABEL) === 'true';
  }
}
