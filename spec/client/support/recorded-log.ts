import type { LogFields, Logger } from '../../../lib/kernel/report/logger.ts';

/** A logger that keeps its lines. */
export class RecordedLog implements Logger {
  readonly lines: {
    readonly level: string;
    readonly message: string;
    readonly fields: LogFields;
  }[] = [];

  debug(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'debug', message, fields });
  }
  info(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'info', message, fields });
  }
  warn(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'warn', message, fields });
  }
  error(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'error', message, fields });
  }

  /** The warnings, each with its fields, as text. */
  get warnings(): readonly string[] {
    return this.lines
      .filter(({ level }) => level === 'warn')
      .map(({ message, fields }) => `${message} ${JSON.stringify(fields)}`);
  }
}
