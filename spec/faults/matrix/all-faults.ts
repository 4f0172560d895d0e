import type { Fault } from '../fault.ts';
import { connectionFaults } from './connection-faults.ts';

/** Every way to fail that an informer has to survive. */
export const allFaults: readonly Fault[] = [...connectionFaults];
