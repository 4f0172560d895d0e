import { logLine } from '../../../kernel/report/log-line.ts';
import { silentLogger } from '../../../kernel/report/logger.ts';
import { shownText } from '../../terminal/shown-text.ts';
import { commandWords } from '../contract/command-words.ts';
import type { DoctorContext, Outcome, Step } from '../contract/step.ts';

/** Paths may be long, and a kubeconfig may be of several files. */
const LONGEST = 600;

/** Finds the configuration: which file, context, server, namespace. */
export const configurationStep: Step = {
  id: 'configuration',
  title: 'configuration',
  needs: [],
  async run({
    options,
    env,
    homeDir,
    runtime,
    network,
    findings,
  }: DoctorContext): Promise<Outcome> {
    const { kubeconfig, context, namespace, server } = options;
    const warnings: string[] = [];
    const config = await network.loadConfig({
      kubeconfig,
      context,
      namespace,
      server,
      env,
      homeDir,
      runtime,
      logger: {
        ...silentLogger,
        warn: (message, fields) => void warnings.push(logLine(message, fields).line),
      },
    });
    findings.config = config;
    const { entries } = config;
    const source = commandWords(config.source);
    const { cluster, user } = entries ?? {};
    const names = entries === undefined ? '' : `, cluster ${cluster}, user ${user ?? 'none'}`;
    return {
      status: 'ok',
      detail: shownText(
        [
          `${config.server}, namespace ${config.namespace}, from ${source}${names}`,
          ...warnings,
        ].join('; '),
        LONGEST,
      ),
      data: { server: config.server, namespace: config.namespace, source, cluster, user, warnings },
    };
  },
};
