import { Readable } from 'node:stream';
import { ambientEnvironment } from '../../../lib/client/config/ambient-environment.ts';
import type { CommandHost, Output } from '../../../lib/cli/contract/command.ts';
import { realRuntime } from '../../../lib/kernel/time/real-runtime.ts';

/** A stream that keeps what was written. */
export class CapturedOutput implements Output {
  readonly isTerminal: boolean;
  text = '';

  constructor(isTerminal: boolean = false) {
    this.isTerminal = isTerminal;
  }

  write(text: string): void {
    this.text += text;
  }

  get lines(): string[] {
    return this.text.split('\n').filter((line) => line !== '');
  }
}

export interface CapturedHost extends CommandHost {
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
}

export function capturedHost(
  options: Partial<CommandHost> & { readonly isTerminal?: boolean } = {},
): CapturedHost {
  const { isTerminal, ...rest } = options;
  return {
    env: {},
    stdin: () => Readable.from([]),
    homeDir: '/nowhere',
    program: ['listwatch'],
    runtime: realRuntime,
    signalGroup: ambientEnvironment().signalGroup,
    signal: new AbortController().signal,
    version: '1.2.3',
    ...rest,
    stdout: new CapturedOutput(isTerminal),
    stderr: new CapturedOutput(),
  };
}
