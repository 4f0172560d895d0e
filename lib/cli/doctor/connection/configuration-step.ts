import type { DoctorContext, Outcome, Step } from '../contract/step.ts';

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
    const config = await network.loadConfig({
      kubeconfig,
      context,
      namespace,
      server,
      env,
      homeDir,
      runtime,
    });
    findings.config = config;
    return {
      status: 'ok',
      detail: `${config.server}, namespace ${config.namespace}, from ${config.source}`,
      data: { server: config.server, namespace: config.namespace, source: config.source },
    };
  },
};
