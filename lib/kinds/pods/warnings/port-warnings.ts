import {
  numberAt,
  recordsAt,
  textAt,
  type JsonRecord,
} from '../../../meta/json-value.ts';
import { visitContainers } from '../report/pod-report.ts';

interface PlacedPort {
  readonly at: string;
  readonly port: JsonRecord;
}

function portsOf(spec: JsonRecord, path: string): PlacedPort[] {
  const found: PlacedPort[] = [];
  visitContainers(spec, path, (container, at) => {
    for (const [index, port] of recordsAt(container, 'ports').entries()) {
      found.push({ at: `${at}.ports[${index}]`, port });
    }
  });
  return found;
}

/** How Go's `%+v` prints the port. */
function goTextOf(port: JsonRecord): string {
  return `{Name:${textAt(port, 'name')} HostPort:${numberAt(port, 'hostPort')} ContainerPort:${numberAt(port, 'containerPort')} Protocol:${textAt(port, 'protocol')} HostIP:${textAt(port, 'hostIP')}}`;
}

/** How the port collides with another one of the same number and protocol. */
function collision(port: JsonRecord, other: JsonRecord): string | undefined {
  const [address, otherAddress] = [textAt(port, 'hostIP'), textAt(other, 'hostIP')];
  const [host, otherHost] = [numberAt(port, 'hostPort'), numberAt(other, 'hostPort')];
  if (address === otherAddress && host === otherHost) return 'duplicate';
  if (host === 0 || otherHost === 0) return 'overlapping';
  const isOneOpen = (address === '') !== (otherAddress === '');
  return host === otherHost && isOneOpen ? 'dangerously ambiguous' : undefined;
}

/** Ports that are defined twice. @see pkg/api/pod/warnings.go @ v1.36.3 */
export function portWarnings(spec: JsonRecord, path: string): string[] {
  const warnings: string[] = [];
  const known = new Map<string, PlacedPort[]>();
  const ports = portsOf(spec, path);
  for (const { at, port } of ports) {
    if (textAt(port, 'hostIP') !== '' && numberAt(port, 'hostPort') === 0) {
      warnings.push(`${at}: hostIP set without hostPort: ${goTextOf(port)}`);
    }
    const key = `${numberAt(port, 'containerPort')}/${textAt(port, 'protocol')}`;
    const others = known.get(key) ?? [];
    for (const other of others) {
      const how = collision(port, other.port);
      if (how !== undefined) warnings.push(`${at}: ${how} port definition with ${other.at}`);
    }
    known.set(key, [...others, { at, port }]);
  }
  return [...warnings, ...nameWarnings(ports)];
}

function nameWarnings(ports: readonly PlacedPort[]): string[] {
  const known = new Map<string, string>();
  return ports.flatMap(({ at, port }) => {
    const name = textAt(port, 'name');
    const other = known.get(name);
    if (name !== '' && other === undefined) known.set(name, at);
    if (other === undefined) return [];
    return [
      `${at}: duplicate port name ${JSON.stringify(name)} with ${other}, services and probes that select ports by name will use ${other}`,
    ];
  });
}
