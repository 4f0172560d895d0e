import { internalError, withoutReason, type FieldCause } from '../../meta/failure/failures.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { fieldInvalid } from '../../server/registry/rules/field-causes.ts';
import { recordsAt, type JsonRecord } from '../../meta/json-value.ts';
import { PORT_TAKEN, type TakenPorts } from './node-ports.ts';
import { hasNodePorts, needsHealthCheck, nodePortsOf, typeOf } from './service-fields.ts';

/** Where node ports come from. */
export interface PortSource {
  /** Returns why the port cannot be taken. */
  take(port: number): string | undefined;
  /** Undefined when all are taken. */
  takeNext(): number | undefined;
}

/** Takes ports, and knows which. */
export class PortTaker implements PortSource {
  readonly taken: number[] = [];
  readonly #ports: TakenPorts;
  readonly #runtime: Runtime;

  constructor(ports: TakenPorts, runtime: Runtime) {
    this.#ports = ports;
    this.#runtime = runtime;
  }

  take(port: number): string | undefined {
    const problem = this.#ports.take(port);
    if (problem === undefined) this.taken.push(port);
    return problem;
  }

  takeNext(): number | undefined {
    const port = this.#ports.takeNext(this.#runtime);
    if (port !== undefined) this.taken.push(port);
    return port;
  }
}

/** The first port that a dry run shows, beyond the range. @see portallocator/operation.go @ v1.36.3 */
const FIRST_SHOWN = 32_769;

/** The ports of a dry run, which knows no range and takes nothing. */
export class ShownPorts implements PortSource {
  readonly #ports: TakenPorts;
  readonly #shown: number[] = [];

  constructor(ports: TakenPorts) {
    this.#ports = ports;
  }

  take(port: number): string | undefined {
    if (this.#ports.has(port) || this.#shown.includes(port)) return PORT_TAKEN;
    this.#shown.push(port);
    return undefined;
  }

  takeNext(): number {
    const port = this.#shown.length === 0 ? FIRST_SHOWN : Math.max(0, ...this.#shown) + 1;
    this.#shown.push(port);
    return port;
  }
}

/** The node ports that a Service is to have, and those that it gives back. */
export interface PortPlan {
  /** By the places of its ports; undefined where nothing is set. */
  readonly nodePorts: readonly (number | undefined)[];
  readonly healthCheck: number | undefined;
  readonly released: readonly number[];
}

/** Makes the error of a refused port. */
export type Refuse = (cause: FieldCause) => Error;

function mayAllocate(spec: JsonRecord): boolean {
  return typeOf(spec) === 'NodePort' || spec['allocateLoadBalancerNodePorts'] === true;
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

class Planner {
  readonly #spec: JsonRecord;
  readonly #source: PortSource;
  readonly #refuse: Refuse;
  readonly #ports: readonly JsonRecord[];

  constructor(spec: JsonRecord, source: PortSource, refuse: Refuse) {
    this.#spec = spec;
    this.#source = source;
    this.#refuse = refuse;
    this.#ports = recordsAt(spec, 'ports');
  }

  /** Ports with one number and several protocols share a node port. */
  created(): (number | undefined)[] {
    const byPort = new Map<number, number>();
    return this.#ports.map(({ port, nodePort }, index) => {
      const [number, own] = [numberOf(port), numberOf(nodePort)];
      if (own === 0 && !mayAllocate(this.#spec)) return undefined;
      const shared = byPort.get(number);
      if (shared !== undefined) {
        if (own !== 0 && own !== shared) this.#take(own, index);
        return own === 0 ? shared : own;
      }
      const asked = this.#ports.find(
        (one) => numberOf(one['port']) === number && numberOf(one['nodePort']) !== 0,
      );
      const found = asked === undefined ? this.#next() : numberOf(asked['nodePort']);
      if (asked !== undefined) this.#take(found, index);
      byPort.set(number, found);
      return found;
    });
  }

  updated(known: readonly number[]): (number | undefined)[] {
    const taken = new Set<number>();
    const used = new Set<string>();
    return this.#ports.map(({ nodePort, protocol }, index) => {
      const own = numberOf(nodePort);
      if (own === 0 && !mayAllocate(this.#spec)) return undefined;
      if (own !== 0 && !known.includes(own) && !taken.has(own)) {
        this.#take(own, index);
        taken.add(own);
      }
      const found = own === 0 ? this.#next() : own;
      const key = `{${String(protocol)} ${found}}`;
      // kube-apiserver finds it here, before the validation, and answers with an error that has no reason.
      if (used.has(key)) throw withoutReason(`duplicate nodePort: ${key}`);
      used.add(key);
      return found;
    });
  }

  healthCheck(): number {
    const asked = numberOf(this.#spec['healthCheckNodePort']);
    if (asked === 0) return this.#next('a HealthCheck NodePort 0');
    const problem = this.#source.take(asked);
    if (problem === undefined) return asked;
    throw internalError(`failed to allocate requested HealthCheck NodePort ${asked}: ${problem}`);
  }

  #take(port: number, index: number): void {
    const problem = this.#source.take(port);
    if (problem === undefined) return;
    throw this.#refuse(fieldInvalid(`spec.ports[${index}].nodePort`, port, problem));
  }

  #next(what = 'a nodePort'): number {
    const port = this.#source.takeNext();
    if (port === undefined) throw internalError(`failed to allocate ${what}: range is full`);
    return port;
  }
}

/**
 * The node ports of a new Service, or of an update when there is an old spec. It changes neither. @throws {ApiError} 422, 500.
 * @see pkg/registry/core/service/storage/alloc.go initNodePorts, updateNodePorts @ v1.36.3
 */
export function planNodePorts(
  spec: JsonRecord,
  old: JsonRecord | undefined,
  source: PortSource,
  refuse: Refuse,
): PortPlan {
  const planner = new Planner(spec, source, refuse);
  const before = old === undefined ? [] : nodePortsOf(old);
  const nodePorts = !hasNodePorts(spec)
    ? []
    : old === undefined
      ? planner.created()
      : planner.updated(before);
  const wasChecked = old !== undefined && needsHealthCheck(old);
  const isChecked = needsHealthCheck(spec);
  const healthCheck = isChecked && !wasChecked ? planner.healthCheck() : undefined;
  const left = old !== undefined && (hasNodePorts(spec) || hasNodePorts(old)) ? before : [];
  const released = left.filter((one) => !nodePorts.includes(one));
  if (old !== undefined && wasChecked && !isChecked) {
    released.push(numberOf(old['healthCheckNodePort']));
  }
  return { nodePorts, healthCheck, released };
}

/** Whether a plan has to take a port. */
export function needsPorts(spec: JsonRecord, old: JsonRecord | undefined): boolean {
  if (needsHealthCheck(spec) && (old === undefined || !needsHealthCheck(old))) return true;
  if (!hasNodePorts(spec)) return false;
  const known = old === undefined ? [] : nodePortsOf(old);
  return recordsAt(spec, 'ports').some(({ nodePort }) => {
    const own = numberOf(nodePort);
    return own === 0 ? mayAllocate(spec) : !known.includes(own);
  });
}
