import { open } from 'node:fs/promises';

/** The results of the requests of one user agent, from the audit log of the API server. */
export interface AuditCounts {
  requests: number;
  unauthorized: number;
  lists: number;
  watches: number;
}

/** The part of an event of audit.k8s.io/v1 that is read here. */
interface AuditEvent {
  readonly auditID: string;
  readonly stage: string;
  readonly verb: string;
  readonly userAgent?: string;
  readonly responseStatus?: { readonly code?: number };
}

/** The policy that the counts need. */
export const AUDIT_POLICY: string = JSON.stringify({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata', resources: [{ group: '', resources: ['configmaps'] }] }],
});

/** Reads the audit log of an API server while it is written, and counts the requests for ConfigMaps by user agent. */
export class AuditLog {
  readonly #path: string;
  readonly #counts = new Map<string, AuditCounts>();
  readonly #seen = new Set<string>();
  #offset = 0;
  #rest = '';
  #reading: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  async countsOf(userAgent: string): Promise<Readonly<AuditCounts>> {
    this.#reading = this.#reading.then(() => this.#read());
    await this.#reading;
    return { ...this.#of(userAgent) };
  }

  async #read(): Promise<void> {
    const file = await open(this.#path, 'r');
    try {
      const { size } = await file.stat();
      const bytes = Buffer.alloc(size - this.#offset);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, this.#offset);
      this.#offset += bytesRead;
      const lines = (this.#rest + bytes.toString('utf8', 0, bytesRead)).split('\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) this.#count(JSON.parse(line) as AuditEvent);
    } finally {
      await file.close();
    }
  }

  /** A watch has an event when its response starts and another when it ends; it is counted at the first. */
  #count({ auditID, verb, userAgent = '', responseStatus }: AuditEvent): void {
    if (this.#seen.has(auditID)) return;
    this.#seen.add(auditID);
    const counts = this.#of(userAgent);
    counts.requests += 1;
    if (responseStatus?.code === 401) counts.unauthorized += 1;
    else if (verb === 'list') counts.lists += 1;
    else if (verb === 'watch') counts.watches += 1;
  }

  #of(userAgent: string): AuditCounts {
    let counts = this.#counts.get(userAgent);
    if (counts === undefined) {
      counts = { requests: 0, unauthorized: 0, lists: 0, watches: 0 };
      this.#counts.set(userAgent, counts);
    }
    return counts;
  }
}
