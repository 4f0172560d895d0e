/** Masks the parts that differ from run to run, and are no part of the answer. */
export interface MaskFacts {
  readonly namespace: string;
  /** Folder of the files of the scenario. */
  readonly folder: string;
  /** With port. */
  readonly server: string;
  readonly nowMs: number;
}

const DAY_MS = 86_400_000;

const MASKS: readonly (readonly [RegExp, string])[] = [
  [/\b(?!0{8})[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '{uid}'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '{token}'],
  [/\b\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, '{time}'],
  [/("?resourceVersion"?:\s*"?|Resource Version:\s+|fieldRef:v1:)\d+/gi, '$1{rv}'],
  [/(resource ?version\\?"?[:=] ?\\?"?)\d+/gi, '$1{rv}'],
  [/\b10\.\d{1,3}\.\d{1,3}\.\d{1,3}\b/g, '{address}'],
  [/("?(?:nodePort|healthCheckNodePort)"?:\s*)3\d{4}/g, '$1{port}'],
  [/:3\d{4}\/(TCP|UDP|SCTP)/g, ':{port}/$1'],
  [/(NodePort:\s+\S+\s+)3\d{4}/g, '$1{port}'],
  // Names that a server or kubectl draws; scenarios let generated names begin in this way.
  [/\b(gen|debugger|node-debugger-\S+)-[a-z0-9]{5}\b/g, '$1-{random}'],
  [/\/tmp\/\S*kubectl-\S+?(?=[\s"':]|$)/gm, '{file}'],
  // A program that panics prints where it was.
  [/\ngoroutine \d+ \[[^]*$/g, '\n'],
  [/ (?:pc|addr)=0x[0-9a-f]+/g, ''],
  [/\/tmp\/(LIVE|MERGED)-\d+/g, '$1'],
  [/\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ [+-]\d{4}/g, '{time}'],
  [/^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+ ([\w.-]+):\d+\]/gm, '$1 $2]'],
  // Ages in tables and descriptions; "ago" and "over" follow or precede some of them.
  [/(?<=[\s(])(?:\d+[smhdy])+(?=[\s)]|$)/gm, '{age}'],
  [/<invalid>/g, '{age}'],
  [/((?:Client|Server|Kustomize) Version: ).*/g, '$1{version}'],
  // Some builds have a plus behind the minor version.
  [/(\bminor"?: )"?(\d+)\+"?/g, '$1"$2"'],
  [
    /("?(?:gitVersion|buildDate|gitCommit|goVersion|gitTreeState|compiler|platform)"?: ).*/g,
    '$1{version}',
  ],
];

/**
 * kubectl says that it waits when it sends many requests, and that a watch with a time limit of a second lasted for less. Both depend
 * on the machine.
 */
const BY_SPEED =
  /^.*(?:Throttling request took|Waited for .* due to client-side throttling|very short watch: ).*\n?/gm;

/** Some builds of kubectl log the failures that others print. */
const COMMAND_FAILED = /^E run\.go\] "command failed" err=("(?:[^"\\]|\\.)*")$/gm;

function unquoted(text: string): string {
  return JSON.parse(text) as string;
}

/**
 * Output of kubectl without that which differs from run to run: ages, addresses, uids, resource versions, times within a day of now,
 * generated names, versions. Columns depend on the widths of ages and addresses, so that each gap is two blanks.
 */
export function mask(text: string, { namespace, folder, server, nowMs }: MaskFacts): string {
  let masked = text
    .replaceAll(BY_SPEED, '')
    .replaceAll(`${folder}/`, '')
    .replaceAll(`https://${server}`, '{server}')
    .replaceAll(`http://${server}`, '{server}')
    .replaceAll(server, '{server}')
    .replaceAll(namespace, '{ns}')
    // The address that a server advertises.
    .replaceAll(/(?:https?:\/\/)?\b\d+\.\d+\.\d+\.\d+:\d{4,5}\b/g, '{server}')
    .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (time) =>
      Math.abs(Date.parse(time) - nowMs) < DAY_MS ? '{time}' : time,
    );
  for (const [pattern, replacement] of MASKS) masked = masked.replaceAll(pattern, replacement);
  return masked
    .replaceAll(COMMAND_FAILED, (_line, message: string) => `error: ${unquoted(message)}`)
    .replaceAll(/(\S)[ \t]{2,}(?=\S)/g, '$1  ')
    .replaceAll(/[ \t]+$/gm, '');
}
