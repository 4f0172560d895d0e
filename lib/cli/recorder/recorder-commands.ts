// Loaded together: each module that is loaded by itself divides what it shares with others into more files.
export { dumpCommand } from './dump-command.ts';
export { recordCommand } from './record-command.ts';
export { replayCommand } from './replay-command.ts';
