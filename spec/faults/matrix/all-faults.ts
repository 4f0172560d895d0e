import type { Fault } from '../fault.ts';
import { answerFaults } from './answer-faults.ts';
import { connectionFaults } from './connection-faults.ts';
import { frameFaults } from './frame-faults.ts';
import { refusalFaults } from './refusal-faults.ts';
import { handlerFaults, serverFaults } from './server-faults.ts';

/** Every way to fail that an informer has to survive. */
export const allFaults: readonly Fault[] = [
  ...connectionFaults,
  ...frameFaults,
  ...refusalFaults,
  ...answerFaults,
  ...serverFaults,
  ...handlerFaults,
];
