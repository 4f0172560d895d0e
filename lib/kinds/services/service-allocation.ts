import {
  internalError,
  invalid,
  isNotFound,
  type FieldCause,
} from '../../meta/failure/failures.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { HookParts } from '../../server/registry/contract/kind-definition.ts';
import type { WriteResult } from '../../server/registry/contract/rest-storage.ts';
import { serverContext } from '../../server/registry/contract/server-context.ts';
import type { FinishWrite, StoreHooks } from '../../server/registry/contract/store-hooks.ts';
import { fieldInvalid } from '../../server/registry/rules/field-causes.ts';
import { recordsAt, textAt, type JsonRecord } from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import { ClusterAddresses, type AddressOwner } from './cluster-addresses.ts';
import { initIpFamilies, normalizeClusterIps } from './ip-families.ts';
import { NodePorts, RANGES_ROOT, TakenPorts } from './node-ports.ts';
import { needsPorts, planNodePorts, PortTaker, ShownPorts, type PortPlan } from './port-plan.ts';
import { CLUSTER_IPS } from './service-address-checks.ts';
import {
  clusterIpsOf,
  familiesOf,
  isExternalName,
  isHeadless,
  needsHealthCheck,
  nodePortsOf,
  specOf,
  isBalanced,
  typeOf,
} from './service-fields.ts';

function takesNodePorts(spec: JsonRecord): boolean {
  if (typeOf(spec) === 'NodePort') return true;
  return isBalanced(spec) && spec['allocateLoadBalancerNodePorts'] !== false;
}

/**
 * Keeps what was allocated and an update does not name. The spec and its ports must be private.
 * @see pkg/registry/core/service/storage/storage.go patchAllocatedValues @ v1.36.3
 */
function keepAllocation(spec: JsonRecord, old: JsonRecord): void {
  if (!isExternalName(spec) && !isExternalName(old)) {
    const before = clusterIpsOf(old);
    if (textAt(spec, 'clusterIP') === '' && textAt(old, 'clusterIP') !== '') {
      spec['clusterIP'] = old['clusterIP'];
    }
    if (clusterIpsOf(spec).length === 0 && before.length > 0) spec['clusterIPs'] = before;
  }
  if (takesNodePorts(spec) && takesNodePorts(old)) keepNodePorts(spec, old);
  if (!needsHealthCheck(spec) || !needsHealthCheck(old)) return;
  if ((spec['healthCheckNodePort'] ?? 0) === 0) {
    spec['healthCheckNodePort'] = old['healthCheckNodePort'];
  }
}

/** By the names of the ports; not those that the update gave to another port. */
function keepNodePorts(spec: JsonRecord, old: JsonRecord): void {
  const named = nodePortsOf(spec);
  const before = new Map(
    recordsAt(old, 'ports').map((port) => [textAt(port, 'name'), port['nodePort']]),
  );
  for (const port of recordsAt(spec, 'ports')) {
    const kept = before.get(textAt(port, 'name'));
    if ((port['nodePort'] ?? 0) !== 0 || typeof kept !== 'number') continue;
    if (!named.includes(kept)) port['nodePort'] = kept;
  }
}

const SERVICE = { group: '', kind: 'Service' } as const;
const RANGE = { group: '', version: 'v1', kind: 'RangeAllocation', resource: 'ranges' } as const;

/** The addresses and ports that a write took, and those that its success releases. */
interface Taken {
  readonly addresses: readonly string[];
  readonly ports: readonly number[];
}

const NO_PORTS: TakenPorts = new TakenPorts();
const NOTHING: Taken = { addresses: [], ports: [] };

/**
 * Assigns cluster addresses and node ports to services, before they are validated. Addresses are IPAddress objects, node ports are
 * kept in one stored object; both are taken by compare-and-swap.
 *
 * Guarantees: several servers over one storage assign nothing twice. What a refused write took is given back before it is answered.
 *
 * Not guaranteed: that what a write took when the process ended is free again. An IPAddress can be deleted.
 */
export class ServiceAllocation implements StoreHooks {
  readonly #parts: HookParts;
  readonly #addresses: ClusterAddresses;
  readonly #nodePorts: NodePorts;
  #restoring: Promise<void> | undefined;

  constructor(parts: HookParts) {
    this.#parts = parts;
    this.#addresses = new ClusterAddresses(parts);
    this.#nodePorts = new NodePorts(parts.storageFor(RANGES_ROOT, RANGE));
  }

  async prepareCreate(service: MutableObject, dryRun: boolean): Promise<FinishWrite> {
    const spec = privateSpec(service);
    normalizeClusterIps(spec);
    return await this.#allocate(service, spec, undefined, dryRun);
  }

  async prepareUpdate(
    service: MutableObject,
    existing: MutableObject,
    dryRun: boolean,
  ): Promise<FinishWrite> {
    const spec = privateSpec(service);
    const old = specOf(existing);
    keepAllocation(spec, old);
    normalizeClusterIps(spec, old);
    return await this.#allocate(service, spec, old, dryRun);
  }

  /** An external name may keep a `clusterIP` that its update set; kube-apiserver shows the other field for it too. */
  beginUpdate(service: MutableObject): Promise<FinishWrite> {
    const spec = specOf(service);
    if (
      isExternalName(spec) &&
      textAt(spec, 'clusterIP') !== '' &&
      clusterIpsOf(spec).length === 0
    ) {
      service['spec'] = { ...spec, clusterIPs: [spec['clusterIP']] };
    }
    return Promise.resolve(() => {});
  }

  async afterDelete({ object }: WriteResult): Promise<void> {
    const spec = specOf(object);
    const ports = nodePortsOf(spec);
    const { healthCheckNodePort } = spec;
    if (needsHealthCheck(spec) && typeof healthCheckNodePort === 'number') {
      ports.push(healthCheckNodePort);
    }
    await this.#release({ addresses: isHeadless(spec) ? [] : clusterIpsOf(spec), ports });
    await this.#deleteEndpoints(object);
  }

  reload(): void {
    this.#restoring = undefined;
  }

  async #allocate(
    service: MutableObject,
    spec: JsonRecord,
    old: JsonRecord | undefined,
    dryRun: boolean,
  ): Promise<FinishWrite> {
    const causes = initIpFamilies(spec, old);
    if (causes.length > 0) throw refusal(service, causes);
    if (!dryRun) await (this.#restoring ??= this.#restore());
    const isNew = old === undefined || isExternalName(old);
    const addresses = isNew ? await this.#takeAddresses(service, spec, dryRun) : [];
    const gone = old !== undefined && !isNew && isExternalName(spec) && !isHeadless(old);
    let ports: readonly number[] = [];
    let plan: PortPlan;
    try {
      ({ plan, ports } = await this.#takePorts(service, spec, old, dryRun));
    } catch (error) {
      if (!dryRun) await this.#release({ addresses, ports });
      throw error;
    }
    applyPlan(spec, plan);
    if (dryRun) return () => {};
    const left = { addresses: gone ? clusterIpsOf(old) : [], ports: plan.released };
    return async (success) => await this.#release(success ? left : { addresses, ports });
  }

  /** Sets `clusterIPs`; returns those that were taken. */
  async #takeAddresses(
    service: MutableObject,
    spec: JsonRecord,
    dryRun: boolean,
  ): Promise<readonly string[]> {
    if (isExternalName(spec) || clusterIpsOf(spec)[0] === 'None') return [];
    const owner = ownerOf(service);
    const asked = clusterIpsOf(spec);
    const addresses: string[] = [];
    for (const [index] of familiesOf(spec).entries()) {
      const text = asked[index] ?? '';
      try {
        addresses.push(await this.#takeAddress(owner, text, { service, asked, dryRun }));
      } catch (error) {
        if (!dryRun) await this.#release({ ...NOTHING, addresses });
        throw error;
      }
    }
    spec['clusterIPs'] = addresses;
    spec['clusterIP'] = addresses[0];
    return addresses;
  }

  async #takeAddress(
    owner: AddressOwner,
    text: string,
    {
      service,
      asked,
      dryRun,
    }: {
      readonly service: MutableObject;
      readonly asked: readonly string[];
      readonly dryRun: boolean;
    },
  ): Promise<string> {
    if (text !== '') {
      const problem = await this.#addresses.take(owner, text, dryRun);
      if (problem === undefined) return text;
      const detail = `failed to allocate IP ${text}: ${problem}`;
      throw refusal(service, [fieldInvalid(CLUSTER_IPS, asked, detail)]);
    }
    const free = await this.#addresses.takeNext(owner, dryRun);
    if (free !== undefined) return free;
    throw internalError(
      `failed to allocate a serviceIP for Service "${owner.name}": range is full`,
    );
  }

  async #takePorts(
    service: MutableObject,
    spec: JsonRecord,
    old: JsonRecord | undefined,
    dryRun: boolean,
  ): Promise<{ readonly plan: PortPlan; readonly ports: readonly number[] }> {
    const refuse = (cause: FieldCause): Error => refusal(service, [cause]);
    const isNeeded = needsPorts(spec, old);
    if (dryRun || !isNeeded) {
      const source = new ShownPorts(isNeeded ? await this.#nodePorts.read() : NO_PORTS);
      return { plan: planNodePorts(spec, old, source, refuse), ports: [] };
    }
    return await this.#nodePorts.update((taken) => {
      const taker = new PortTaker(taken, this.#parts.runtime);
      return { plan: planNodePorts(spec, old, taker, refuse), ports: taker.taken };
    });
  }

  async #release({ addresses, ports }: Taken): Promise<void> {
    await this.#addresses.release(addresses);
    if (ports.length === 0) return;
    await this.#nodePorts.update((taken) => {
      for (const port of ports) taken.set(port, false);
    });
  }

  /** Takes what stored services have: they may be of an older version, or the storage was replaced. */
  async #restore(): Promise<void> {
    const { storage, keyRoot } = this.#parts;
    try {
      const { items } = await storage.getList(`${keyRoot}/`);
      const ports: number[] = [];
      for (const { object } of items) {
        const spec = specOf(object);
        ports.push(...nodePortsOf(spec));
        if (needsHealthCheck(spec)) ports.push(Number(spec['healthCheckNodePort'] ?? 0));
        for (const text of isHeadless(spec) ? [] : clusterIpsOf(spec)) {
          await this.#addresses.restore(ownerOf(object), text);
        }
      }
      await this.#nodePorts.update((taken) => {
        for (const port of ports) taken.set(port, true);
      });
    } catch (error) {
      // The next write tries again.
      this.#restoring = undefined;
      throw error;
    }
  }

  /** So that a new Service of the name does not begin with the endpoints of the old one. */
  async #deleteEndpoints(service: KubernetesObject): Promise<void> {
    const { namespace, name } = ownerOf(service);
    try {
      await this.#parts.storeOf('', 'endpoints')?.delete(serverContext(namespace), name, {});
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/** Gives the object a spec of its own, with ports of its own. */
function privateSpec(service: MutableObject): JsonRecord {
  const spec: JsonRecord = { ...specOf(service) };
  if (spec['ports'] !== undefined) {
    spec['ports'] = recordsAt(spec, 'ports').map((port) => ({ ...port }));
  }
  service['spec'] = spec;
  return spec;
}

function applyPlan(spec: JsonRecord, { nodePorts, healthCheck }: PortPlan): void {
  for (const [index, port] of recordsAt(spec, 'ports').entries()) {
    const nodePort = nodePorts[index];
    if (nodePort !== undefined) port['nodePort'] = nodePort;
  }
  if (healthCheck !== undefined) spec['healthCheckNodePort'] = healthCheck;
}

function ownerOf({ metadata }: KubernetesObject): AddressOwner {
  return { namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' };
}

function refusal(service: MutableObject, causes: readonly FieldCause[]): Error {
  return invalid(SERVICE, service.metadata.name ?? '', causes);
}
