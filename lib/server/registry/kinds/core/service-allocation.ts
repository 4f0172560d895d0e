import { internalError, invalid } from '../../../../meta/failures.ts';
import type { KubernetesObject } from '../../../../meta/object.ts';
import { fieldInvalid } from '../../rules/field-causes.ts';
import { recordAt, recordsAt, textAt, valueAt, type JsonRecord } from '../../rules/json-value.ts';
import type { HookParts } from '../../contract/kind-definition.ts';
import type { MutableObject } from '../../rules/mutable-object.ts';
import type { WriteResult } from '../../contract/rest-storage.ts';
import type { FinishWrite, StoreHooks } from '../../contract/store-hooks.ts';
import { NumberAllocator } from './number-allocator.ts';

/** 10.96.0.0/12 without its first two addresses (the second is the API server's own on a cluster) and its last. */
const ADDRESSES = { low: 0x0a_60_00_02, high: 0x0a_6f_ff_fe } as const;
/** The first address, of the API server's own service, and the name of that service. */
const KEPT_ADDRESS = ADDRESSES.low - 1;
const KEPT_FOR = 'default/kubernetes';
/** See pkg/kubeapiserver/options DefaultServiceNodePortRange @ 24a394e. */
const NODE_PORTS = { low: 30_000, high: 32_767 } as const;

const SERVICE = { group: '', kind: 'Service' } as const;

/** A range of numbers, and its names in messages. */
interface Pool {
  readonly allocator: NumberAllocator;
  readonly what: 'address' | 'node port';
  readonly format: (value: number) => string | number;
}

interface Claim {
  readonly pool: Pool;
  readonly value: number;
}

/**
 * Assigns cluster addresses and node ports to services. The assigned ones are read from the storage once, and then updated with
 * the writes of this process.
 *
 * Not guaranteed: that two processes on one storage assign different addresses.
 */
export class ServiceAllocation implements StoreHooks {
  readonly #parts: HookParts;
  readonly #addresses: Pool = {
    allocator: new NumberAllocator(ADDRESSES),
    what: 'address',
    format: formatAddress,
  };
  readonly #nodePorts: Pool = {
    allocator: new NumberAllocator(NODE_PORTS),
    what: 'node port',
    format: (value) => value,
  };
  #seeding: Promise<void> | undefined;

  constructor(parts: HookParts) {
    this.#parts = parts;
  }

  async previewCreate(service: MutableObject): Promise<void> {
    const finish = await this.beginCreate(service);
    finish(false);
  }

  async beginCreate(service: MutableObject): Promise<FinishWrite> {
    await (this.#seeding ??= this.#seed());
    return this.#take(service, []);
  }

  async beginUpdate(service: MutableObject, existing: MutableObject): Promise<FinishWrite> {
    await (this.#seeding ??= this.#seed());
    const before = this.#held(existing);
    const finish = this.#take(service, before);
    return (success) => {
      finish(success);
      if (!success) return;
      const kept = this.#held(service);
      for (const claim of before) {
        if (!kept.some((one) => sameClaim(one, claim))) release(claim, ownerOf(service));
      }
    };
  }

  afterDelete({ object }: WriteResult): void {
    for (const claim of this.#held(object)) release(claim, ownerOf(object));
  }

  reload(): void {
    this.#seeding = undefined;
    for (const { allocator } of [this.#addresses, this.#nodePorts]) allocator.clear();
  }

  /** Reads the addresses and ports of stored services; after a failure the next write tries again. */
  async #seed(): Promise<void> {
    const { storage, keyRoot } = this.#parts;
    try {
      const { items } = await storage.getList(`${keyRoot}/`);
      for (const { object } of items) {
        for (const { pool, value } of this.#held(object)) {
          pool.allocator.claim(value, ownerOf(object));
        }
      }
    } catch (error) {
      this.#seeding = undefined;
      throw error;
    }
  }

  #held(service: KubernetesObject): Claim[] {
    const claims: Claim[] = [];
    const address = parseAddress(textAt(service, 'spec', 'clusterIP'));
    if (address !== undefined) claims.push({ pool: this.#addresses, value: address });
    for (const { nodePort } of recordsAt(service, 'spec', 'ports')) {
      if (typeof nodePort === 'number') claims.push({ pool: this.#nodePorts, value: nodePort });
    }
    const healthCheck = valueAt(service, 'spec', 'healthCheckNodePort');
    if (typeof healthCheck === 'number') {
      claims.push({ pool: this.#nodePorts, value: healthCheck });
    }
    return claims;
  }

  /** Assigns the requested numbers, or free ones. Synchronous, so that no two services get the same. */
  #take(service: MutableObject, before: readonly Claim[]): FinishWrite {
    const owner = ownerOf(service);
    const spec = recordAt(service, 'spec') ?? {};
    const taken: Claim[] = [];
    const obtain = (pool: Pool, asked: number | undefined, field: string): number => {
      const claim = { pool, value: obtainFrom(pool, asked, service, field) };
      if (!before.some((one) => sameClaim(one, claim))) taken.push(claim);
      return claim.value;
    };
    const finish = (success: boolean): void => {
      if (!success) for (const claim of taken) release(claim, owner);
    };
    try {
      if (needsAddress(spec)) this.#takeAddress(spec, service, obtain);
      if (needsNodePorts(spec)) this.#takeNodePorts(spec, obtain);
      this.#takeHealthCheckPort(spec, obtain);
    } catch (error) {
      finish(false);
      throw error;
    }
    return finish;
  }

  #takeAddress(spec: JsonRecord, service: MutableObject, obtain: Obtain): void {
    const field = 'spec.clusterIPs';
    const asked = textAt(spec, 'clusterIP');
    const number = parseAddress(asked);
    if (asked !== '' && number === undefined) {
      throw refusal(service, field, asked, 'must be a valid IPv4 address');
    }
    const address = formatAddress(obtain(this.#addresses, number, field));
    assign(spec, 'clusterIP', address);
    const [first] = Array.isArray(spec['clusterIPs']) ? (spec['clusterIPs'] as unknown[]) : [];
    if (first !== address) spec['clusterIPs'] = [address];
  }

  /** A load balancer that keeps to the nodes of the pods asks each node at this port whether it has one. */
  #takeHealthCheckPort(spec: JsonRecord, obtain: Obtain): void {
    const field = 'healthCheckNodePort';
    if (!needsHealthCheck(spec)) {
      if (spec[field] !== undefined) delete spec[field];
      return;
    }
    const asked = typeof spec[field] === 'number' ? spec[field] : undefined;
    assign(spec, field, obtain(this.#nodePorts, asked, `spec.${field}`));
  }

  /** Ports with the same number but different protocols share one node port. */
  #takeNodePorts(spec: JsonRecord, obtain: Obtain): void {
    const byPort = new Map<unknown, number>();
    for (const [index, port] of recordsAt(spec, 'ports').entries()) {
      const { nodePort } = port;
      const asked = typeof nodePort === 'number' && nodePort !== 0 ? nodePort : undefined;
      const shared = asked ?? byPort.get(port['port']);
      const value = obtain(this.#nodePorts, shared, `spec.ports[${index}].nodePort`);
      byPort.set(port['port'], value);
      assign(port, 'nodePort', value);
    }
  }
}

function needsHealthCheck(spec: JsonRecord): boolean {
  return spec['type'] === 'LoadBalancer' && spec['externalTrafficPolicy'] === 'Local';
}

/** Sets a field that differs. An update of the status has the spec of the stored object, which must not be written to. */
function assign(record: JsonRecord, field: string, value: unknown): void {
  if (record[field] !== value) record[field] = value;
}

type Obtain = (pool: Pool, asked: number | undefined, field: string) => number;

/** @throws {ApiError} 422 when the requested number is not available; 500 when no number is free. */
function obtainFrom(
  { allocator, what, format }: Pool,
  asked: number | undefined,
  service: MutableObject,
  field: string,
): number {
  const owner = ownerOf(service);
  if (asked === undefined) {
    const free = allocator.allocate(owner);
    if (free === undefined) throw internalError(`no free ${what} is left`);
    return free;
  }
  if (what === 'address' && asked === KEPT_ADDRESS) {
    if (owner === KEPT_FOR) return asked;
    throw refusal(service, field, format(asked), `provided ${what} is already allocated`);
  }
  if (!allocator.includes(asked)) {
    throw refusal(service, field, format(asked), `provided ${what} is not in the valid range`);
  }
  if (!allocator.claim(asked, owner)) {
    throw refusal(service, field, format(asked), `provided ${what} is already allocated`);
  }
  return asked;
}

function refusal(service: MutableObject, field: string, value: unknown, problem: string): Error {
  return invalid(SERVICE, service.metadata.name ?? '', [fieldInvalid(field, value, problem)]);
}

function release({ pool, value }: Claim, owner: string): void {
  pool.allocator.release(value, owner);
}

function sameClaim(left: Claim, right: Claim): boolean {
  return left.pool === right.pool && left.value === right.value;
}

/** Whether services of this type have a cluster address. */
function needsAddress(spec: JsonRecord): boolean {
  return spec['type'] !== 'ExternalName' && spec['clusterIP'] !== 'None';
}

function needsNodePorts(spec: JsonRecord): boolean {
  return spec['type'] === 'NodePort' || spec['type'] === 'LoadBalancer';
}

function ownerOf({ metadata }: KubernetesObject): string {
  return `${metadata?.namespace}/${metadata?.name}`;
}

function parseAddress(text: string): number | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9][0-9]{0,2})$/.test(part))) {
    return undefined;
  }
  const bytes = parts.map((part) => Number.parseInt(part, 10));
  if (bytes.some((byte) => byte > 255)) return undefined;
  return bytes.reduce((number, byte) => number * 256 + byte, 0);
}

function formatAddress(number: number): string {
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.');
}
