import type { ScannerKind } from '../../../meta/json/wasm/fast-scanner.ts';
import type { TransportInspection } from '../../transport/contract/transport-inspection.ts';

/** The connections of a client at this moment, and how it reads objects. */
export interface ClientInspection extends TransportInspection {
  /**
   * How the JSON of lists and watches is scanned: with WebAssembly if the runtime has it, with its SIMD instructions. The results are
   * the same. It is chosen once for a process.
   */
  readonly scanner: ScannerKind;
}
