export { serveInspector, type Inspector } from './serve-inspector.ts';
export type { InspectorOptions, TextMetrics } from './inspector-options.ts';
export type {
  InspectedCache,
  InspectedClient,
  InspectedController,
  InspectedInformer,
  InspectedInformers,
  InspectedQueue,
  InspectedRequest,
  InspectedResource,
  InspectedServer,
  InspectedServerState,
} from './contract/inspected-parts.ts';
