import type { DiagnosticBag } from '../diagnostics/bag.ts';
import type { JsonObject } from '../source/document.ts';
import { type Container, containersOf, isObject, type PodObject } from './pod.ts';
import type { PodSettings } from './pod-settings.ts';
import { proxyId } from './redirection.ts';

/** Refuses what would go around the proxy or could not run beside it; warns of a pod that would never end. */
export function checkPod(
  pod: PodObject,
  settings: PodSettings,
  reserved: ReadonlyMap<number, string>,
  bag: DiagnosticBag,
): void {
  const refuse = (where: string, reason: string): void =>
    bag.report('uninjectable-pod', undefined, { problem: `${where}: ${reason}` });
  const { restartPolicy } = pod.spec;
  if (settings.role === 'sidecar' && !settings.isNative && (restartPolicy === 'Never' || restartPolicy === 'OnFailure'))
    bag.report('proxy-outlives-job', undefined, {});
  if (settings.redirects) checkOwners(pod, refuse);
  for (const list of ['containers', 'initContainers'] as const) {
    for (const [i, container] of containersOf(pod, list).entries()) {
      if (isOfProxy(container.name)) continue;
      for (const [j, { containerPort }] of ((container.ports ?? []) as readonly JsonObject[]).entries()) {
        const use = reserved.get(Number(containerPort));
        if (use === undefined) continue;
        const reason = `port ${containerPort} belongs to the proxy (${use}): have the application listen on another one`;
        refuse(`spec.${list}[${i}].ports[${j}]`, reason);
      }
    }
  }
}

/** Connections of this user and this group are taken for the proxy's own. */
function checkOwners(pod: PodObject, refuse: (where: string, reason: string) => void): void {
  const reason = `the proxy runs as ${proxyId}, so that connections of this container would go around it: choose another one`;
  const look = (holder: JsonObject, at: string): void => {
    const context = isObject(holder.securityContext) ? holder.securityContext : {};
    for (const field of ['runAsUser', 'runAsGroup'])
      if (context[field] === proxyId) refuse(`${at}.securityContext.${field}`, reason);
  };
  look(pod.spec, 'spec');
  for (const list of ['containers', 'initContainers'] as const)
    for (const [i, container] of containersOf(pod, list).entries())
      if (!isOfProxy(container.name) && (list === 'containers' || goesOn(container)))
        look(container, `spec.${list}[${i}]`);
}

/** Other init containers have ended, or run before the proxy: who needs the network there may go around it. */
function goesOn({ restartPolicy }: Container): boolean {
  return restartPolicy === 'Always';
}

function isOfProxy(name: string): boolean {
  return /^(mesh|istio)-(proxy|init)$/.test(name);
}
