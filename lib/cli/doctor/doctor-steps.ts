import { addressStep, tcpStep } from './connection/address-step.ts';
import { configurationStep } from './connection/configuration-step.ts';
import { credentialsStep } from './connection/credentials-step.ts';
import { proxyStep } from './connection/proxy-step.ts';
import { tlsStep } from './connection/tls-step.ts';
import type { Step } from './contract/step.ts';
import { authenticationStep } from './requests/authentication-step.ts';
import { clockStep } from './requests/clock-step.ts';
import { discoveryStep } from './requests/discovery-step.ts';
import { featuresStep, versionStep } from './requests/version-step.ts';
import { latencyStep } from './requests/latency-step.ts';
import { listResourceStep } from './requests/list-resource-step.ts';
import { permissionStep } from './requests/permission-step.ts';
import { watchResourceStep } from './requests/watch-resource-step.ts';

/** The steps in the order in which they run; three for each resource. */
export function doctorSteps(resources: readonly string[]): readonly Step[] {
  const [first] = resources;
  return [
    configurationStep,
    credentialsStep,
    proxyStep,
    addressStep,
    tcpStep,
    tlsStep,
    versionStep,
    clockStep,
    authenticationStep,
    latencyStep,
    discoveryStep,
    ...resources.flatMap((name) => [
      permissionStep(name),
      listResourceStep(name),
      watchResourceStep(name),
    ]),
    ...(first === undefined ? [] : [featuresStep(first)]),
  ];
}
