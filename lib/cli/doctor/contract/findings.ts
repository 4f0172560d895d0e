import { assert } from '../../../kernel/failure/assert.ts';
import type { ConnectionConfig } from '../../../client/config/contract/connection-config.ts';
import type { Credential } from '../../../client/transport/contract/credential.ts';
import type { RequestProbe } from './request-probe.ts';

/** The time in which a certificate or a token is valid, wall-clock milliseconds. */
export interface Validity {
  /** E.g. `the certificate of the server`. */
  readonly what: string;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/** The time of the server beside the time of this machine. */
export interface ClockReading {
  /** The Date header, wall-clock milliseconds; whole seconds. */
  readonly serverMs: number;
  /** The wall clock of this machine when the request was sent and when its answer arrived. */
  readonly sentMs: number;
  readonly receivedMs: number;
}

/** A resource that the server serves, for one `--resource`. */
export interface ServedResource {
  readonly group: string;
  readonly version: string;
  /** In lower-case plural. */
  readonly resource: string;
  readonly namespaced: boolean;
}

/** The results of the steps so far; later steps read it. */
export class Findings {
  config: ConnectionConfig | undefined;
  credential: Credential | undefined;
  /** Opened by the first step that sends a request; closed after the last step. */
  requests: RequestProbe | undefined;
  /** The HTTP status of `/version`. */
  versionStatus: number | undefined;
  clock: ClockReading | undefined;
  user: string | undefined;
  /** Whether the server streams lists; undefined when that was not seen. */
  watchList: boolean | undefined;
  /** Whether a watch brought a bookmark; undefined when none was read. */
  bookmarks: boolean | undefined;
  readonly validities: Validity[] = [];
  /** By the text of `--resource`. */
  readonly resources: Map<string, ServedResource> = new Map();

  /** @throws {ListwatchError} code ASSERTION before the step `configuration` has ended well. */
  get found(): ConnectionConfig {
    assert(this.config !== undefined, 'the step configuration comes first');
    return this.config;
  }

  /** @throws {ListwatchError} code ASSERTION before the step `version` has ended well. */
  get opened(): RequestProbe {
    assert(this.requests !== undefined, 'the step version comes first');
    return this.requests;
  }

  /** @throws {ListwatchError} code ASSERTION for a resource that discovery has not found. */
  served(name: string): ServedResource {
    const resource = this.resources.get(name);
    assert(resource !== undefined, 'the step discovery comes first');
    return resource;
  }
}
