import { isRecord, recordAt, recordsAt, type JsonRecord } from '../../meta/json-value.ts';
import { nanosOf } from '../../server/registry/validation/quantity-checks.ts';

export type QosClass = 'BestEffort' | 'Burstable' | 'Guaranteed';

const COMPUTE = ['cpu', 'memory'] as const;

/** The requests of processor and memory; 0 counts as none. */
class ComputeSum {
  readonly #sums = new Map<string, bigint>();

  add(amounts: JsonRecord | undefined): boolean {
    let isComplete = true;
    for (const name of COMPUTE) {
      const nanos = nanosOf(amounts?.[name]);
      if (nanos > 0n) this.#sums.set(name, (this.#sums.get(name) ?? 0n) + nanos);
      else isComplete = false;
    }
    return isComplete;
  }

  get isEmpty(): boolean {
    return this.#sums.size === 0;
  }

  equals(other: ComputeSum): boolean {
    return COMPUTE.every((name) => this.#sums.get(name) === other.#sums.get(name));
  }
}

/**
 * The quality-of-service class that follows from the resources of a pod, or of its containers.
 * @see pkg/apis/core/helper/qos/qos.go ComputePodQOS @ v1.36.3
 */
export function qosClassOf(spec: unknown): QosClass {
  const whole = recordAt(spec, 'resources');
  const owners = isRecord(whole)
    ? [whole]
    : [...recordsAt(spec, 'containers'), ...recordsAt(spec, 'initContainers')].map((one) =>
        recordAt(one, 'resources'),
      );
  const requests = new ComputeSum();
  const limits = new ComputeSum();
  let isGuaranteed = true;
  for (const owner of owners) {
    requests.add(recordAt(owner, 'requests'));
    if (!limits.add(recordAt(owner, 'limits'))) isGuaranteed = false;
  }
  if (requests.isEmpty && limits.isEmpty) return 'BestEffort';
  return isGuaranteed && requests.equals(limits) ? 'Guaranteed' : 'Burstable';
}
