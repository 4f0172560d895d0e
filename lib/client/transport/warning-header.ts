/** A warning of the server about a request that it carried out, e.g. that an API version is deprecated. */
export interface ServerWarning {
  /** 299 for the warnings of an API server. */
  readonly code: number;
  /** The agent that sent the warning; `-` when unknown. */
  readonly agent: string;
  readonly text: string;
}

const WARNING = /(\d{3}) (\S+) "((?:[^"\\]|\\.)*)"/g;

/**
 * Reads the `Warning` headers of a response, joined by commas. Parts that are not warnings are left out.
 * @see RFC 7234 section 5.5; apimachinery util/net ParseWarningHeaders @ eed236c
 */
export function parseWarningHeader(header: string): ServerWarning[] {
  const warnings: ServerWarning[] = [];
  for (const [, code, agent, quoted] of header.matchAll(WARNING)) {
    const text = (quoted ?? '').replaceAll(/\\(.)/g, '$1');
    warnings.push({ code: Number(code), agent: agent ?? '-', text });
  }
  return warnings;
}
