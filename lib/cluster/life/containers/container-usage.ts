import { parseQuantity, type Quantity } from '../../../meta/quantity.ts';
import type { Container, Pod } from '../../../types/built-in/core-v1-kinds.ts';

/** Quantities such as `250m` and `64Mi`; a number is cores, or bytes. */
export type UsedResources = Readonly<
  Partial<Record<'cpu' | 'memory', string | number | undefined>>
>;

/** The usage of a container, or a function that is called when somebody asks. */
export type ContainerUsage =
  | UsedResources
  | ((facts: { readonly pod: Pod; readonly container: Container }) => UsedResources);

/** Cores and bytes. */
export interface Usage {
  readonly cpu: Quantity;
  readonly memory: Quantity;
}

const RESOURCES = ['cpu', 'memory'] as const;
/** Of a container that requests nothing. */
const SMALL = { cpu: '1m', memory: '10Mi' };
/** Of the system of a node. */
export const SYSTEM_USAGE: Usage = usage({ cpu: '50m', memory: '256Mi' });

/** Whether its quantities can be read. */
export function isUsage(value: unknown): value is ContainerUsage {
  if (typeof value === 'function') return true;
  try {
    if (typeof value === 'object' && value !== null) usage(value);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

/** The usage of a running container. A resource that its rule leaves out is half of the request. @throws {SyntaxError} */
export function usageOf(given: ContainerUsage = {}, pod: Pod, container: Container): Usage {
  return usage(typeof given === 'function' ? given({ pod, container }) : given, container);
}

function usage({ cpu, memory }: UsedResources, container?: Container): Usage {
  const amount = (
    name: (typeof RESOURCES)[number],
    given: string | number | undefined,
  ): Quantity => {
    if (given !== undefined) return parseQuantity(String(given));
    const request = container?.resources?.requests?.[name];
    if (request === undefined) return parseQuantity(SMALL[name]);
    const { nanos, format } = parseQuantity(String(request));
    return { nanos: nanos / 2n, format };
  };
  return { cpu: amount('cpu', cpu), memory: amount('memory', memory) };
}

export function sumOfUsage(all: Iterable<Usage>): Usage {
  let sum: Usage = { cpu: parseQuantity('0'), memory: parseQuantity('0Ki') };
  for (const { cpu, memory } of all) {
    sum = {
      cpu: { ...sum.cpu, nanos: sum.cpu.nanos + cpu.nanos },
      memory: { ...sum.memory, nanos: sum.memory.nanos + memory.nanos },
    };
  }
  return sum;
}
