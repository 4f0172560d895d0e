/**
 * The static API server in a process of its own: `node --import tsx spec/bench/workload/static-server-main.ts '{"objects": 10000}'`
 * prints its address as JSON, and runs until it is killed or its standard input ends.
 */
import { benchCertificate } from './bench-tls.ts';
import { PodBodies, podFile } from './pod-bodies.ts';
import { StaticServer } from './static-server.ts';

/** The arguments of the process. */
export interface StaticServerArgument {
  readonly objects: number;
  /** Where pods are kept from one run to the next. @defaultValue .bench */
  readonly folder?: string | undefined;
  /** The pods as client-go encoded them. */
  readonly protobufFile?: string | undefined;
  readonly bigChunks?: boolean | undefined;
}

const argument = JSON.parse(process.argv[2] ?? '{"objects": 10000}') as StaticServerArgument;
const { objects, folder = '.bench', protobufFile, bigChunks } = argument;
const json = PodBodies.readJson(podFile(folder, objects));
const protobuf = protobufFile === undefined ? undefined : PodBodies.readFrames(protobufFile);
const server = new StaticServer({
  json,
  protobuf,
  objects,
  bigChunks,
  certificate: benchCertificate(),
});
console.log(JSON.stringify({ url: await server.listen() }));
process.stdin.resume();
process.stdin.once('end', () => {
  process.exit(0);
});
