export { serveInspector, type Inspector } from './serve-inspector.ts';
export type { InspectorOptions } from './inspector-options.ts';
