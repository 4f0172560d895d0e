import type { Container, EnvVar, Pod } from '../../../types/built-in/core-v1-kinds.ts';
import type { ContainerBehaviour } from './container-behaviour.ts';

const AGNHOST = /(?:^|\/)agnhost(?:[:@]|$)/;
const NAUTILUS = /(?:^|\/)nautilus(?:[:@]|$)/;
const SERVED = /^SERVE_(?:TCP_|TLS_)?PORT_(\d+)$/;
/** Of agnhost serve-hostname. */
const HOSTNAME_PORT = 9376;

/**
 * The HTTP answers of three small servers in the images of Kubernetes' own tests: `agnhost serve-hostname`, `agnhost porter` and
 * `nautilus`. Undefined for every other container.
 * @see kubernetes test/images/agnhost/porter/porter.go, serve-hostname/serve_hostname.go @ v1.37.2
 */
export function knownServer(pod: Pod, container: Container): ContainerBehaviour | undefined {
  const { image = '', command = ['/agnhost'], args = [], env = [] } = container;
  if (NAUTILUS.test(image)) {
    return { http: () => Response.json({ image: 'nautilus.jpg' }), httpPorts: [80] };
  }
  const [program, subcommand, ...flags] = [...command, ...args];
  if (!AGNHOST.test(image) || program !== '/agnhost') return undefined;
  if (subcommand === 'porter') return porter(env, flags.includes('--json-response'));
  if (subcommand !== 'serve-hostname' || flags.some((flag) => /^--(?:tcp|udp)/.test(flag))) {
    return undefined;
  }
  const hostname = pod.spec?.hostname ?? pod.metadata?.name ?? '';
  return { http: () => new Response(hostname), httpPorts: [portOf(flags) ?? HOSTNAME_PORT] };
}

/** Each port serves the value of its variable. */
function porter(env: readonly EnvVar[], asJson: boolean): ContainerBehaviour {
  const texts = new Map(
    env.flatMap(({ name, value = '' }) => {
      const [, port] = SERVED.exec(name) ?? [];
      return port === undefined ? [] : [[Number(port), value] as const];
    }),
  );
  const http: ContainerBehaviour['http'] = ({ method }, { port }) => {
    const text = texts.get(port) ?? '';
    if (asJson) return Response.json({ Method: method, Body: text });
    const type = text.startsWith('<') ? 'text/html' : 'text/plain';
    return new Response(text, { headers: { 'content-type': `${type}; charset=utf-8` } });
  };
  return { http, httpPorts: [...texts.keys()] };
}

function portOf(flags: readonly string[]): number | undefined {
  const [, port] = /(?:^| )--port[= ](\d+)/.exec(flags.join(' ')) ?? [];
  return port === undefined ? undefined : Number(port);
}
